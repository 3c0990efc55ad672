import { ApiError, type Refusal, RpcError } from "#protocol/errors.ts";
import type { RequestId } from "./message.ts";
import { isSelfDescribing, type Revision } from "./revision.ts";

/** What is known of the message that is being answered, as far as it was read. */
export interface McpCall {
  readonly id: RequestId | undefined;
  /** Absent until headers and body were held against each other. */
  readonly revision?: Revision;
  /** Whether a tool is at work, whose errors are for the model to read. */
  readonly isToolAtWork?: boolean;
  /** Whether the host reads challenges from a tool's result, and from there alone. */
  readonly readsChallengeFromResult?: boolean;
}

export interface RefusedCall {
  readonly status: Refusal["status"] | 200;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How ChatGPT is told to ask the person again (developers.openai.com, Apps SDK, Authentication). */
const CHALLENGE_IN_RESULT = "mcp/www_authenticate";

/**
 * A refusal in the form of the protocol. What a model can mend, such as a date that no calendar has, is a tool's result with
 * `isError`, so that it reads it and tries again; all else is an error of JSON-RPC.
 *
 * @param challenge the answer's `WWW-Authenticate`, where it has one
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

/** A rate limit is an HTTP status, with Retry-After. Hosts step up on HTTP 403; a host that only reads the body of a 200 would just show an error. */
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

/** Once a request is understood its error is an answer like any other, but that a method is missing is HTTP's 404 since 2026-07-28. */
function statusOf(refusal: Refusal, call: McpCall | undefined): RefusedCall["status"] {
  if (!(refusal instanceof RpcError) || call?.revision === undefined) return refusal.status;
  return refusal.code === "method_not_found" && isSelfDescribing(call.revision) ? refusal.status : 200;
}

/** JSON-RPC has codes for what is wrong with a message and with a server; for the rest it leaves numbers free (2026-07-28, Error Codes). */
function codeOf(refusal: Refusal): number {
  if (refusal instanceof RpcError) return refusal.rpcCode;
  if (refusal.status >= 500) return -32603;
  return [400, 413, 415].includes(refusal.status) ? -32600 : refusal.status;
}
