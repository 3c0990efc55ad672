import type { AnswerPart, Chat } from "./chat.ts";
import { backendTimeMillis } from "#client-api/backend-time.ts";
import type { AuthorIds } from "#client-api/document-answer.ts";
import type { ClientApiEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { randomId } from "#crypto/secrets.ts";
import { answerJson, readJsonObject } from "#platform/http.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import { toChatAnswer } from "./chat-answer.ts";
import { parseQuestion } from "./question.ts";

const http =
  createFactory<
    ClientApiEnv<{ readonly chat: Chat; readonly authorIds: AuthorIds; readonly serviceWords: ServiceWords }>
  >();

/** Enough for a long conversation, of which only the newest question is read. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * POST /rest/api/v1/chat: answers as the signed-in user. A streamed response is `text/plain` with one object per line.
 */
export const chatEndpoint = http.createHandlers(async (c) => {
  const startedAt = Date.now();
  const { chat, authorIds, serviceWords } = c.var.services;
  const question = parseQuestion(await readJsonObject(c, BODY_BYTES_MAX));
  const { policy } = c.var.instance;
  const parts = await chat.answer(policy, c.var.caller, question.text);
  const ids = { chatId: question.chatId ?? randomId(), messageId: randomId() };
  const authorIdOf = authorIds.of(policy.instanceId);
  const took = backendTimeMillis(startedAt, Date.now());
  const toAnswer = (some: readonly AnswerPart[]) => toChatAnswer(serviceWords.chatAuthor, some, authorIdOf, ids, took);
  if (!question.isStreamed) return answerJson(c, await toAnswer(parts));
  const answers = await Promise.all(parts.map((part) => toAnswer([part])));
  const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`);
  return c.body(lines.join(""), 200, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
});
