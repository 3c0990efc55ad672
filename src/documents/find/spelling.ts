import { neighboursOf } from "#documents/neighbours.ts";
import { hashOf, quoted } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { Cells } from "./cells.ts";
import type { SlotWords } from "./forms.ts";
import { eachForward } from "./forward.ts";
import type { FindLimits } from "./limits.ts";
import { anyWordOf } from "./phrases.ts";
import type { Ranked } from "./rank.ts";
import { matchingRows, textsOf } from "./rows.ts";

/** Words beside a misspelt one that the index is asked about. */
const ASKED_MAX = 30;

/**
 * For words that no document has which the person may see, the spelling that most of these documents have: a word that only others may
 * read neither corrects one nor keeps it from being corrected.
 *
 * @param ranked what was found without corrections
 * @returns by slot
 */
export function correctionsOf(
  store: Store,
  cells: Cells,
  words: readonly SlotWords[],
  ranked: readonly Ranked[],
  admission: Admission,
  limits: FindLimits,
): ReadonlyMap<number, string> {
  const held = ranked.reduce((bits, one) => bits | one.held, 0);
  const corrections = new Map<number, string>();
  for (const [slot, word] of words.entries()) {
    if (word.isRequired || (held & (1 << slot)) !== 0) continue;
    const beside = neighboursOf(word.word);
    if (beside.length === 0 || isSomewhere(store, word, admission, limits)) continue;
    const asked = admission.rows === null ? knownAmong(store, beside).slice(0, ASKED_MAX) : beside;
    const holders = holdersOf(store, cells, asked, admission, limits);
    const [best] = knownAmong(store, [...holders.keys()]).sort(
      (one, other) =>
        (holders.get(other) ?? 0) - (holders.get(one) ?? 0) || beside.indexOf(one) - beside.indexOf(other),
    );
    if (best !== undefined) corrections.set(slot, best);
  }
  return corrections;
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

/** Whether a document that counts and was not ranked has the word in any form. Where few count, all that have it are ranked. */
function isSomewhere(store: Store, word: SlotWords, admission: Admission, limits: FindLimits): boolean {
  if (admission.rows !== null) return false;
  const expression = anyWordOf([word.word, ...word.completions, ...word.forms]);
  const rows = matchingRows(store, "places", expression, { upTo: admission.upTo, max: limits.sample });
  return rows.some((row) => admission.has(row));
}

/** Those of the words that any document has. */
function knownAmong(store: Store, words: readonly string[]): string[] {
  return textsOf(
    store,
    "SELECT json_group_array(v.word) AS rows FROM json_each(?1) s CROSS JOIN vocabulary v ON v.word = s.value",
    JSON.stringify(words),
  );
}

/**
 * By word, how many documents have it, of those that count; words that none has are left out. Where few documents count, only their own
 * entries are read, so that nothing in hidden documents moves the answer. Where many count: of the newest that have it.
 */
function holdersOf(
  store: Store,
  cells: Cells,
  words: readonly string[],
  admission: Admission,
  limits: FindLimits,
): ReadonlyMap<string, number> {
  const holders = new Map<string, number>();
  if (admission.rows === null) {
    const window = { upTo: admission.upTo, max: limits.sample };
    for (const word of words) {
      const holding = matchingRows(store, "places", quoted(word), window).filter((row) => admission.has(row)).length;
      if (holding > 0) holders.set(word, holding);
    }
    return holders;
  }
  const byHash = new Map(words.map((word) => [hashOf(word), word]));
  eachForward(store, cells, admission.rows, limits.weighedBytes, (_, hashes) => {
    for (const hash of hashes) {
      const word = byHash.get(hash);
      if (word !== undefined) holders.set(word, (holders.get(word) ?? 0) + 1);
    }
  });
  return holders;
}
