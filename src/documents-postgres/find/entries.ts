import { batchesOf } from "#documents/batches.ts";
import type { SeeForward } from "#documents/find/forward.ts";
import type { Dimensions } from "#documents/find/rank.ts";
import { placeOf } from "#documents/index-rules.ts";
import { decodeBase64, numberList, numbersIn, type Rows, textList } from "#documents-postgres/database.ts";
import type { Admission } from "./admission.ts";
import { type Candidate, candidatesIn, candidatesOf, documentsWithAny, type Found, SELECTED_COLUMNS } from "./found.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

interface Entry extends Candidate {
  /** Its words, in order. */
  readonly hashes: Uint32Array;
  /** How often it has each, packed. */
  readonly counts: Uint8Array;
}

/** Bytes of a word in a forward entry: its hash, and its packed count. */
const WORD_BYTES = 5;

const FILTER_SIZE = 1 << 16;

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

  /** Which of these hashes some document has. */
  heldOf(hashes: Iterable<number>): ReadonlySet<number> {
    const wanted = new Set(hashes);
    // Nearly all words of a document are none of these, and here that shows at once.
    const mayBeWanted = new Uint8Array(FILTER_SIZE);
    for (const hash of wanted) mayBeWanted[hash % FILTER_SIZE] = 1;
    const held = new Set<number>();
    for (const { hashes: all } of this.#entries.values()) {
      // By place: an iterator takes eight times as long.
      for (let at = 0; at < all.length; at++) {
        const hash = all[at] ?? 0;
        if (mayBeWanted[hash % FILTER_SIZE] === 1 && wanted.has(hash)) held.add(hash);
      }
    }
    return held;
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

/**
 * Forward entries come in rows of about so many bytes: one for each document costs the driver more than weighing it, and what is larger
 * than this is collected with everything else in memory.
 */
const ROW_BYTES = 48_000;

/** Base64 is two thirds of what the server writes bytes as by itself. */
const SELECTED = `array_agg(f.id) AS read, array_agg(octet_length(f.forward)) AS sizes, encode(string_agg(f.forward, ''::bytea), 'base64') AS forwards`;

interface Row {
  /** Ids of the documents whose entries these are. */
  readonly read: string | null;
  readonly sizes: string;
  readonly forwards: string;
}

const ALL_FORWARDS = `SELECT r.* FROM unnest($2::text[]) AS l (ids) CROSS JOIN LATERAL (SELECT ${SELECTED} FROM (
    SELECT id, forward FROM forwards WHERE instance_id = $1 AND id = ANY (l.ids::int[]) OFFSET 0) f) r`;

/** Sizes are known without reading what is stored apart. */
const FIRST_FORWARDS = `SELECT ${SELECTED} FROM (SELECT * FROM (
    SELECT f.id, f.forward, sum(octet_length(f.forward)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) - octet_length(f.forward) AS before
    FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id) s
  WHERE before < $3::bigint OFFSET 0) f GROUP BY before / ${ROW_BYTES}`;

/**
 * The documents with what they are weighed by, in their order, up to `bytesMax` of their forward entries and the one that reaches it. Most
 * words of a long document are in its entry once but in the text more often, so that its length says too little of this.
 */
export async function entriesOf(rows: Rows, documents: readonly Candidate[], bytesMax: number): Promise<Entries> {
  if (documents.length === 0) return new Entries();
  const bytes = documents.reduce((sum, { length }) => sum + length * WORD_BYTES, 0);
  const found =
    bytes <= bytesMax
      ? await rows.byKey<Row>(ALL_FORWARDS, textList(rowsOf(documents)))
      : await rows.byKey<Row>(FIRST_FORWARDS, numberList(documents.map(({ id }) => id)), bytesMax);
  return entriesIn(found, documents);
}

/**
 * Every document that counts and has one of the tokens, the newest first, with what it is weighed by: all at once, unless they may be
 * more than `bytesMax`.
 *
 * @param sought tokens, with how many documents have each, seen or not
 */
export async function entriesWithAny(
  rows: Rows,
  scope: Scope,
  sought: ReadonlyMap<number, number>,
  admission: Admission,
  bytesMax: number,
): Promise<Entries> {
  const parameters = new Parameters();
  const { statement, isByKey } = documentsWithAny(scope, sought, admission, parameters);
  const bytes = admission.count * admission.averageLength * WORD_BYTES;
  if (bytes > bytesMax) {
    const documents = await candidatesIn(rows, `SELECT * FROM (${statement}) f ORDER BY id DESC`, parameters.values);
    return entriesOf(rows, documents, bytesMax);
  }
  const size = Math.max(1, Math.floor(ROW_BYTES / WORD_BYTES / Math.max(admission.averageLength, 1)));
  // Parts of one list of ids: to join and to group the documents took three times as long.
  const perPart = parameters.add(size, "int");
  const part = `${perPart} * s.part`;
  const [first, ...others] = await rows[isByKey ? "byKey" : "all"]<Row & Found>(
    `WITH a AS MATERIALIZED (SELECT ${SELECTED_COLUMNS} FROM (SELECT * FROM (${statement}) d ORDER BY id DESC) n)
     SELECT CASE WHEN s.part = 0 THEN a.ids END AS ids, CASE WHEN s.part = 0 THEN a.lengths END AS lengths,
       CASE WHEN s.part = 0 THEN a.days END AS days, p.*
     FROM a CROSS JOIN generate_series(0, (cardinality(a.ids) - 1) / ${perPart}) AS s (part)
     CROSS JOIN LATERAL (SELECT ${SELECTED} FROM (
       SELECT id, forward FROM forwards WHERE instance_id = $1 AND id = ANY (a.ids[${part} + 1 : ${part} + ${perPart}]) OFFSET 0) f) p`,
    ...parameters.values,
  );
  return first ? entriesIn([first, ...others], candidatesOf([first])) : new Entries();
}

/** Ids of documents, of each row that their entries come in. */
function rowsOf(documents: readonly Candidate[]): readonly string[] {
  const batches = batchesOf(documents, ({ length }) => length * WORD_BYTES, ROW_BYTES);
  return batches.map((batch) => numberList(batch.map(({ id }) => id)));
}

/** In the order of the documents. */
function entriesIn(rows: readonly Row[], documents: readonly Candidate[]): Entries {
  const read = new Map(rows.flatMap(forwardsIn));
  return new Entries(
    documents.flatMap((document) => {
      const forward = read.get(document.id);
      return forward ? [{ ...document, ...forward }] : [];
    }),
  );
}

function forwardsIn({ read, sizes, forwards }: Row): readonly (readonly [number, Pick<Entry, "hashes" | "counts">])[] {
  if (read === null) return [];
  const decoded = decodeBase64(forwards);
  // A buffer's own parts cost several times as much to make.
  const bytes = new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
  // Copied to where numbers of four bytes may begin.
  const hashes = new Uint32Array(bytes.length / WORD_BYTES);
  const lengths = numbersIn(sizes);
  let from = 0;
  return numbersIn(read).map((id, at) => {
    const words = (lengths[at] ?? 0) / WORD_BYTES;
    const first = from / WORD_BYTES;
    const counts = from + words * 4;
    new Uint8Array(hashes.buffer, first * 4, words * 4).set(bytes.subarray(from, counts));
    from += words * WORD_BYTES;
    return [id, { hashes: hashes.subarray(first, first + words), counts: bytes.subarray(counts, from) }];
  });
}
