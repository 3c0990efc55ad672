import { StorageUnavailable } from "#platform/d1.ts";
import { waitUntil } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import { ApiError, type ApiErrorCode } from "#protocol/errors.ts";
import type { Context } from "hono";
import { createMiddleware } from "#platform/handlers.ts";
import type { InstanceHosts } from "./instance-host.ts";
import type { PolicySnapshot, PolicySnapshots } from "./policy-snapshot.ts";
import type { RequestInstance } from "./request-instance.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The environment of handlers after {@link instanceMiddleware}. */
export type InstanceEnv<Services extends object = object, Variables extends object = object> = RouteEnv<
  Services,
  { instance: RequestInstance } & Variables
>;

type Finding = InstanceEnv<{ readonly instanceHosts: InstanceHosts; readonly policySnapshots: PolicySnapshots }>;

/**
 * Finds the instance of the request's host and its policy, without waiting if an earlier request has loaded them recently. Otherwise,
 * what the request will also need is read at the same time.
 */
export const instanceMiddleware = createMiddleware<Finding>((c, next) => {
  const { instanceHosts, policySnapshots } = c.get("services");
  const origin = c.get("frame").origin;
  const found = instanceHosts.find(origin);
  if (found === "names_no_instance") throw notHere(c, "unknown_host", "host_names_no_instance");
  if (found === "plain_http") throw notHere(c, "https_required", "plain_http");
  const { name, issuer } = found;
  const goOn = (policy: PolicySnapshot | null) => {
    if (!policy) throw notHere(c, "unknown_host", "instance_unknown");
    if (policy.schemaFault !== null) throw new StorageUnavailable(policy.schemaFault);
    instanceHosts.remember(origin, found);
    c.set("instance", { issuer, policy });
    return next();
  };
  const recent = policySnapshots.recent(name, waitUntil(c));
  if (recent !== undefined) return goOn(recent);
  return Promise.all([policySnapshots.current(name, waitUntil(c)), c.get("readAhead")?.()]).then(([policy]) =>
    goOn(policy),
  );
});

/** Returns the refusal for a host without an instance. It is JSON at all paths, because no path is a page there. */
function notHere(c: Context<Finding>, code: ApiErrorCode, reason: RefusalReason): ApiError {
  c.set("answerForm", "api");
  return new ApiError(code, { reason });
}
