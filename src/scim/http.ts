import type { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { actInstance } from "#administration/act-instance.ts";
import type { Administration } from "#administration/administration.ts";
import type { Decider } from "#administration/acts.ts";
import { type Directory, directoryActor } from "#directories/directory.ts";
import type { ContextOf } from "#platform/http.ts";
import type { DirectoryCall } from "./directory-call.ts";
import { DIRECTORY_AUTHORITY, type ScimEnv } from "./gate-middleware.ts";
import type { GroupProvisioning } from "./group-provisioning.ts";
import type { ScimResource } from "./resources.ts";
import { SCIM_TYPE } from "./scim-error.ts";
import type { UserProvisioning } from "./user-provisioning.ts";

export interface ScimServices {
  readonly userProvisioning: UserProvisioning;
  readonly groupProvisioning: GroupProvisioning;
  readonly directoryUsers: Pick<D1DirectoryUsers, "list">;
  readonly directoryGroups: Pick<D1DirectoryGroups, "list">;
  readonly administrationWithin: (by: Decider) => Administration;
}

export type ScimContext = ContextOf<ScimEnv<ScimServices>>;

/** Maximum size of a request: some thousand members of a group. */
export const BODY_BYTES_MAX = 1024 * 1024;

export function directoryOf(c: ScimContext): Directory {
  return { instanceId: c.var.instance.policy.instanceId, name: c.var.directory };
}

export function callOf(c: ScimContext): DirectoryCall {
  return {
    directory: directoryOf(c),
    people: c.var.services.administrationWithin({
      instance: actInstance(c),
      actor: directoryActor(c.var.directory),
      authority: DIRECTORY_AUTHORITY,
    }).people,
    ifMatch: c.req.header("if-match"),
  };
}

export function answer(
  resource: ScimResource,
  status: 200 | 201 | 403 | 501 = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(resource), { status, headers: { "Content-Type": SCIM_TYPE, ...headers } });
}
