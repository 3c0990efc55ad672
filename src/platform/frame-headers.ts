import type { AnswerFrame } from "./route-env.ts";

const REQUEST_ID = "X-Request-Id";
const DPOP_NONCE = "DPoP-Nonce";

const ALWAYS = { "X-Content-Type-Options": "nosniff" };
const SECURE = { ...ALWAYS, "Strict-Transport-Security": "max-age=31536000" };

/** Sets the headers of every answer. */
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
 * What an answer in JSON that no cache keeps is made like: the next answer has the same object with another id. A `Response` that is made
 * like another copies its headers, where it would look up every member of an object literal (docs/performance-experiments.md).
 */
export function jsonLikenessOf({ requestId, isSecure, dpopNonce }: AnswerFrame): Response {
  (isSecure ? secureJsonHeaders : jsonHeaders).set(REQUEST_ID, requestId);
  const shared = isSecure ? secureJson : json;
  if (dpopNonce === undefined) return shared;
  const own = new Response(null, shared);
  own.headers.set(DPOP_NONCE, dpopNonce);
  return own;
}
