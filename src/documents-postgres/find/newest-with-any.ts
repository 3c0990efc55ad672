import { decodeBase64, numberList, type Rows } from "#documents-postgres/database.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import { PART_SIZE } from "#documents-postgres/upkeep/postings.ts";
import { type Candidate, candidatesIn } from "./found.ts";
import { visibleAmong } from "./likely.ts";
import { epochsSince } from "./lists.ts";
import { Parameters } from "./parameters.ts";
import { numbersOf } from "./postings.ts";
import { holdsClass, type Scope } from "./scope.ts";
import { writtenSince } from "./since.ts";
import type { PostedWords } from "./vocabulary.ts";

/** How many documents tell which of some words the person sees most. */
const NEWEST_MAX = 100;

/** How many likely documents are looked up at a time: more than are needed, because some may be gone or no longer permitted. */
const LOOKED_MAX = 110;

/**
 * Returns the newest documents in scope that have a word with one of the hashes. For words with postings, these tell which documents may
 * have them. The documents' rows decide whether they are in scope, and if some aren't, the next ones are looked up. A document may no
 * longer have the word that it had when the postings were written.
 *
 * @param unpostedMax the most documents missing from postings that are looked for in the index
 */
export async function newestWithAny(
  rows: Rows,
  instance: Instance,
  scope: Scope,
  { hashes, posted }: PostedWords,
  unpostedMax: number,
): Promise<readonly Candidate[]> {
  if (hashes.length === 0) return [];
  const words = hashes.map((hash, at) => {
    return { hash, epochs: scope.isFiltered ? null : epochsSince(rows.instanceId, instance, posted?.[at] ?? 0) };
  });
  const told = words.filter(({ epochs }) => epochs !== null).map(({ hash }) => hash);
  const untold = words.filter(({ epochs }) => epochs === null).map(({ hash }) => hash);
  if (told.length === 0) return byIndex(rows, scope, hashes);
  const epochs = [...new Set(words.flatMap((word) => word.epochs ?? []))];
  const [likely, others, since] = await Promise.all([
    postedOf(rows, scope, told),
    untold.length === 0 ? [] : byIndex(rows, scope, untold),
    epochs.length === 0
      ? []
      : writtenSince(rows, scope, epochs, unpostedMax, (parameters) => withAny(rows, told, parameters)),
  ]);
  if (since === null) return byIndex(rows, scope, hashes);
  let newest = newestOf([...others, ...since]);
  for (let at = 0; at < likely.length; at += LOOKED_MAX) {
    const last = newest.length < NEWEST_MAX ? 0 : (newest.at(-1)?.id ?? 0);
    if ((likely[at] ?? 0) < last) break;
    const visible = await visibleAmong(rows, scope, likely.slice(at, at + LOOKED_MAX));
    newest = newestOf([...newest, ...visible.values()]);
  }
  return newest;
}

function newestOf(documents: readonly Candidate[]): readonly Candidate[] {
  return [...new Map(documents.map((one) => [one.id, one])).values()]
    .sort((one, other) => other.id - one.id)
    .slice(0, NEWEST_MAX);
}

function withAny({ instanceId }: Rows, hashes: readonly number[], parameters: Parameters): string {
  return `e.tokens && ${parameters.add(numberList(hashes.map((hash) => wordToken(instanceId, hash))), "int[]")}`;
}

function byIndex(rows: Rows, scope: Scope, hashes: readonly number[]): Promise<readonly Candidate[]> {
  const parameters = new Parameters();
  const words = withAny(rows, hashes, parameters);
  return candidatesIn(
    rows,
    `SELECT h.id, h.length, h.day FROM (
       SELECT e.id, e.length, e.day FROM entries e
       WHERE ${words} AND ${scope.conditionInLists(parameters)} OFFSET 0) h
     ORDER BY h.id DESC LIMIT ${NEWEST_MAX}`,
    parameters.values,
  );
}

/** Reads postings in rows of about one part each: larger values are only collected together with everything else in memory. */
const POSTED = `SELECT encode(string_agg(p.entries, ''::bytea), 'base64') AS entries FROM (
    SELECT p.entries, sum(p.size) OVER (ORDER BY p.hash, p.level, p.part) AS upto FROM postings p
    WHERE p.instance_id = $1 AND p.hash = ANY ($2::int[])) p
  GROUP BY p.upto / ${PART_SIZE}`;

/** Returns the documents of held classes that are in the words' postings, newest first. */
async function postedOf(rows: Rows, scope: Scope, hashes: readonly number[]): Promise<readonly number[]> {
  const ids = new Set<number>();
  for (const row of await rows.byKey<{ entries: string }>(POSTED, numberList(hashes))) {
    const bytes = decodeBase64(row.entries);
    bytes.swap32();
    const entries = numbersOf(bytes);
    for (let at = 0; at < entries.length; at += 2) {
      const id = entries[at] ?? 0;
      if (id <= scope.upTo && holdsClass(scope.held, entries[at + 1] ?? 0)) ids.add(id);
    }
  }
  return [...ids].sort((one, other) => other - one);
}
