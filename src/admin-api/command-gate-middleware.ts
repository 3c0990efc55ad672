import type { InstanceEnv } from "#instance/middleware.ts";
import { ApiError } from "#protocol/errors.ts";
import { createMiddleware } from "hono/factory";
import type { CommandTokens } from "./command-token.ts";

/** Lets a request pass that carries a token made from the master keys for this instance and this address. */
export const commandGate = createMiddleware<InstanceEnv<{ readonly commandTokens: CommandTokens }>>(async (c, next) => {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const { instance, services } = c.var;
  // To everybody else there is nothing at this address.
  if (!(await services.commandTokens.isValid(token, instance.policy.name, c.req.path))) {
    throw new ApiError("not_found", { reason: "command_token_invalid" });
  }
  await next();
});
