import type { Passage } from "./passages.ts";

/** Writes the text of an answer, for example with a language model. */
export interface Composer {
  /**
   * Writes an answer from the passages, and cites them by their places: `[1]`, `[2]`.
   *
   * @returns `null` if there is none; the answer then consists of the passages
   */
  compose(question: string, passages: readonly Passage[]): Promise<string | null>;
}

/** The most characters of an answer: a long one. */
const CHARACTERS_MAX = 4000;

/**
 * Checks whether a composer's answer may be shown: it cites passages, and only existing ones.
 *
 * A document's author may have written instructions to the model. If an app renders what the answer links to, an image's URL can
 * reveal what other passages say. So an answer with anything like a link or a tag isn't shown.
 */
export function isCited(answer: string, passages: readonly Passage[]): boolean {
  const cited = Array.from(answer.matchAll(/\[(\d+)\]/g), ([, place]) => Number(place));
  const exists = (place: number) => place >= 1 && place <= passages.length;
  const withoutRows = answer.replace(/\[\d+\](?=\[\d+\])/g, "");
  const isPlain = !/:\/\/|\][(:[]|<|\bwww\./i.test(withoutRows);
  return answer.length <= CHARACTERS_MAX && cited.length > 0 && cited.every(exists) && isPlain;
}
