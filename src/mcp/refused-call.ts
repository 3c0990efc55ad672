import { ApiError, type Refusal, RpcError } from "#protocol/errors.ts";
import { isSelfDescribing, type Revision } from "./revision.ts";
import type { RequestId } from "./message.ts";

/** What is known about the message that is being handled, as far as it was read. */
export interface McpCall {
  readonly id: RequestId | undefined;
  /** Absent until headers and body were compared. */
  readonly revision?: Revision;
  /** Whether a tool is running, whose errors are meant for the model. */
  readonly isToolAtWork?: boolean;
  /** Whether the host reads challenges only from a tool's result. */
  readonly readsChallengeFromResult?: boolean;
}

export interface RefusedCall {
  readonly status: Refusal["status"] | 200;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The member that makes ChatGPT ask the person again (developers.openai.com, Apps SDK, Authentication). */
const CHALLENGE_IN_RESULT = "mcp/www_authenticate";

/**
 * Returns a refusal in the form of the protocol. What a model can correct, such as a date that doesn't exist, is a tool's result
 * with `isError`, so that the model reads it and tries again. Everything else is a JSON-RPC error.
 *
 * @param challenge the response's `WWW-Authenticate`, if it has one
 */
export function refusedCall(
  refusal: Refusal,
  call: McpCall | undefined,
  requestId: string,
  challenge: string | undefined,
): RefusedCall {
  if (call?.isToolAtWork && refusal instanceof ApiError && refusal.status < 500) {
    return { status: statusOfToolError(refusal, call), body: toolError(refusal, call, challenge) };
  }
  const error = {
    code: codeOf(refusal),
    message: refusal.description,
    data: { ...(refusal instanceof RpcError ? refusal.data : {}), error: refusal.code, requestId },
  };
  const id = call?.id === undefined ? {} : { id: call.id };
  return { status: statusOf(refusal, call), body: { jsonrpc: "2.0", ...id, error } };
}

/**
 * Returns the HTTP status of a tool's error. A rate limit has its own, with Retry-After. Hosts step up on HTTP 403. One that only
 * reads the body of a 200 would just show an error, so it gets a 200.
 */
function statusOfToolError({ code, status }: ApiError, { readsChallengeFromResult }: McpCall): RefusedCall["status"] {
  if (code === "too_many_requests") return status;
  return code === "insufficient_scope" && !readsChallengeFromResult ? status : 200;
}

function toolError({ code, description }: ApiError, { id, revision }: McpCall, challenge: string | undefined) {
  const meta = code === "insufficient_scope" && challenge ? { _meta: { [CHALLENGE_IN_RESULT]: [challenge] } } : {};
  const result = { content: [{ type: "text", text: description }], isError: true, ...meta };
  const isModern = revision !== undefined && isSelfDescribing(revision);
  return { jsonrpc: "2.0", id, result: isModern ? { resultType: "complete", ...result } : result };
}

/**
 * Returns the HTTP status of an error. Once a request is understood, an error is a response like any other, except that an
 * unknown method is a 404 since 2026-07-28.
 */
function statusOf(refusal: Refusal, call: McpCall | undefined): RefusedCall["status"] {
  if (!(refusal instanceof RpcError) || call?.revision === undefined) return refusal.status;
  return refusal.code === "method_not_found" && isSelfDescribing(call.revision) ? refusal.status : 200;
}

/**
 * Returns the JSON-RPC code of a refusal. The standard has codes for invalid messages and for server errors; other numbers are
 * free (2026-07-28, Error Codes).
 */
function codeOf(refusal: Refusal): number {
  if (refusal instanceof RpcError) return refusal.rpcCode;
  if (refusal.status >= 500) return -32603;
  return [400, 413, 415].includes(refusal.status) ? -32600 : refusal.status;
}
