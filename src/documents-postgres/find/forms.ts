import { ASKED_ABOUT, isBeginning, type SlotWords, spellingsOf, withKnown } from "#documents/find/forms.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords, Slot } from "#documents/find/question.ts";
import { LEVELS } from "#documents/index-rules.ts";
import type { Language } from "#documents/languages.ts";
import { stemOf } from "#documents/stems.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/** How many documents hold a word, seen or not, and at which levels. */
export interface Frequency {
  readonly documents: number;
  readonly levels: readonly number[];
}

/** The words of a search with all that stand for them. */
export interface FoundWords {
  readonly words: readonly SlotWords[];
  frequencyOf(word: string): Frequency;
}

const NONE: Frequency = { documents: 0, levels: Array.from({ length: LEVELS }, () => 0) };

interface Word extends Frequency {
  readonly slot: number;
  readonly word: string;
}

const LEVEL_ARRAY = `ARRAY[${Array.from({ length: LEVELS }, (_, level) => `w.l${level}`).join(", ")}]`;
const WORD_COLUMNS = `w.word, w.documents, to_json(${LEVEL_ARRAY}) AS levels`;

/** The same if no list of a level will be read. */
const COUNTED_COLUMNS = "w.word, w.documents, NULL AS levels";

/** The most words that are looked for where everything the person may see is weighed: each costs work in every document. */
const NARROW_WORDS_MAX = 1000;

/** If more documents hold a word, the person is assumed to see one of them. */
const RARE = 200;

/**
 * Looks up completions and forms, the commonest first, and other spellings that some document has.
 *
 * @param isNarrow whether all that the person may see is weighed: other words cost little there, and there are many. Elsewhere a word
 *   that only others may read takes no place of one that this person may
 */
export async function wordsFor(
  rows: Rows,
  hash: WordHash,
  scope: Scope,
  asked: AskedWords,
  languages: readonly Language[],
  isNarrow: boolean,
  limits: FindLimits,
): Promise<FoundWords> {
  const { slots, phrases } = asked;
  const max = isNarrow
    ? {
        completions: Math.min(limits.narrowWords, NARROW_WORDS_MAX),
        forms: Math.min(limits.narrowWords, NARROW_WORDS_MAX),
      }
    : { completions: limits.completions, forms: limits.forms };
  const more = isNarrow ? 1 : ASKED_ABOUT;
  const columns = isNarrow ? COUNTED_COLUMNS : WORD_COLUMNS;
  const spellings = spellingsOf(slots, phrases, languages);
  const [completions, forms, known] = await Promise.all([
    completionsOf(rows, slots, columns, max.completions * more, limits.vocabulary),
    formsOf(rows, slots, languages, columns, max.forms * more),
    frequencies(rows, hash, [...slots.map(({ word }) => word), ...spellings.flat()]),
  ]);
  const hidden = isNarrow ? new Set<string>() : await hiddenAmong(rows, hash, scope, [...completions, ...forms], max);
  const chosen = (words: readonly Word[], slot: number, most: number) =>
    words
      .filter((one) => one.slot === slot && !hidden.has(one.word))
      .slice(0, most)
      .map(({ word }) => word);
  const found = slots.map(
    (slot, at): SlotWords => ({
      ...slot,
      completions: chosen(completions, at, max.completions),
      forms: [...new Set(chosen(forms, at, max.forms))],
    }),
  );
  for (const one of [...completions, ...forms]) known.set(one.word, one);
  const words = withKnown(
    found,
    spellings,
    new Set([...known].filter(([, { documents }]) => documents > 0).map(([word]) => word)),
  );
  return { words, frequencyOf: (word) => known.get(word) ?? NONE };
}

/** Of the words that any document has. */
export async function frequencies(
  rows: Rows,
  hash: WordHash,
  words: readonly string[],
): Promise<Map<string, Frequency>> {
  const distinct = [...new Set(words)];
  const found = await rows.byKey<Frequency & { hash: number }>(
    `SELECT w.hash, ${WORD_COLUMNS} FROM words w WHERE w.instance_id = $1 AND w.hash = ANY ($2::int[])`,
    numberList(distinct.map((word) => hash(word) | 0)),
  );
  const byHash = new Map(found.map((one) => [one.hash, one]));
  return new Map(
    distinct.flatMap((word) => {
      const one = byHash.get(hash(word) | 0);
      return one ? [[word, one] as const] : [];
    }),
  );
}

/** @param vocabulary so many words are looked at for each */
async function completionsOf(
  rows: Rows,
  slots: readonly Slot[],
  columns: string,
  max: number,
  vocabulary: number,
): Promise<readonly Word[]> {
  const beginnings = [...slots.entries()].filter(([, slot]) => isBeginning(slot));
  if (beginnings.length === 0) return [];
  const found = await rows.byKey<{ slot: number; words: readonly Omit<Word, "slot">[] | null }>(
    `SELECT b.slot::int - 1 AS slot, c.words FROM unnest($2::int[], $3::text[], $4::text[]) AS b (slot, first, last) CROSS JOIN LATERAL (
       SELECT json_agg(o) AS words FROM (SELECT ${columns} FROM (
         SELECT * FROM (SELECT * FROM words v WHERE v.instance_id = $1 AND v.word > b.first AND v.word < b.last ORDER BY v.word LIMIT $5) s
         WHERE s.documents > 0 ORDER BY s.documents DESC, s.word LIMIT $6) w) o) c`,
    numberList(beginnings.map(([at]) => at + 1)),
    textList(beginnings.map(([, { word }]) => word)),
    textList(beginnings.map(([, { word }]) => `${word}\u{10ffff}`)),
    vocabulary,
    max,
  );
  return found.flatMap(({ slot, words }) => (words ?? []).map((word) => ({ slot, ...word })));
}

async function formsOf(
  rows: Rows,
  slots: readonly Slot[],
  languages: readonly Language[],
  columns: string,
  max: number,
): Promise<readonly Word[]> {
  const stems = slots.flatMap(({ word, isRequired }, slot) =>
    isRequired
      ? []
      : languages.flatMap((language) => {
          const stem = stemOf(word, language);
          return stem === null ? [] : [{ slot, word, stem, language }];
        }),
  );
  if (stems.length === 0) return [];
  const found = await rows.byKey<Word & { at: number }>(
    `SELECT s.at::int - 1 AS at, c.* FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS s (stem, word, at) CROSS JOIN LATERAL (
       SELECT ${columns} FROM (SELECT w.* FROM stems t JOIN words w ON w.instance_id = $1 AND w.hash = t.hash
         WHERE t.instance_id = $1 AND t.stem = s.stem AND w.word <> s.word AND w.documents > 0
         ORDER BY w.documents DESC, w.word LIMIT $4) w) c`,
    textList(stems.map(({ stem }) => stem)),
    textList(stems.map(({ word }) => word)),
    max * languages.length,
  );
  // The table has stems of all languages; a form is one of the same stem in the same language.
  return found.flatMap(({ at, ...one }) => {
    const { slot, stem, language } = stems[at] as (typeof stems)[number];
    return stemOf(one.word, language) === stem ? [{ ...one, slot }] : [];
  });
}

/** If there are more words than are looked for: the words that are in no document the person may see. */
async function hiddenAmong(
  rows: Rows,
  hash: WordHash,
  scope: Scope,
  words: readonly Word[],
  max: { readonly completions: number; readonly forms: number },
): Promise<ReadonlySet<string>> {
  const rare = [...new Set(words.filter(({ documents }) => documents <= RARE).map(({ word }) => word))];
  if (words.length <= Math.min(max.completions, max.forms) || rare.length === 0) return new Set();
  const parameters = new Parameters();
  const list = parameters.add(textList(rare), "text[]");
  const tokens = parameters.add(numberList(rare.map((word) => wordToken(rows.instanceId, hash(word)))), "int[]");
  const condition = scope.conditionInLists(parameters);
  const [row] = await rows.all<{ words: string[] | null }>(
    `SELECT json_agg(r.word) AS words FROM unnest(${list}, ${tokens}) AS r (word, token)
     WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.tokens @> ARRAY[r.token] AND ${condition})`,
    ...parameters.values,
  );
  return new Set(row?.words ?? []);
}
