import type { SeeForward } from "#documents/find/forward.ts";
import type { Dimensions } from "#documents/find/rank.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

interface Entry {
  readonly id: number;
  readonly length: number;
  readonly day: number;
  /** Its words, in order. */
  readonly hashes: Uint32Array;
  /** How often it has each, packed. */
  readonly counts: Uint8Array;
}

/** Bytes of a word in a forward entry: its hash, and its packed count. */
const WORD_BYTES = 5;

/** Documents to weigh, with what they are weighed by. */
export class Entries implements Dimensions {
  readonly #entries: ReadonlyMap<number, Entry>;

  constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
  }

  lengthOf(id: number): number {
    return this.#entries.get(id)?.length ?? 0;
  }

  dayOf(id: number): number {
    return this.#entries.get(id)?.day ?? 0;
  }

  /** Shows each with its words' packed counts. */
  each(see: SeeForward): void {
    for (const { id, hashes, counts } of this.#entries.values()) see(id, hashes, counts);
  }

  /** Shows some with their stretches as well, eight bytes a word. */
  eachWithStretches(stretches: ReadonlyMap<number, Uint8Array>, ids: readonly number[], see: SeeForward): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      const bits = stretches.get(id);
      if (!entry || !bits) continue;
      const known = new Uint8Array(entry.counts.length + bits.length);
      known.set(entry.counts);
      known.set(bits, entry.counts.length);
      see(id, entry.hashes, known);
    }
  }
}

/** With more tokens than this, reading documents is faster than reading lists. */
const TOKENS_MAX = 100;

/**
 * Entries `e` in the order of `e.at`, as far as `bytesMax` of their forward entries go. All come in one row: a row for each costs the
 * driver more than weighing it. First come all hashes and then all counts, so that each document's are a part of one list.
 */
async function readEntries(rows: Rows, source: string, bytesMax: number, parameters: Parameters): Promise<Entries> {
  const [row] = await rows.all<{ cells: string | null; forwards: Uint8Array }>(
    `WITH ${source},
     e AS (SELECT *, octet_length(forward) / ${WORD_BYTES} AS words,
       sum(length) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) - length AS before FROM found),
     read AS MATERIALIZED (SELECT * FROM e WHERE before * ${WORD_BYTES} <= ${parameters.add(bytesMax, "bigint")} ORDER BY at)
     SELECT string_agg(concat_ws(' ', id, length, day, words), ' ') AS cells,
       string_agg(substr(forward, 1, words * 4), ''::bytea) || string_agg(substr(forward, words * 4 + 1), ''::bytea) AS forwards
     FROM read`,
    ...parameters.values,
  );
  if (!row?.cells) return new Entries([]);
  const cells = row.cells.split(" ");
  // A copy: lists of 32-bit numbers begin at a multiple of four bytes.
  const bytes = new Uint8Array(row.forwards);
  const all = bytes.length / WORD_BYTES;
  const hashes = new Uint32Array(bytes.buffer, bytes.byteOffset, all);
  const counts = bytes.subarray(all * 4);
  const entries: Entry[] = [];
  for (let at = 0, from = 0; at < cells.length; at += 4) {
    const until = from + Number(cells[at + 3]);
    entries.push({
      id: Number(cells[at]),
      length: Number(cells[at + 1]),
      day: Number(cells[at + 2]),
      hashes: hashes.subarray(from, until),
      counts: counts.subarray(from, until),
    });
    from = until;
  }
  return new Entries(entries);
}

/** Every entry that counts and has one of the tokens, the newest first, as far as `bytesMax` of forward entries go. */
export async function entriesWithAny(
  rows: Rows,
  scope: Scope,
  tokens: readonly number[],
  isNarrow: boolean,
  bytesMax: number,
): Promise<Entries> {
  const parameters = new Parameters();
  // Few documents count, so all of them are read, and weighing drops those without any of the words.
  const isMany = tokens.length > TOKENS_MAX && isNarrow;
  const any = isMany ? "true" : `e.tokens && ${parameters.add(numberList(tokens), "int[]")}`;
  const source = `found AS MATERIALIZED (SELECT e.id, e.length, e.day, e.forward, -e.id AS at FROM entries e
    WHERE ${any} AND ${scope.condition(parameters)})`;
  return readEntries(rows, source, bytesMax, parameters);
}

/** The entries of documents, in their order, as far as `bytesMax` of their forward entries go. */
export async function entriesOf(rows: Rows, ids: readonly number[], bytesMax: number): Promise<Entries> {
  if (ids.length === 0) return new Entries([]);
  const parameters = new Parameters();
  const list = parameters.add(numberList(ids), "int[]");
  const source = `found AS (SELECT e.*, a.at FROM unnest(${list}) WITH ORDINALITY AS a (id, at)
    JOIN (SELECT id, length, day, forward FROM entries WHERE instance_id = $1 AND id = ANY (${list}) OFFSET 0) e USING (id))`;
  return readEntries(rows, source, bytesMax, parameters);
}

/** The entry of each `a.id`, one look-up each: the planner would rather read all of an instance that is not large. */
function entryById(columns: string): string {
  return `CROSS JOIN LATERAL (SELECT ${columns} FROM entries e WHERE e.instance_id = $1 AND e.id = a.id LIMIT 1) e`;
}

/** The stretches of long documents, as far as `bytesMax` of them go. */
export async function stretchesOf(
  rows: Rows,
  ids: readonly number[],
  bytesMax: number,
): Promise<ReadonlyMap<number, Uint8Array>> {
  if (ids.length === 0) return new Map();
  const found = await rows.all<{ id: number; stretches: Uint8Array }>(
    `WITH e AS (
       SELECT e.id, e.stretches, sum(octet_length(e.stretches)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) AS upto
       FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) ${entryById("e.id, e.stretches")}
       WHERE e.stretches IS NOT NULL)
     SELECT id, stretches FROM e WHERE upto <= $3::bigint`,
    numberList(ids),
    bytesMax,
  );
  return new Map(found.map(({ id, stretches }) => [id, stretches]));
}
