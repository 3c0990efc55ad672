import { ApiError } from "#protocol/errors.ts";
import { describeIssue } from "#platform/members.ts";
import * as v from "valibot";

/** A long page of text. */
const QUESTION_CHARACTERS_MAX = 10_000;

const text = v.pipe(v.string(), v.maxLength(QUESTION_CHARACTERS_MAX));

/** A chat request (wire contract, POST /chat). Other members are ignored. */
export const requestSchema = v.object({
  /** Newest first. */
  messages: v.pipe(
    v.array(
      v.object({
        /** Anything but `USER` is a message of a service, whatever it calls itself. */
        author: v.optional(v.string(), "USER"),
        messageType: v.optional(v.string()),
        fragments: v.optional(v.array(v.object({ text: v.optional(text) })), []),
      }),
    ),
    v.minLength(1),
    v.maxLength(100),
  ),
  stream: v.optional(v.boolean(), false),
  chatId: v.optional(v.pipe(v.string(), v.maxLength(200))),
  timeoutMillis: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

/** The question in a request. */
export interface Question {
  readonly text: string;
  readonly isStreamed: boolean;
  readonly chatId: string | undefined;
}

/**
 * Reads the question: the person's newest message.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong
 */
export function parseQuestion(body: Readonly<Record<string, unknown>>): Question {
  const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
  if (!parsed.success) {
    throw malformed(describeIssue(parsed.issues[0], "body"));
  }
  const { messages, stream, chatId } = parsed.output;
  const newest = messages.find(({ author }) => author === "USER");
  const asked = (newest?.fragments ?? []).map((fragment) => fragment.text ?? "").join(" ");
  if (asked.trim() === "") {
    throw malformed("messages is not acceptable: at least one has the author USER, and a fragment with its text");
  }
  if (asked.length > QUESTION_CHARACTERS_MAX) {
    throw malformed(
      `messages is not acceptable: the newest question has at most ${QUESTION_CHARACTERS_MAX} characters`,
    );
  }
  return { text: asked, isStreamed: stream, chatId };
}

function malformed(description: string): ApiError {
  return new ApiError("bad_request", { reason: "chat_request_malformed", description });
}
