import { unicodePattern } from "#protocol/unicode-pattern.ts";
import * as v from "valibot";

/** The most characters of a passage that says where a part is. */
const AROUND_CHARACTERS_MAX = 2000;

const characters = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Which part of a document's text is wanted: from an offset on, or around a passage. */
export const partEntries = {
  offset: v.optional(v.pipe(characters, v.description("Where the part begins, in characters; 0 by default"))),
  length: v.optional(v.pipe(characters, v.minValue(1), v.description("How many characters it has at most"))),
  around: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(AROUND_CHARACTERS_MAX),
      v.description("A passage of the text, such as one that a search has found: the part is around it"),
    ),
  ),
};

type WantedPart = v.InferOutput<v.ObjectSchema<typeof partEntries, undefined>>;

/** A part of a document's text. Positions are in UTF-16 units. */
export interface ContentPart {
  readonly text: string;
  readonly offset: number;
  /** The length of the whole text. */
  readonly total: number;
}

/** Returns the part of a text that is wanted. A passage that the text doesn't contain counts as not given. */
export function partOf(text: string, { offset = 0, length = text.length, around }: WantedPart): ContentPart {
  const place = around === undefined ? -1 : placeOf(text, around);
  const from = wholeCharacter(text, place < 0 ? offset : Math.max(0, place - Math.floor(length / 4)));
  const until = wholeCharacter(text, from + length);
  // At least one whole character.
  return { text: text.slice(from, until > from ? until : from + 2), offset: from, total: text.length };
}

const WORD = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu");

/** Words in a row by which a passage is found, whatever is between them. */
const ROW = 6;

/** How many rows of words are looked for, because an excerpt may lack signs that the text has, and words at its ends. */
const ROWS_MAX = 5;

/** How much of a passage is looked for. In a text of one repeated letter, looking for more takes seconds. */
const LOOKED_FOR = 200;

function placeOf(text: string, whole: string): number {
  const passage = whole.slice(0, LOOKED_FOR);
  const exact = text.indexOf(passage);
  if (exact >= 0 || passage === "") return exact;
  const words = passage.match(WORD()) ?? [];
  for (let at = 0; at < words.length && at < ROW * ROWS_MAX; at += ROW) {
    const row = new RegExp(words.slice(at, at + ROW).join(String.raw`[^\p{L}\p{N}\p{M}]{1,20}`), "u");
    const found = text.search(row);
    if (found >= 0) return found;
  }
  return -1;
}

/** Moves a position that is between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const place = Math.min(at, text.length);
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00 && place > 0 ? place - 1 : place;
}
