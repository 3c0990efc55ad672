import { type AppContext, http, waitUntil } from "#platform/http.ts";
import { ApiError, type ApiErrorCode } from "#protocol/errors.ts";
import { instanceOfHost, isLoopbackHost } from "./instance-host.ts";

/**
 * Finds the instance behind the request's host, and refuses plain http beyond the machine itself (RFC 9700 §2.6): what was
 * sent there in the clear is already read by somebody else.
 */
export const instanceMiddleware = http.createMiddleware(async (c, next) => {
  const url = new URL(c.req.url);
  const localDevelopment = c.env.LOCAL_DEVELOPMENT === "true";
  const name = instanceOfHost(url.hostname, { pattern: c.env.INSTANCE_HOST, localDevelopment });
  if (name === undefined) throw notHere(c, "unknown_host", "host_names_no_instance");
  if (url.protocol !== "https:" && !(localDevelopment && isLoopbackHost(url.hostname))) {
    throw notHere(c, "https_required", "plain_http");
  }
  const policy = await c.var.services.policySnapshots.of(name, waitUntil(c));
  if (!policy) throw notHere(c, "unknown_host", "instance_unknown");
  c.set("instance", { issuer: url.origin, policy });
  await next();
});

/** Where no instance is, there is no organisation's page to show either: the answer is JSON, whatever the path. */
function notHere(c: AppContext, code: ApiErrorCode, reason: string): ApiError {
  c.set("answerForm", "api");
  return new ApiError(code, { reason });
}
