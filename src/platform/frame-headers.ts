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
const jsonHeaders = new Headers({ ...ALWAYS, ...JSON_HEADERS });
const secureJsonHeaders = new Headers({ ...SECURE, ...JSON_HEADERS });

/**
 * The headers of an answer in JSON that no cache keeps, for a `Response` that is made at once: the next answer has the same object with
 * another id. A `Response` copies them, which costs a third of reading them from an object literal (docs/performance-experiments.md).
 */
export function jsonHeadersOf({ requestId, isSecure, dpopNonce }: AnswerFrame): Headers {
  const shared = isSecure ? secureJsonHeaders : jsonHeaders;
  shared.set(REQUEST_ID, requestId);
  if (dpopNonce === undefined) return shared;
  const headers = new Headers(shared);
  headers.set(DPOP_NONCE, dpopNonce);
  return headers;
}
