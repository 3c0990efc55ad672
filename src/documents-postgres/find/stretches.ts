import { numberList, numbersIn, type Rows, textList } from "#documents-postgres/database.ts";
import type { Entries } from "./entries.ts";

/** The bytes for a word that tell in which of a document's stretches it is. */
const STRETCHES_BYTES = 8;

/**
 * Returns the stretches of long documents, up to `bytesMax` bytes as stored. Only those of the wanted words are read, all others
 * are empty.
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
  const places = ids.map((id) => entries.placesOf(id, wanted));
  if (places.every((of) => of.length === 0)) return new Map();
  // Reads one document after another: for all of them together, the server would have to allocate new memory every time.
  const [row] = await rows.byKey<{ found: string | null; bits: Uint8Array }>(
    `SELECT array_agg(s.at - 1) AS found, string_agg(b.bits, ''::bytea) AS bits FROM (
       SELECT a.at, a.places, f.stretches, sum(octet_length(f.stretches)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) AS upto
       FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a (id, places, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id
       WHERE f.stretches IS NOT NULL) s
     CROSS JOIN LATERAL (SELECT s.stretches || ''::bytea AS stretches OFFSET 0) w
     CROSS JOIN LATERAL (
       SELECT string_agg(substr(w.stretches, p.place * ${STRETCHES_BYTES} + 1, ${STRETCHES_BYTES}), ''::bytea ORDER BY p.at) AS bits
       FROM unnest(s.places::int[]) WITH ORDINALITY AS p (place, at)) b
     WHERE s.upto <= $4::bigint`,
    numberList(ids),
    textList(places.map(numberList)),
    bytesMax,
  );
  const stretches = new Map<number, Uint8Array>();
  let from = 0;
  for (const at of numbersIn(row?.found ?? "{}")) {
    const id = ids[at] as number;
    const of = places[at] as readonly number[];
    if (of.length === 0) continue;
    const bits = new Uint8Array(entries.wordsOf(id) * STRETCHES_BYTES);
    for (const place of of) {
      bits.set(row?.bits.subarray(from, (from += STRETCHES_BYTES)) ?? [], place * STRETCHES_BYTES);
    }
    stretches.set(id, bits);
  }
  return stretches;
}
