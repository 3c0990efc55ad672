import type { AnswerFrame } from "./route-env.ts";

const REQUEST_ID = "X-Request-Id";
const DPOP_NONCE = "DPoP-Nonce";

const ALWAYS = { "X-Content-Type-Options": "nosniff" };
const SECURE = { ...ALWAYS, "Strict-Transport-Security": "max-age=31536000" };

/** Sets the headers of every response. */
export function setFrameHeaders(headers: Headers, { requestId, isSecure, dpopNonce }: AnswerFrame): void {
  headers.set(REQUEST_ID, requestId);
  for (const [name, value] of Object.entries(isSecure ? SECURE : ALWAYS)) headers.set(name, value);
  if (dpopNonce !== undefined) headers.set(DPOP_NONCE, dpopNonce);
}

const JSON_HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" };
const json = new Response(null, { headers: { ...ALWAYS, ...JSON_HEADERS } });
const secureJson = new Response(null, { headers: { ...SECURE, ...JSON_HEADERS } });
const jsonHeaders = json.headers;
const secureJsonHeaders = secureJson.headers;

/**
 * Returns a `Response` to pass as the `init` of a JSON response that must not be cached. The object is shared: the next call sets
 * another request id in it. A `Response` that is created from another one copies its headers, but for an object literal the
 * platform looks up every member (docs/decisions/0045-a-fast-request-path.md).
 */
export function jsonLikenessOf({ requestId, isSecure, dpopNonce }: AnswerFrame): Response {
  (isSecure ? secureJsonHeaders : jsonHeaders).set(REQUEST_ID, requestId);
  const shared = isSecure ? secureJson : json;
  if (dpopNonce === undefined) return shared;
  const own = new Response(null, shared);
  own.headers.set(DPOP_NONCE, dpopNonce);
  return own;
}
