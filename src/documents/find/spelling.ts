import type { FoundPage } from "#documents/engine.ts";
import { neighboursOf } from "#documents/neighbours.ts";
import { placeOf, quoted } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { Commonest, SlotWords } from "./forms.ts";
import type { Forward } from "./forward.ts";
import type { FindLimits } from "./limits.ts";
import { anyWordOf } from "./phrases.ts";
import type { Ranked } from "./rank.ts";
import { matchingRows } from "./rows.ts";
import { IN_ANY_FORM, wordsOf } from "./tally.ts";

/** Misspelt words of one search that are corrected; the others stay as they were typed. Each brings some 500 words that are looked for. */
const CORRECTED_MAX = 5;

/** Spellings of one word that are looked up in a document before none is taken. */
const CONFIRMED_MAX = 5;

/**
 * For words that no document has which the person may see, the spelling that most of these documents have: a word that only others may
 * read neither corrects one nor keeps it from being corrected.
 *
 * @param ranked what was found without corrections
 * @param commonest by what the person may see
 * @returns by slot
 */
export function correctionsOf(
  store: Store,
  forward: Forward,
  words: readonly SlotWords[],
  ranked: readonly Ranked[],
  admission: Admission,
  commonest: Commonest,
  limits: FindLimits,
): ReadonlyMap<number, string> {
  const corrections = new Map<number, string>();
  for (const { slot, word, beside } of missingIn(words, ranked)) {
    // Where few documents count, all that have the word were ranked.
    if (admission.rows === null && isIn(store, wordsOf(word, IN_ANY_FORM), admission, limits)) continue;
    const best = commonest(beside, CONFIRMED_MAX, true).find((one) =>
      admission.rows === null
        ? isIn(store, [one], admission, limits)
        : isInOne(store, one, forward, admission.rows, limits),
    );
    if (best !== undefined) corrections.set(slot, best);
  }
  return corrections;
}

/** A word that nothing found has, and the words beside it. */
export interface MissingWord {
  readonly slot: number;
  readonly word: SlotWords;
  readonly beside: readonly string[];
}

/** The words that may be misspelt, as far as nothing that was ranked has them. */
export function missingIn(words: readonly SlotWords[], ranked: readonly Ranked[]): readonly MissingWord[] {
  const held = ranked.reduce((bits, one) => bits | one.held, 0);
  return [...words.entries()]
    .filter(([slot, word]) => !word.isRequired && (held & (1 << slot)) === 0)
    .map(([slot, word]) => ({ slot, word, beside: neighboursOf(word.word) }))
    .filter(({ beside }) => beside.length > 0)
    .slice(0, CORRECTED_MAX);
}

/** A page of what corrected words find, which says so. @param words as they were typed */
export function correctedPage(
  page: FoundPage,
  words: readonly SlotWords[],
  corrections: ReadonlyMap<number, string>,
): FoundPage {
  const typed = (slot: number) => words[slot]?.word ?? "";
  return {
    ...page,
    missingWords: [...new Set([...page.missingWords, ...[...corrections.keys()].map(typed)])],
    correctedWords: Array.from(corrections, ([slot, word]) => ({ typed: typed(slot), found: word })),
  };
}

/** Words with their corrections among their forms. */
export function withCorrections(
  words: readonly SlotWords[],
  corrections: ReadonlyMap<number, string>,
): readonly SlotWords[] {
  return words.map((word, slot) => {
    const correction = corrections.get(slot);
    return correction === undefined ? word : { ...word, forms: [...word.forms, correction] };
  });
}

/** Whether one of the newest documents with any of the words counts. */
function isIn(store: Store, words: readonly string[], admission: Admission, limits: FindLimits): boolean {
  const rows = matchingRows(store, "places", anyWordOf(words), { upTo: admission.upTo, max: limits.sample });
  return rows.some((row) => admission.has(row));
}

/**
 * Whether one of the documents has a word itself. Its hash is not enough: somebody would be shown a word that stands nowhere, or only
 * in documents of others.
 */
function isInOne(store: Store, word: string, forward: Forward, rows: readonly number[], limits: FindLimits): boolean {
  const hash = forward.hash(word);
  let found = 0;
  forward.each(rows, limits.weighedBytes, (row, hashes) => {
    if (found === 0 && placeOf(hashes, hash) >= 0) found = row;
  });
  return matchingRows(store, "places", quoted(word), { above: found - 1, upTo: found, max: 1 }).length > 0;
}
