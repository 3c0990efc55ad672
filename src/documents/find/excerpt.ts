import { compoundsIn } from "#documents/compounds.ts";
import type { Excerpt } from "#documents/engine.ts";
import { readable, wordsIn } from "#documents/words.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** What is sought in a text: single words, and words in a row. */
export interface ExcerptTerms {
  /** A word → which of the asked it stands for. */
  readonly words: ReadonlyMap<string, number>;
  readonly phrases: readonly (readonly string[])[];
}

interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

interface Hit {
  readonly start: number;
  readonly end: number;
  readonly slot: number;
}

const WORD = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu");
const CUT = "\u200b";
const ELLIPSIS = "…";

/**
 * The passage of a text that holds the most of what is sought; the beginning, where it holds nothing.
 *
 * @param whole as the index has it, cut where scripts have no spaces
 * @param characters about how long the passage is
 */
export function excerptOf(whole: string, sought: ExcerptTerms, characters: number): Excerpt {
  const text = bestStretch(whole, sought, characters);
  const { shown, hits } = hitsIn(text, sought);
  const from = bestStart(hits, characters);
  const start = from === 0 ? 0 : wordStart(shown, Math.max(0, from - Math.floor(characters / 8)));
  const end = start + characters >= shown.length ? shown.length : wordEnd(shown, start + characters);
  const lead = start > 0 ? ELLIPSIS : "";
  const ranges: [number, number][] = [];
  for (const hit of hits) {
    if (hit.start < start || hit.end > end) continue;
    const at = [hit.start - start + lead.length, hit.end - start + lead.length] as [number, number];
    const last = ranges.at(-1);
    // Words of one phrase, and characters of one word, are one range.
    if (last && last[1] >= at[0]) last[1] = Math.max(last[1], at[1]);
    else ranges.push(at);
  }
  return { text: lead + shown.slice(start, end) + (end < shown.length ? ELLIPSIS : ""), ranges };
}

/** Splitting a longer text into words takes too long for a page of results: of such a text so much is split. */
const WHOLE_CHARACTERS = 8000;
const STRETCH_CHARACTERS = 4000;

/** The part of a long text with the best passage, judged by words that appear exactly as searched for. */
function bestStretch(text: string, { words, phrases }: ExcerptTerms, characters: number): string {
  if (text.length <= WHOLE_CHARACTERS) return text;
  const slots = new Map(words);
  for (const [place, phrase] of phrases.entries()) for (const word of phrase) slots.set(word, words.size + place);
  const lower = text.toLowerCase();
  const spellings = [...slots].filter(([word]) => word.length <= SPELLING_CHARACTERS_MAX).slice(0, SPELLINGS_MAX);
  const found = spellings.map(([word, slot]) => ({ word, slot, hits: hitsOf(lower, word, slot, 0, lower.length) }));
  const inOrder = (hits: Hit[]) => hits.sort((one, other) => one.start - other.start);
  const isRare = ({ hits: { length } }: (typeof found)[number]) => length < HITS_OF_A_SPELLING;
  const rare = inOrder(found.filter(isRare).flatMap((one) => one.hits)).slice(0, HITS_OF_A_SPELLING);
  // What stands everywhere is looked for around the others too.
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
  if (hits.length === 0) return text.slice(0, WHOLE_CHARACTERS);
  const from = Math.max(0, bestStart(hits, characters) - STRETCH_CHARACTERS / 4);
  return text.slice(from === 0 ? 0 : wordStart(text, from), from + STRETCH_CHARACTERS);
}

/** Spellings that are looked for in a long text, of a search's words in all of their forms, and how often each. */
const SPELLINGS_MAX = 40;
const HITS_OF_A_SPELLING = 200;
/** The same with those that are parts of other words. */
const MET_OF_A_SPELLING = 1000;

/** A beginning may be completed by a planted word that is as long as a text. */
const SPELLING_CHARACTERS_MAX = 100;

const LETTER = unicodePattern(String.raw`[\p{L}\p{N}]`, "u");

/** The first times that a word stands in a part of a text. */
function hitsOf(text: string, word: string, slot: number, from: number, until: number): Hit[] {
  const part = text.slice(from, until);
  const hits: Hit[] = [];
  let at = part.indexOf(word);
  for (let met = 0; at >= 0 && met < MET_OF_A_SPELLING && hits.length < HITS_OF_A_SPELLING; met++) {
    const start = from + at;
    const end = start + word.length;
    if (!LETTER().test(text[start - 1] ?? " ") && !LETTER().test(text[end] ?? " ")) hits.push({ start, end, slot });
    at = part.indexOf(word, at + word.length);
  }
  return hits;
}

/** A spelling that folds to nothing but its lower case. */
const PLAIN_WORD = /^[A-Za-z0-9]+$/;

function hitsIn(text: string, { words, phrases }: ExcerptTerms): { shown: string; hits: Hit[] } {
  const folded = new Map<string, readonly string[]>();
  const foldedOf = (spelling: string) => {
    const known = folded.get(spelling) ?? wordsIn(spelling);
    folded.set(spelling, known);
    return known;
  };
  const tokens: Token[] = [];
  let cuts = 0;
  let read = 0;
  const hasCuts = text.includes(CUT);
  for (const match of text.matchAll(WORD())) {
    const [spelling] = match;
    if (hasCuts) for (; read < match.index; read++) if (text[read] === CUT) cuts++;
    const start = match.index - cuts;
    const end = start + spelling.length;
    if (PLAIN_WORD.test(spelling)) tokens.push({ word: spelling.toLowerCase(), start, end });
    else for (const word of foldedOf(spelling)) tokens.push({ word, start, end });
  }
  const hits: Hit[] = [];
  const shown = hasCuts ? readable(text) : text;
  for (const { word, start, end } of compoundsIn(shown)) {
    const slot = words.get(word);
    if (slot !== undefined) hits.push({ start, end, slot });
  }
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

/** Where a stretch begins that holds the most different words, then the most words, then comes first. */
function bestStart(hits: readonly Hit[], characters: number): number {
  const counts = new Map<number, number>();
  let best = { start: 0, different: 0, total: 0 };
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
      best = { start: hits[first]?.start ?? 0, different: counts.size, total };
    }
  }
  return best.start;
}

/** Not within a word, unless that is very long. */
const STEP_MAX = 30;

function wordStart(text: string, at: number): number {
  for (let back = at; back > Math.max(0, at - STEP_MAX); back--) if (/\s/.test(text[back - 1] ?? "")) return back;
  return isInPair(text, at) ? at - 1 : at;
}

function wordEnd(text: string, at: number): number {
  for (let end = at; end < Math.min(text.length, at + STEP_MAX); end++) if (/\s/.test(text[end] ?? "")) return end;
  return isInPair(text, at) ? at + 1 : at;
}

/** Whether a place parts the two halves of a character. */
function isInPair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");
}
