import { neighboursOf } from "#documents/neighbours.ts";
import { quoted } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { Cells } from "./cells.ts";
import type { SlotWords } from "./forms.ts";
import type { FindLimits } from "./limits.ts";
import { anyWordOf } from "./phrases.ts";
import type { Ranked } from "./rank.ts";
import { matchingRows, textsOf } from "./rows.ts";
import { AS_WRITTEN, tally } from "./tally.ts";

/** Words beside a misspelt one that are asked about. */
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
    const known = textsOf(
      store,
      "SELECT json_group_array(v.word) AS rows FROM json_each(?1) s CROSS JOIN vocabulary v ON v.word = s.value",
      JSON.stringify(beside),
    ).slice(0, ASKED_MAX);
    const [best] = holdersOf(store, cells, known, admission, limits)
      .filter(({ holders }) => holders > 0)
      .sort((one, other) => other.holders - one.holders || beside.indexOf(one.word) - beside.indexOf(other.word));
    if (best) corrections.set(slot, best.word);
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

/** How many documents that count have each of the words: where many count, of the newest that have it. */
function holdersOf(
  store: Store,
  cells: Cells,
  words: readonly string[],
  admission: Admission,
  limits: FindLimits,
): readonly { readonly word: string; readonly holders: number }[] {
  if (words.length === 0) return [];
  if (admission.rows === null) {
    const window = { upTo: admission.upTo, max: limits.sample };
    return words.map((word) => ({
      word,
      holders: matchingRows(store, "places", quoted(word), window).filter((row) => admission.has(row)).length,
    }));
  }
  const slots = words.map((word) => ({ word, isRequired: false, isUnfinished: false, completions: [], forms: [] }));
  const counted = tally(store, cells, admission.rows, slots, [], limits.weighedBytes);
  return words.map((word, slot) => ({ word, holders: counted.holding(slot, AS_WRITTEN) }));
}
