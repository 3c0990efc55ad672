import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { RequestContext } from "./http.ts";
import ipaddr from "ipaddr.js";

/** The period of the limits in `wrangler.toml`. */
const PERIOD_SECONDS = 60;

/** Where a request came from, as the platform saw it. */
export function callerAddress(c: RequestContext): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}

/**
 * Whose requests count as one caller's: an IPv4 address, or the /64 of an IPv6 one, which is what one household or server has.
 *
 * @returns `undefined` where the request did not come through the platform, as in local development
 */
export function callerNetwork(c: RequestContext): string | undefined {
  const given = c.req.header("cf-connecting-ip");
  if (given === undefined || !ipaddr.isValid(given)) return undefined;
  const address = ipaddr.process(given);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}

/**
 * Counts this request against a limit, per instance, kind of work, and whose it is.
 *
 * @param subject whose count it is; the caller's network, unless a limit says otherwise
 * @throws {ApiError} `too_many_requests` over the limit, for callers of the APIs
 * @throws {OAuthError} `slow_down` over the limit, for clients of the authorization server
 */
export async function requireWithinRate(
  limit: RateLimit,
  c: RequestContext & { readonly var: { readonly instance: { readonly policy: { readonly instanceId: number } } } },
  work = "registration",
  subject = callerNetwork(c) ?? callerAddress(c),
): Promise<void> {
  const { success } = await limit.limit({ key: `${work}:${c.var.instance.policy.instanceId}:${subject}` });
  if (success) return;
  const options = { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS };
  throw c.var.answerForm === "api" ? new ApiError("too_many_requests", options) : new OAuthError("slow_down", options);
}
