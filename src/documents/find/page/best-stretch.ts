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
  const found = spellings.map(([word, slot]) => hitsOf(lower, word, slot));
  // A word that is everywhere doesn't say where to look.
  const rare = found.filter((one) => one.length > 0 && one.length < HITS_OF_A_SPELLING);
  const hits = (rare.length > 0 ? rare : found).flat().sort((one, other) => one.start - other.start);
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

/** Returns the first occurrences of a word in a text. */
function hitsOf(text: string, word: string, slot: number): Hit[] {
  const hits: Hit[] = [];
  let start = text.indexOf(word);
  for (let met = 0; start >= 0 && met < MET_OF_A_SPELLING && hits.length < HITS_OF_A_SPELLING; met++) {
    const end = start + word.length;
    if (!isWordAt(text, start - 1) && !isWordAt(text, end)) hits.push({ start, end, slot });
    start = text.indexOf(word, end);
  }
  return hits;
}

function isWordAt(text: string, at: number): boolean {
  return (kindOfUnit(text.charCodeAt(at)) & LETTER_OR_NUMBER) !== 0;
}
