import type { InstanceEnv } from "#instance/middleware.ts";
import { ApiError } from "#protocol/errors.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { CommandTokens } from "./command-token.ts";

/** Accepts only requests with a token that was made from the master keys for this instance and this path. */
export const commandGate = createMiddleware<InstanceEnv<{ readonly commandTokens: CommandTokens }>>(async (c, next) => {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const { instance, services } = c.var;
  if (!(await services.commandTokens.isValid(token, instance, c.req.path))) {
    c.get("frame").challenge = () => "Bearer";
    throw new ApiError("unauthorized", {
      reason: "command_token_invalid",
      description: "Only npm run admin can call this address: check its MASTER_KEYS and its clock",
    });
  }
  await next();
});
