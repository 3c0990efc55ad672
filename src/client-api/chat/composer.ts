import type { Passage } from "./passages.ts";

/** Words an answer: the place of a language model. */
export interface Composer {
  /**
   * An answer made of the passages, which it cites by their places among them: `[1]`, `[2]`.
   *
   * @returns `null` where there is none; the passages are the answer then
   */
  compose(question: string, passages: readonly Passage[]): Promise<string | null>;
}

/** A long answer. */
const CHARACTERS_MAX = 4000;

/**
 * Whether an answer of a composer may be shown: it cites passages, and only those that there are.
 *
 * A document's author may have written instructions to the model. Where an app renders what the answer links to, an image's URL
 * carries off what other passages say; so an answer with anything like a link or a tag is none.
 */
export function isCited(answer: string, passages: readonly Passage[]): boolean {
  const cited = Array.from(answer.matchAll(/\[(\d+)\]/g), ([, place]) => Number(place));
  const exists = (place: number) => place >= 1 && place <= passages.length;
  const withoutRows = answer.replace(/\[\d+\](?=\[\d+\])/g, "");
  const isPlain = !/:\/\/|\][(:[]|<|\bwww\./i.test(withoutRows);
  return answer.length <= CHARACTERS_MAX && cited.length > 0 && cited.every(exists) && isPlain;
}
