import { isStopWord, languagesOf, PARTICLES } from "#documents/stop-words.ts";
import type { Language } from "#documents/languages.ts";
import type { DocumentSearch, QueryField, QuerySynonyms, QueryText } from "#documents/engine.ts";
import { CAPITALS, keyInUse, termToken } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { numbersOf } from "#documents/find/collect/rows.ts";

/** A word that is searched for. */
export interface Slot {
  readonly word: string;
  /** Whether it was in quotes, so that only documents with it are found. */
  readonly isRequired: boolean;
  /** Whether it may be the beginning of a longer word. */
  readonly isUnfinished: boolean;
  /** How often it was typed. */
  readonly times: number;
  /** The word after it, if that isn't searched for by itself, but texts may join the two: "log in", "login". */
  readonly particle?: string;
  /** The words in a row of which a name consists, such as `set_pos`: documents with `setpos` alone come after those with it. */
  readonly parts?: readonly string[];
  /** What else it is called, which counts nearly like the word itself. Words in a row have spaces between them. */
  readonly synonyms?: readonly string[];
}

/** Words in a row. */
export interface Phrase {
  readonly words: readonly string[];
  readonly isRequired: boolean;
}

/** Which documents a filter leaves: those of some kinds, or those that an expression for the index of impacts finds. */
export type Filter = { readonly isUnwanted: boolean } & (
  | { readonly kinds: readonly number[] }
  | { readonly expression: string | null }
);

/** The words of a search. */
export interface AskedWords {
  /** Each word once. */
  readonly slots: readonly Slot[];
  /** At least two words each, which are slots as well. */
  readonly phrases: readonly Phrase[];
  /** Words, or words in a row, that documents must not contain. */
  readonly unwanted: readonly (readonly string[])[];
  /** The letters of all wanted words as typed, without spaces. */
  readonly typed: string;
}

/** A search in the form in which the index is queried. */
export interface Question extends AskedWords {
  readonly filters: readonly Filter[];
  /** The keys of custom metadata that it filters by, and names that are searched for as one word. */
  readonly keys: ReadonlySet<string>;
}

/** The most words that are searched for: a 32-bit number per document has one bit for each. */
const SLOTS_MAX = 30;

/** How a name that is searched for as one word stands among the keys, of which none begins like this. */
const NAME_SIGN = "=";

/**
 * Resolves fields. A name such as `queue_run_max` is one word if a document that the person may see has it: many more documents have its parts, which say less.
 *
 * @param isSeen whether the person may see a document that an expression for the index of impacts finds
 * @param isSeenWord the same for a word
 * @param shared the keys and names that the person knows, because another shard has a document with them
 */
export function readQuestion(
  store: Store,
  isSeen: (expression: string) => boolean,
  isSeenWord: (word: string) => boolean,
  { clauses, preferences, synonyms = [] }: Pick<DocumentSearch, "clauses" | "preferences" | "synonyms">,
  shared: ReadonlySet<string> = new Set(),
): Question {
  const keys = new Set<string>();
  const isName = (word: string) => {
    const key = NAME_SIGN + word;
    const isKnown = shared.has(key) || isSeenWord(word);
    if (isKnown) keys.add(key);
    return isKnown;
  };
  const terms = new Map<string, Term>();
  const unwanted: (readonly string[])[] = [];
  const filters: Filter[] = [];
  const parts = new Map<string, readonly string[]>();
  let typed = "";
  let before: Term | undefined;
  for (const { isUnwanted, text, filter } of clauses) {
    const builtIn = filter && resolveBuiltIn(store, filter, isUnwanted);
    const ofKey = filter && !builtIn ? resolveKey(store, isSeen, filter, isUnwanted, shared) : null;
    if (filter && ofKey) keys.add(filter.field);
    const one = builtIn ?? ofKey;
    if (one) {
      filters.push(one);
      continue;
    }
    if (text === null || text.words.length === 0) continue;
    const { isQuoted: isRequired, isUnfinished } = text;
    if (isUnwanted) {
      unwanted.push(text.words);
      continue;
    }
    typed += text.words.join("");
    for (const words of withNames(text, isName, parts)) {
      const key = words.join(" ");
      const known = terms.get(key);
      if (before?.words.length === 1 && PARTICLES.has(key)) before.particle = key;
      before = {
        words,
        isRequired: isRequired || known?.isRequired === true,
        isUnfinished: isUnfinished && words.length === 1 && !known && text.names?.[0]?.[2] !== key,
        isName: text.names !== undefined || known?.isName === true,
        times: (known?.times ?? 0) + 1,
        ...(known?.particle !== undefined && { particle: known.particle }),
      };
      terms.set(key, before);
    }
  }
  const { slots, phrases } = slotsOf(mostTelling(withoutStopWords([...terms.values()], preferences.languages)), parts);
  return { slots: slots.map((slot) => withSynonyms(slot, synonyms)), phrases, unwanted, filters, typed, keys };
}

/** Drops the words that only join others, unless they are in quotes or nothing else is left. */
function withoutStopWords(all: readonly Term[], languages: readonly Language[]): readonly Term[] {
  const own = languagesOf(
    all.flatMap(({ words }) => words),
    languages,
  );
  const inPhrases = new Set(all.flatMap(({ words }) => (words.length > 1 ? words : [])));
  const telling = all.filter(
    ({ words, isRequired, isName }) =>
      isRequired || isName || words.some((word) => inPhrases.has(word) || !isStopWord(word, own)),
  );
  return telling.length > 0 ? telling : all;
}

/** Adds what else a word is called. Whoever quotes a word wants it as written. */
function withSynonyms(slot: Slot, all: readonly QuerySynonyms[]): Slot {
  const word = slot.word.replace(CAPITALS, "");
  const synonyms = slot.isRequired
    ? []
    : all.filter(({ words }) => words.includes(word)).flatMap((one) => one.synonyms);
  return synonyms.length === 0 ? slot : { ...slot, synonyms: [...new Set(synonyms)] };
}

/**
 * Returns typed words in a row; or each by itself, if some of them are a name that documents have as one word.
 *
 * @param parts notes of which words each name consists
 */
function withNames(
  { words, names = [] }: QueryText,
  isName: (word: string) => boolean,
  parts: Map<string, readonly string[]>,
): readonly (readonly string[])[] {
  const known = names.filter(([, , name]) => isName(name));
  if (known.length === 0) return [words];
  return words.flatMap((word, at) => {
    const found = known.find(([from, until]) => at >= from && at < until);
    if (!found) return [[word]];
    const [from, until, name] = found;
    if (from !== at) return [];
    if (until - from > 1) parts.set(name, words.slice(from, until));
    return [[name]];
  });
}

/** One word, or several in a row, and how often a question contains it. */
interface Term extends Phrase, Pick<Slot, "isUnfinished" | "times"> {
  /** Whether it was typed as a name, which is no stop word. */
  readonly isName: boolean;
  particle?: string;
}

/**
 * Chooses as many terms as may be searched for: first those in quotes, then those that a long question repeats, then the longest, which
 * are usually the rarest.
 */
function mostTelling(terms: readonly Term[]): readonly Term[] {
  if (terms.reduce((sum, { words }) => sum + words.length, 0) <= SLOTS_MAX) return terms;
  const lengthOf = ({ words }: Term) => Math.max(...words.map((word) => word.length));
  const kept = new Set<Term>();
  let left = SLOTS_MAX;
  for (const term of terms.toSorted(
    (one, other) =>
      Number(other.isRequired) - Number(one.isRequired) || other.times - one.times || lengthOf(other) - lengthOf(one),
  )) {
    if (term.words.length > left) continue;
    left -= term.words.length;
    kept.add(term);
  }
  return terms.filter((term) => kept.has(term));
}

function slotsOf(
  terms: readonly Term[],
  parts: ReadonlyMap<string, readonly string[]>,
): Pick<AskedWords, "slots" | "phrases"> {
  const slots = new Map<string, Slot>();
  for (const { words, isRequired, isUnfinished, times, particle } of terms) {
    for (const word of words) {
      const known = slots.get(word);
      slots.set(word, {
        word,
        isRequired: isRequired || known?.isRequired === true,
        isUnfinished: isUnfinished && !known,
        times: times + (known?.times ?? 0),
        ...(particle !== undefined && { particle }),
        ...(parts.has(word) && { parts: parts.get(word) ?? [] }),
      });
    }
  }
  return {
    slots: [...slots.values()],
    phrases: terms.filter(({ words }) => words.length > 1).map(({ words, isRequired }) => ({ words, isRequired })),
  };
}

/** Returns a field that every document has as a filter; `null`: it is none. */
export function resolveBuiltIn(
  store: Store,
  { field, values, isPart = false }: QueryField,
  isUnwanted: boolean,
): Filter | null {
  if (field === "datasource" || field === "type") {
    const column = field === "type" ? "object_type" : "datasource";
    const wholes = JSON.stringify(values.map(({ whole }) => whole));
    const kinds = numbersOf(
      store,
      `SELECT json_group_array(id) AS rows FROM kinds WHERE ${column} IN (SELECT value FROM json_each(?1))`,
      wholes,
    );
    return { isUnwanted, kinds };
  }
  if (field === "from") {
    const expressions = values.flatMap(({ whole, words }) => [
      allOf(store, "from", [whole]),
      isPart ? allOf(store, "name", words) : null,
    ]);
    return { isUnwanted, expression: anyOf(expressions) };
  }
  return null;
}

/** Returns a key of custom metadata as a filter; `null`: no document that the person may see has a value of such a key. */
function resolveKey(
  store: Store,
  isSeen: (expression: string) => boolean,
  { field, values }: QueryField,
  isUnwanted: boolean,
  shared: ReadonlySet<string>,
): Filter | null {
  const [key] = store.exec<{ id: number; property_type: string }>(
    "SELECT id, property_type FROM metadata_keys WHERE facet_name = ?1 ORDER BY id DESC LIMIT 1",
    field,
  );
  const isShared = shared.has(field);
  if (!key) return isShared ? { isUnwanted, expression: null } : null;
  // The name of a key that only other people's documents use is as unknown as any other word in them.
  const [inUse, value] = keyInUse(key.id);
  const used = allOf(store, inUse, [value]);
  if (!isShared && (used === null || !isSeen(used))) return null;
  const isWhole = key.property_type === "PICKLIST" || key.property_type === "MULTIPICKLIST";
  const expressions = values.map(({ whole, words }) =>
    isWhole ? allOf(store, `k${key.id}`, [whole]) : allOf(store, `w${key.id}`, words),
  );
  return { isUnwanted, expression: anyOf(expressions) };
}

/** Returns an expression for documents with all of these values of a field; `null`: there are none. */
export function allOf(store: Store, field: string, values: readonly string[]): string | null {
  const distinct = [...new Set(values)];
  const ids = numbersOf(
    store,
    `SELECT json_group_array(f.id) AS rows FROM json_each(?2) v
     CROSS JOIN filter_terms f ON f.field = ?1 AND f.value = v.value`,
    field,
    JSON.stringify(distinct),
  );
  if (ids.length === 0 || ids.length < distinct.length) return null;
  return `(${ids.map((id) => `"${termToken(id)}"`).join(" AND ")})`;
}

export function anyOf(expressions: readonly (string | null)[]): string | null {
  const possible = expressions.filter((expression) => expression !== null);
  return possible.length === 0 ? null : possible.join(" OR ");
}

/** Returns a check whether a kind passes all filters by kind; `null`: there are none. */
export function kindsOf(filters: readonly Filter[]): ((kind: number) => boolean) | null {
  const sets = filters
    .filter((filter) => "kinds" in filter)
    .map(({ kinds, isUnwanted }) => ({ kinds: new Set(kinds), isUnwanted }));
  if (sets.length === 0) return null;
  const known: boolean[] = [];
  return (kind) => (known[kind] ??= sets.every(({ kinds, isUnwanted }) => kinds.has(kind) !== isUnwanted));
}
