import { kindOfUnit, LETTER_OR_NUMBER } from "#documents/characters.ts";
import { wordStart } from "./boundaries.ts";
import { bestOf, type ExcerptTerms, type Hit } from "./hits.ts";

/**
 * Returns the part of a long text with the best passage, judged by words that appear as searched for, with or without accents.
 *
 * @param whole of how many characters a text is long; of a longer one, the part is half as long
 */
export function bestStretch(text: string, { words, phrases }: ExcerptTerms, characters: number, whole: number): string {
  if (text.length <= whole) return text;
  const slots = new Map(words);
  for (const [place, phrase] of phrases.entries()) for (const word of phrase) slots.set(word, words.size + place);
  const lower = plainLetters(text);
  const spellings = [...slots].filter(([word]) => word.length <= SPELLING_CHARACTERS_MAX).slice(0, SPELLINGS_MAX);
  const found = spellings.map(([word, slot]) => ({ word, slot, hits: hitsOf(lower, word, slot, 0, lower.length) }));
  const inOrder = (hits: Hit[]) => hits.sort((one, other) => one.start - other.start);
  const isRare = ({ hits: { length } }: (typeof found)[number]) => length < HITS_OF_A_SPELLING;
  const rare = inOrder(found.filter(isRare).flatMap((one) => one.hits)).slice(0, HITS_OF_A_SPELLING);
  // Frequent words are also looked for near the rare ones.
  const near = found
    .filter((one) => !isRare(one))
    .flatMap(({ word, slot, hits: first }) => {
      let read = first.at(-1)?.end ?? 0;
      return rare.flatMap(({ start, end }) => {
        const from = Math.max(read, start - characters);
        read = Math.max(read, end + characters);
        return hitsOf(lower, word, slot, from, read);
      });
    });
  const hits = inOrder([...found.flatMap((one) => one.hits), ...near]);
  if (hits.length === 0) return text.slice(0, whole);
  const from = Math.max(0, bestOf(hits, characters).start - whole / 8);
  return text.slice(from === 0 ? 0 : wordStart(text, from), from + whole / 2);
}

/** The most spellings of a search's words that are looked for in a long text, and the most hits of each. */
const SPELLINGS_MAX = 40;
const HITS_OF_A_SPELLING = 200;
/** The same, including occurrences inside other words. */
const MET_OF_A_SPELLING = 1000;

/** Longer words are skipped: a planted word that completes a beginning may be as long as a text. */
const SPELLING_CHARACTERS_MAX = 100;

/** Returns a text in lower case and without accents on Latin letters. */
function plainLetters(text: string): string {
  return text.toLowerCase().replace(/[à-ſ]/g, (letter) => letter.normalize("NFD").charAt(0));
}

/** Returns the first occurrences of a word in part of a text. */
function hitsOf(text: string, word: string, slot: number, from: number, until: number): Hit[] {
  const part = text.slice(from, until);
  const hits: Hit[] = [];
  let at = part.indexOf(word);
  for (let met = 0; at >= 0 && met < MET_OF_A_SPELLING && hits.length < HITS_OF_A_SPELLING; met++) {
    const start = from + at;
    const end = start + word.length;
    if (!isWordAt(text, start - 1) && !isWordAt(text, end)) hits.push({ start, end, slot });
    at = part.indexOf(word, at + word.length);
  }
  return hits;
}

function isWordAt(text: string, at: number): boolean {
  return (kindOfUnit(text.charCodeAt(at)) & LETTER_OR_NUMBER) !== 0;
}
