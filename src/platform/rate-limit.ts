import { OAuthError } from "#protocol/errors.ts";
import type { AppContext } from "./http.ts";

/** The period of the limits in `wrangler.toml`. */
const PERIOD_SECONDS = 60;

/** Where a request came from, as the platform saw it. */
export function callerAddress(c: AppContext): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}

/**
 * Counts this request against a limit, per instance, kind of work and caller's address.
 *
 * @throws {OAuthError} `slow_down` over the limit
 */
export async function requireWithinRate(limit: RateLimit, c: AppContext, work = "registration"): Promise<void> {
  const { success } = await limit.limit({ key: `${work}:${c.var.instance.policy.instanceId}:${callerAddress(c)}` });
  if (!success) throw new OAuthError("slow_down", { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS });
}
