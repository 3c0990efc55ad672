import { type Authority, authorityOfToken, OPERATOR } from "#administration/authority.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";
import {
  acceptServiceToken,
  challengeOf,
  type ServiceTokenServices,
} from "#resource-server/authentication/gate-middleware.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { COMMAND_ACTOR, type CommandTokens } from "./command-token.ts";

/** The environment of handlers after {@link adminGate}. */
export type AdminEnv<Services extends object = object> = InstanceEnv<
  Services,
  {
    /** The actor in the audit. */
    actor: string;
    authority: Authority;
  }
>;

interface GateServices extends ServiceTokenServices {
  readonly commandTokens: CommandTokens;
}

/** Accepts requests with an admin token, and commands that were signed with the master keys. */
export const adminGate = createMiddleware<AdminEnv<GateServices>>(async (c, next) => {
  c.get("frame").challenge = challengeOf("Admin API");
  const { instance, services } = c.var;
  const token = readBearer(c.req.header("authorization"));
  if (token !== undefined && (await services.commandTokens.isValid(token, instance, c.req.path))) {
    c.set("actor", COMMAND_ACTOR);
    c.set("authority", OPERATOR);
  } else {
    const accepted = await acceptServiceToken(c, "admin");
    c.set("actor", accepted.id);
    c.set("authority", authorityOfToken(accepted));
  }
  await next();
});
