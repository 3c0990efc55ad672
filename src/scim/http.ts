import type { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { actInstance } from "#administration/act-instance.ts";
import type { Administration } from "#administration/administration.ts";
import type { Decider } from "#administration/acts.ts";
import { directoryActor } from "#directories/directory.ts";
import type { D1PeopleStandings } from "#people/person.d1.ts";
import type { ContextOf } from "#platform/http.ts";
import type { DirectoryCall } from "./directory-call.ts";
import { DIRECTORY_AUTHORITY, type ScimEnv } from "./gate-middleware.ts";
import type { ScimResource } from "./resources.ts";
import { SCIM_TYPE } from "./scim-error.ts";

export interface ScimServices {
  readonly directoryUsers: D1DirectoryUsers;
  readonly directoryGroups: D1DirectoryGroups;
  readonly people: Pick<D1PeopleStandings, "find">;
  readonly administrationWithin: (by: Decider) => Administration;
}

export type ScimContext = ContextOf<ScimEnv<ScimServices>>;

/** Returns the call of a request. */
export function callOf(c: ScimContext): DirectoryCall {
  const { directory, instance, services } = c.var;
  return {
    directory: { instanceId: instance.policy.instanceId, name: directory },
    users: services.directoryUsers,
    groups: services.directoryGroups,
    people: services.people,
    acts: () =>
      services.administrationWithin({
        instance: actInstance(c),
        actor: directoryActor(directory),
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
