import { Refusal, RpcError } from "#protocol/errors.ts";
import { type MirroredHeaders, revisionOf } from "./revision.ts";
import { idOf, type Json, readMessage } from "./message.ts";
import { type McpCall, refusedCall } from "./refused-call.ts";
import { answerRequest, type ServerIdentity } from "./server.ts";
import type { ToolContext } from "./tool.ts";

/** As many messages as a host sends at once to list tools and look around; each may be a search. */
const MESSAGES_MAX = 10;

/**
 * Handles several messages of 2025-03-26, one after the other.
 *
 * @returns a response for each request, in their order
 * @throws {RpcError} `invalid_request` for a batch that is empty or too long
 * @throws any error that isn't a refusal of the message itself: the whole batch gets no response then
 */
export async function answerBatch(
  messages: readonly unknown[],
  headers: MirroredHeaders,
  identity: ServerIdentity,
  context: ToolContext,
): Promise<Json[]> {
  if (messages.length === 0 || messages.length > MESSAGES_MAX) {
    throw new RpcError("invalid_request", {
      reason: "rpc_batch_too_large",
      description: `A batch has 1 to ${MESSAGES_MAX} messages`,
    });
  }
  const answers: Json[] = [];
  for (const value of messages) {
    const answer = await answerOne(value, headers, identity, context);
    if (answer) answers.push(answer);
  }
  return answers;
}

async function answerOne(
  value: unknown,
  headers: MirroredHeaders,
  identity: ServerIdentity,
  context: ToolContext,
): Promise<Json | undefined> {
  let call: McpCall = { id: idOf(value), readsChallengeFromResult: true };
  try {
    const message = readMessage(value);
    if (message.kind === "response") return undefined;
    const revision = revisionOf(message, headers);
    if (message.kind === "notification") return undefined;
    call = { ...call, revision, isToolAtWork: message.method === "tools/call" };
    return { jsonrpc: "2.0", id: message.id, result: await answerRequest(message, revision, identity, context) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedCall(error, call, context.requestId, undefined).body;
  }
}
