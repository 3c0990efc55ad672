import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { RequestContext } from "./http.ts";

/** The period of the limits in `wrangler.toml`. */
const PERIOD_SECONDS = 60;

/** Where a request came from, as the platform saw it. */
export function callerAddress(c: RequestContext): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}

/**
 * Counts this request against a limit, per instance, kind of work, and whose it is.
 *
 * @param subject whose count it is; the caller's address, unless a limit says otherwise
 * @throws {ApiError} `too_many_requests` over the limit, for callers of the APIs
 * @throws {OAuthError} `slow_down` over the limit, for clients of the authorization server
 */
export async function requireWithinRate(
  limit: RateLimit,
  c: RequestContext & { readonly var: { readonly instance: { readonly policy: { readonly instanceId: number } } } },
  work = "registration",
  subject = callerAddress(c),
): Promise<void> {
  const { success } = await limit.limit({ key: `${work}:${c.var.instance.policy.instanceId}:${subject}` });
  if (success) return;
  const options = { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS };
  throw c.var.answerForm === "api" ? new ApiError("too_many_requests", options) : new OAuthError("slow_down", options);
}
