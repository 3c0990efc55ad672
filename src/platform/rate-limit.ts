import { ApiError, OAuthError, type RefusalOptions } from "#protocol/errors.ts";
import type { ContextOf, RequestContext } from "./http.ts";
import {
  type NamedSubjects,
  bindingOf,
  LIMITS_BY_WORK,
  RATE_PERIOD_SECONDS,
  type RatedWork,
  type RateSubject,
} from "./rate-limits.ts";
import type { AnswerForm, RouteEnv } from "./route-env.ts";
import ipaddr from "ipaddr.js";

/** Returns the address that a request came from, as the platform reports it. */
export function callerAddress(c: Pick<RequestContext, "req">): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}

/**
 * Returns the network whose requests count as one caller's: an IPv4 address, or the /64 of an IPv6 address, which is what one
 * household or server has.
 *
 * @returns `undefined` if the request did not come through the platform, as in local development
 */
export function callerNetwork(c: Pick<RequestContext, "req">): string | undefined {
  const given = c.req.header("cf-connecting-ip");
  if (given === undefined || !ipaddr.isValid(given)) return undefined;
  const address = ipaddr.process(given);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}

/** A request of a known instance. */
type InstanceRequest = Pick<
  ContextOf<RouteEnv<object, { readonly instance: { readonly policy: { readonly instanceId: number } } }>>,
  "req" | "env" | "get"
>;

type Named<Work extends RatedWork> = keyof NamedSubjects<Work> extends never ? [] : [named: NamedSubjects<Work>];

/**
 * Counts this request against every limit of its kind of work (`RATE_LIMITS`). The narrowest limit comes first, and a request that
 * it refuses doesn't count against the others, so nobody can use up an instance's limit from one network.
 *
 * @param named the subjects that can't be derived from the request
 * @throws {ApiError} `too_many_requests` over a limit, for callers of the APIs
 * @throws {OAuthError} `slow_down` over a limit, for everybody else
 */
export async function requireWithinRate<Work extends RatedWork>(
  c: InstanceRequest,
  work: Work,
  ...named: Named<Work>
): Promise<void> {
  const { instanceId } = c.get("instance").policy;
  if (!(await isWithinRate(c, instanceId, work, ...named))) throw overRate(c.get("answerForm"));
}

/** Counts as {@link requireWithinRate} does. @returns whether the request is within every limit */
export async function isWithinRate<Work extends RatedWork>(
  c: Pick<RequestContext, "req" | "env">,
  instanceId: number,
  work: Work,
  ...[named]: Named<Work>
): Promise<boolean> {
  const subjects: Partial<Record<RateSubject, string | undefined>> = {
    instance: "",
    network: callerNetwork(c),
    ...named,
  };
  for (const { subject, limit } of LIMITS_BY_WORK.get(work) ?? []) {
    const counted = subjects[subject];
    if (counted === undefined) continue;
    const { success } = await c.env[bindingOf({ limit })].limit({ key: `${work}:${subject}:${instanceId}:${counted}` });
    if (!success) return false;
  }
  return true;
}

function overRate(answerForm: AnswerForm = "api"): ApiError | OAuthError {
  const options: RefusalOptions = { reason: "rate_limited", retryAfterSeconds: RATE_PERIOD_SECONDS };
  return answerForm === "api" || answerForm === "mcp"
    ? new ApiError("too_many_requests", options)
    : new OAuthError("slow_down", options);
}
