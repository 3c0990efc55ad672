import type { Authority } from "#administration/authority.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { parseDirectoryScope } from "#protocol/directory-scope.ts";
import {
  acceptServiceToken,
  challengeOf,
  type ServiceTokenServices,
} from "#resource-server/authentication/gate-middleware.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { OWNER_KEPT } from "./directory-call.ts";

/** The environment of handlers after {@link scimGate}. */
export type ScimEnv<Services extends object = object> = InstanceEnv<
  Services,
  {
    directory: string;
    tokenId: string;
  }
>;

/** Accepts only requests with a SCIM token. */
export const scimGate = createMiddleware<ScimEnv<ServiceTokenServices>>(async (c, next) => {
  c.get("frame").challenge = challengeOf("SCIM");
  const { id, scopes } = await acceptServiceToken(c, "scim");
  c.set("tokenId", id);
  c.set("directory", parseDirectoryScope(scopes[0] ?? "") ?? "");
  await next();
});

/**
 * The authority of directories, which may decide that people have left. Owners are excluded: otherwise an administrator, who can
 * create a directory's token, could use it to remove them.
 */
export const DIRECTORY_AUTHORITY: Authority = {
  scopes: new Set(["admin:people", "admin:security"]),
  lacking: () => OWNER_KEPT,
  expiresAt: null,
  networks: [],
};
