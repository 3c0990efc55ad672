import type { SeeForward } from "#documents/find/forward.ts";
import type { Dimensions } from "#documents/find/rank.ts";
import { placeOf } from "#documents/index-rules.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import type { Candidate } from "./found.ts";

interface Entry extends Candidate {
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

  constructor(entries: Iterable<Entry> = []) {
    this.#entries = new Map(Array.from(entries, (entry) => [entry.id, entry]));
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /** These and the others. */
  with(others: Entries): Entries {
    return new Entries([...this.#entries.values(), ...others.#entries.values()]);
  }

  lengthOf(id: number): number {
    return this.#entries.get(id)?.length ?? 0;
  }

  dayOf(id: number): number {
    return this.#entries.get(id)?.day ?? 0;
  }

  /** How many different words it has. */
  wordsOf(id: number): number {
    return this.#entries.get(id)?.counts.length ?? 0;
  }

  /** Where in a document's entry words are that it has. */
  placesOf(id: number, words: readonly number[]): readonly number[] {
    const entry = this.#entries.get(id);
    return entry ? words.map((hash) => placeOf(entry.hashes, hash)).filter((place) => place >= 0) : [];
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

const ALL_FORWARDS = "SELECT id, forward FROM forwards WHERE instance_id = $1 AND id = ANY ($2::int[]) OFFSET 0";

/** Sizes are known without reading what is stored apart. */
const FIRST_FORWARDS = `SELECT id, forward FROM (
    SELECT f.id, f.forward, sum(octet_length(f.forward)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) - octet_length(f.forward) AS before
    FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id) s
  WHERE before < $3::bigint OFFSET 0`;

/**
 * The documents with what they are weighed by, in their order, up to `bytesMax` of their forward entries and the one that reaches it. Most
 * words of a long document are in its entry once but in the text more often, so that its length says too little of this.
 */
export async function entriesOf(rows: Rows, documents: readonly Candidate[], bytesMax: number): Promise<Entries> {
  if (documents.length === 0) return new Entries();
  const byId = new Map(documents.map((document) => [document.id, document]));
  const isWithin = documents.reduce((sum, { length }) => sum + length * WORD_BYTES, 0) <= bytesMax;
  // All come in one row: a row for each costs the driver more than weighing it.
  const [row] = await rows.byKey<{ ids: number[] | null; sizes: number[]; forwards: Uint8Array }>(
    `SELECT json_agg(f.id) AS ids, json_agg(octet_length(f.forward)) AS sizes, string_agg(f.forward, ''::bytea) AS forwards
     FROM (${isWithin ? ALL_FORWARDS : FIRST_FORWARDS}) f`,
    numberList(byId.keys()),
    ...(isWithin ? [] : [bytesMax]),
  );
  if (!row?.ids) return new Entries();
  const { ids, sizes, forwards } = row;
  // Copied to where numbers of four bytes may begin.
  const hashes = new Uint32Array(forwards.length / WORD_BYTES);
  const read = new Map<number, Entry>();
  let from = 0;
  for (const [at, id] of ids.entries()) {
    const words = (sizes[at] ?? 0) / WORD_BYTES;
    const first = from / WORD_BYTES;
    const counts = from + words * 4;
    new Uint8Array(hashes.buffer, first * 4, words * 4).set(forwards.subarray(from, counts));
    from += words * WORD_BYTES;
    const document = byId.get(id);
    if (!document) continue;
    read.set(id, {
      ...document,
      hashes: hashes.subarray(first, first + words),
      counts: forwards.subarray(counts, from),
    });
  }
  return new Entries(Array.from(byId.keys(), (id) => read.get(id)).filter((entry) => entry !== undefined));
}

/** Of each word of a document, in which of its stretches it stands. */
const STRETCHES_BYTES = 8;

/**
 * The stretches of long documents, as far as `bytesMax` of them go: of the wanted words, and of all others none.
 *
 * @param wanted hashes of words
 */
export async function stretchesOf(
  rows: Rows,
  entries: Entries,
  ids: readonly number[],
  wanted: readonly number[],
  bytesMax: number,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const places = ids.flatMap((id) => entries.placesOf(id, wanted).map((place) => ({ id, place })));
  if (places.length === 0) return new Map();
  // Each is read from where long values are kept once, for all its words.
  const [row] = await rows.byKey<{ found: number[] | null; bits: Uint8Array }>(
    `WITH f AS MATERIALIZED (
       SELECT id, stretches || ''::bytea AS stretches FROM (
         SELECT f.id, f.stretches, sum(octet_length(f.stretches)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) AS upto
         FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id
         WHERE f.stretches IS NOT NULL) s WHERE upto <= $3::bigint)
     SELECT json_agg(o.at) AS found, string_agg(o.bits, ''::bytea) AS bits FROM (
       SELECT p.at::int - 1 AS at, substr(f.stretches, p.place * ${STRETCHES_BYTES} + 1, ${STRETCHES_BYTES}) AS bits
       FROM unnest($4::int[], $5::int[]) WITH ORDINALITY AS p (id, place, at) JOIN f ON f.id = p.id) o`,
    numberList(ids),
    bytesMax,
    numberList(places.map(({ id }) => id)),
    numberList(places.map(({ place }) => place)),
  );
  const stretches = new Map<number, Uint8Array>();
  for (const [nth, at] of (row?.found ?? []).entries()) {
    const { id, place } = places[at] as (typeof places)[number];
    const known = stretches.get(id) ?? new Uint8Array(entries.wordsOf(id) * STRETCHES_BYTES);
    known.set(row?.bits.subarray(nth * STRETCHES_BYTES, (nth + 1) * STRETCHES_BYTES) ?? [], place * STRETCHES_BYTES);
    stretches.set(id, known);
  }
  return stretches;
}
