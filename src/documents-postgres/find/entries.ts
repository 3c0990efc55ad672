import type { SeeForward } from "#documents/find/forward.ts";
import type { Dimensions } from "#documents/find/rank.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

interface Entry {
  readonly id: number;
  readonly length: number;
  readonly day: number;
  readonly forward: Uint8Array;
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
    for (const { id, forward } of this.#entries.values()) show(id, forward, null, see);
  }

  /** Shows some with their stretches as well, eight bytes a word. */
  eachWithStretches(stretches: ReadonlyMap<number, Uint8Array>, ids: readonly number[], see: SeeForward): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      const bits = stretches.get(id);
      if (entry && bits) show(id, entry.forward, bits, see);
    }
  }
}

function show(id: number, forward: Uint8Array, stretches: Uint8Array | null, see: SeeForward): void {
  const words = forward.length / WORD_BYTES;
  // A Uint32Array has to start at a multiple of four bytes.
  const bytes = new Uint8Array(words * 4);
  bytes.set(forward.subarray(0, words * 4));
  const hashes = new Uint32Array(bytes.buffer);
  const counts = forward.subarray(words * 4);
  if (stretches === null) return see(id, hashes, counts);
  const known = new Uint8Array(counts.length + stretches.length);
  known.set(counts);
  known.set(stretches, counts.length);
  see(id, hashes, known);
}

/** With more tokens than this, reading documents is faster than reading lists. */
const TOKENS_MAX = 100;

/**
 * Entries `e` in the order of `e.at`, as far as `bytesMax` of their forward entries go. All come in one row: a row for each costs the
 * driver more than weighing it.
 */
async function readEntries(rows: Rows, source: string, bytesMax: number, parameters: Parameters): Promise<Entries> {
  const [row] = await rows.all<{ cells: readonly [number, number, number, number][] | null; forwards: Uint8Array }>(
    `WITH ${source},
     e AS (SELECT *, sum(length) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) - length AS before FROM found)
     SELECT json_agg(json_build_array(e.id, e.length, e.day, octet_length(e.forward)) ORDER BY e.at) AS cells,
       coalesce(string_agg(e.forward, ''::bytea ORDER BY e.at), ''::bytea) AS forwards
     FROM e WHERE e.before * ${WORD_BYTES} <= ${parameters.add(bytesMax, "bigint")}`,
    ...parameters.values,
  );
  let from = 0;
  return new Entries(
    (row?.cells ?? []).map(([id, length, day, bytes]) => {
      from += bytes;
      return { id, length, day, forward: row?.forwards.subarray(from - bytes, from) ?? new Uint8Array() };
    }),
  );
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

/** The entries of documents, in their order, as far as `bytesMax` of forward entries go. */
export async function entriesOf(rows: Rows, ids: readonly number[], bytesMax: number): Promise<Entries> {
  if (ids.length === 0) return new Entries([]);
  const parameters = new Parameters();
  const source = `found AS (SELECT e.*, a.at FROM unnest(${parameters.add(numberList(ids), "int[]")}) WITH ORDINALITY AS a (id, at)
    ${entryById("e.id, e.length, e.day, e.forward")})`;
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
