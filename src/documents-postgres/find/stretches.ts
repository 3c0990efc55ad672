import { numberList, type Rows } from "#documents-postgres/database.ts";
import type { Entries } from "./entries.ts";

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
