import { kindsIn, LETTER_OR_NUMBER, MARK } from "#documents/characters.ts";
import { compoundsIn } from "#documents/compounds.ts";
import { readable, wordsIn } from "#documents/words.ts";

/** What is sought in a text: single words, and words in a row. */
export interface ExcerptTerms {
  /** For each word, which of the searched words it stands for. */
  readonly words: ReadonlyMap<string, number>;
  readonly phrases: readonly (readonly string[])[];
}

interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Where a text contains something that is sought, and which of the searched words that is. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  readonly slot: number;
}

/** A text as readers see it, and its hits in order. */
export interface TextHits {
  readonly shown: string;
  readonly hits: readonly Hit[];
}

const CUT = "\u200b";
/** Finds everything that is sought in a text. @param text as indexed, cut in scripts without spaces */
export function hitsIn(text: string, { words, phrases }: ExcerptTerms): TextHits {
  const hasCuts = text.includes(CUT);
  const shown = hasCuts ? readable(text) : text;
  const kinds = kindsIn(text);
  const hits: Hit[] = [];
  for (const { word, start, end } of hasCuts ? compoundsIn(shown) : compoundsIn(text, kinds)) {
    const slot = words.get(word);
    if (slot !== undefined) hits.push({ start, end, slot });
  }
  const tokens = tokensOf(text, kinds);
  for (const [at, { word, start, end }] of tokens.entries()) {
    const slot = words.get(word);
    if (slot !== undefined) hits.push({ start, end, slot });
    for (const [place, phrase] of phrases.entries()) {
      if (phrase[0] !== word || !phrase.every((one, offset) => tokens[at + offset]?.word === one)) continue;
      hits.push({ start, end: tokens[at + phrase.length - 1]?.end ?? end, slot: words.size + place });
    }
  }
  return { shown, hits: hits.sort((one, other) => one.start - other.start) };
}

const CUT_UNIT = CUT.charCodeAt(0);

/** Returns the words of a text. */
function tokensOf(text: string, kinds: Uint8Array): Token[] {
  const isInWord = (at: number) => ((kinds[at] ?? 0) & (LETTER_OR_NUMBER | MARK)) !== 0;
  const tokens: Token[] = [];
  let cuts = 0;
  for (let at = 0; at < text.length; at++) {
    const from = at;
    while (isInWord(at)) at++;
    if (at > from) {
      for (const word of wordsIn(text.slice(from, at))) tokens.push({ word, start: from - cuts, end: at - cuts });
    }
    if (text.charCodeAt(at) === CUT_UNIT) cuts++;
  }
  return tokens;
}

/** Returns the stretch with the most different words, then with the most words, then the first. */
export function bestOf(hits: readonly Hit[], characters: number): { readonly start: number; readonly end: number } {
  const counts = new Map<number, number>();
  let best = { start: 0, end: 0, different: 0, total: 0 };
  let first = 0;
  for (const [at, hit] of hits.entries()) {
    counts.set(hit.slot, (counts.get(hit.slot) ?? 0) + 1);
    for (; hit.end - (hits[first]?.start ?? 0) > characters * 0.8 && first < at; first++) {
      const slot = hits[first]?.slot ?? -1;
      const left = (counts.get(slot) ?? 1) - 1;
      if (left === 0) counts.delete(slot);
      else counts.set(slot, left);
    }
    const total = at - first + 1;
    if (counts.size > best.different || (counts.size === best.different && total > best.total)) {
      best = { start: hits[first]?.start ?? 0, end: hit.end, different: counts.size, total };
    }
  }
  return best;
}
