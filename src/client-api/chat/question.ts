import { ApiError } from "#protocol/errors.ts";
import { wordsIn } from "#documents/words.ts";
import * as v from "valibot";

/** A long page of text. */
const QUESTION_CHARACTERS_MAX = 10_000;

const text = v.pipe(v.string(), v.maxLength(QUESTION_CHARACTERS_MAX));

/** A chat request (wire contract, POST /chat). Members that it does not name are ignored. */
export const requestSchema = v.object({
  /** The newest first. */
  messages: v.pipe(
    v.array(
      v.object({
        author: v.optional(v.picklist(["USER", "GLEAN_AI"]), "USER"),
        messageType: v.optional(v.string()),
        fragments: v.optional(v.array(v.object({ text: v.optional(text) })), []),
      }),
    ),
    v.minLength(1),
    v.maxLength(100),
  ),
  stream: v.optional(v.boolean(), false),
  chatId: v.optional(v.pipe(v.string(), v.maxLength(200))),
  timeoutMillis: v.optional(v.number()),
});

/** What is asked. */
export interface Question {
  /** The words that tell one subject from another, at most {@link KEYWORDS_MAX}. */
  readonly keywords: readonly string[];
  readonly isStreamed: boolean;
  readonly chatId: string | undefined;
}

/** Each is a look into the index where no document has them all. */
const KEYWORDS_MAX = 6;

/** No word of any language is so long, and so many of these with their quotes are a query that search takes. */
const KEYWORD_LENGTH_MAX = 200;

/** Words of asking, and of every sentence: they say nothing of what is asked about. */
const COMMON = new Set(
  (
    "a about after all also am an and any are as at be been before but by can could did do does for from get give had has have how i if in " +
    "into is it its just know let like made make many may me more most my need no not of on one only or our out over please put should show " +
    "since so some such tell than that the their them then there these they this those to under up us use used using was we were what when " +
    "where which while who whom whose why will with without would you your"
  ).split(" "),
);

/**
 * Reads the question: the newest message of the person.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong
 */
export function parseQuestion(body: Readonly<Record<string, unknown>>): Question {
  const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
  if (!parsed.success) {
    throw malformed(`${v.getDotPath(parsed.issues[0]) ?? "body"} is not acceptable: ${parsed.issues[0].message}`);
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
  return { keywords: keywordsOf(asked), isStreamed: stream, chatId };
}

/** The longest are the rarest, as a rule; where a question has common words alone, these are all there is. */
function keywordsOf(asked: string): string[] {
  const words = [...new Set(wordsIn(asked))].filter((word) => word.length <= KEYWORD_LENGTH_MAX);
  const telling = words.filter((word) => !COMMON.has(word));
  const longest = (telling.length > 0 ? telling : words).toSorted((one, other) => other.length - one.length);
  const kept = new Set(longest.slice(0, KEYWORDS_MAX));
  return words.filter((word) => kept.has(word));
}

function malformed(description: string): ApiError {
  return new ApiError("bad_request", { reason: "chat_request_malformed", description });
}
