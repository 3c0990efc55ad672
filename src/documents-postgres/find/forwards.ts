import { batchesOf } from "#documents/batches.ts";
import { decodeBase64, numberList, numbersIn, type Rows, textList } from "#documents-postgres/database.ts";
import type { Admission } from "./admission.ts";
import { Entries } from "./entries.ts";
import { type Candidate, candidatesIn, candidatesOf, documentsWithAny, type Found, SELECTED_COLUMNS } from "./found.ts";
import { type Forward, type KnownForwards, NO_STAMP, WORD_BYTES } from "./known-forwards.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/**
 * Forward entries are returned in rows of about this many bytes. One row for each document costs the driver more than scoring the
 * document, and larger rows take a full garbage collection to free.
 */
const ROW_BYTES = 48_000;

/** Base64 takes two thirds of the space of the server's own format for bytes. */
const SELECTED = `array_agg(f.id) AS read, array_agg(f.stamp) AS stamps, array_agg(octet_length(f.forward)) AS sizes,
  encode(string_agg(f.forward, ''::bytea), 'base64') AS forwards`;

interface Row {
  /** Ids of the documents whose entries these are. */
  readonly read: string | null;
  readonly stamps: string;
  readonly sizes: string;
  readonly forwards: string;
}

const ALL_FORWARDS = `SELECT r.* FROM unnest($2::text[]) AS l (ids) CROSS JOIN LATERAL (SELECT ${SELECTED} FROM (
    SELECT id, xmin AS stamp, forward FROM forwards WHERE instance_id = $1 AND id = ANY (l.ids::int[]) OFFSET 0) f) r`;

/** The sizes are known without reading values that are stored outside the rows. */
const FIRST_FORWARDS = `SELECT ${SELECTED} FROM (SELECT * FROM (
    SELECT f.id, f.xmin AS stamp, f.forward, sum(octet_length(f.forward)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) - octet_length(f.forward) AS before
    FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id) s
  WHERE before < $3::bigint OFFSET 0) f GROUP BY before / ${ROW_BYTES}`;

const STAMPS = `SELECT array_agg(id) AS ids, array_agg(xmin) AS stamps FROM forwards WHERE instance_id = $1 AND id = ANY ($2::int[])`;

/** Reads the forward entries by which one search scores documents, unless they are remembered. */
export class ForwardReader {
  readonly #rows: Rows;
  readonly #known: KnownForwards;

  constructor(rows: Rows, known: KnownForwards) {
    this.#rows = rows;
    this.#known = known;
  }

  /**
   * Returns the documents with their forward entries, in their order, up to `bytesMax` of these entries and including the one
   * that reaches it. Most words of a long document are in its entry once but in the text more often, so that its length tells too
   * little about the size of its entry.
   */
  async of(documents: readonly Candidate[], bytesMax: number): Promise<Entries> {
    if (documents.length === 0) return new Entries();
    const bytes = documents.reduce((sum, { length }) => sum + length * WORD_BYTES, 0);
    if (bytes > bytesMax) {
      const ids = numberList(documents.map(({ id }) => id));
      return entriesIn(this.#read(await this.#rows.byKey<Row>(FIRST_FORWARDS, ids, bytesMax)), documents);
    }
    await this.#confirm(documents);
    // Taken before anything is awaited: a search of a later version could store newer entries meanwhile.
    const known = new Map(documents.map(({ id }) => [id, this.#known.get(id)]));
    const missing = documents.filter(({ id }) => known.get(id) === undefined);
    const read =
      missing.length === 0
        ? new Map<number, Forward>()
        : this.#read(await this.#rows.byKey<Row>(ALL_FORWARDS, textList(rowsOf(missing))));
    return entriesIn({ get: (id) => read.get(id) ?? known.get(id) }, documents);
  }

  /**
   * Returns every document in scope that has one of the tokens, newest first, with its forward entry. One statement reads
   * everything, unless it may be more than `bytesMax`, or many documents are remembered.
   *
   * @param sought tokens, with how many documents have each, visible or not
   */
  async withAny(
    scope: Scope,
    sought: ReadonlyMap<number, number>,
    admission: Admission,
    bytesMax: number,
  ): Promise<Entries> {
    const parameters = new Parameters();
    const { statement, isByKey } = documentsWithAny(scope, sought, admission, parameters);
    const bytes = admission.count * admission.averageLength * WORD_BYTES;
    if (bytes > bytesMax || this.#known.size * 2 > admission.count) {
      const documents = await candidatesIn(
        this.#rows,
        `SELECT * FROM (${statement}) f ORDER BY id DESC`,
        parameters.values,
        { isByKey },
      );
      return this.of(documents, bytesMax);
    }
    const size = Math.max(1, Math.floor(ROW_BYTES / WORD_BYTES / Math.max(admission.averageLength, 1)));
    // Reads parts of one list of ids: joining and grouping the documents took three times as long.
    const perPart = parameters.add(size, "int");
    const part = `${perPart} * s.part`;
    const rows = await this.#rows[isByKey ? "byKey" : "all"]<Row & Found>(
      `WITH a AS MATERIALIZED (SELECT ${SELECTED_COLUMNS} FROM (SELECT * FROM (${statement}) d ORDER BY id DESC) n)
       SELECT CASE WHEN s.part = 0 THEN a.ids END AS ids, CASE WHEN s.part = 0 THEN a.lengths END AS lengths,
         CASE WHEN s.part = 0 THEN a.days END AS days, p.*
       FROM a CROSS JOIN generate_series(0, (cardinality(a.ids) - 1) / ${perPart}) AS s (part)
       CROSS JOIN LATERAL (SELECT ${SELECTED} FROM (
         SELECT id, xmin AS stamp, forward FROM forwards
         WHERE instance_id = $1 AND id = ANY (a.ids[${part} + 1 : ${part} + ${perPart}]) OFFSET 0) f) p`,
      ...parameters.values,
    );
    return entriesIn(this.#read(rows), candidatesOf(rows.slice(0, 1)));
  }

  /** Checks the rows of documents that were read before something was written. */
  async #confirm(documents: readonly Candidate[]): Promise<void> {
    const unsure = documents.map(({ id }) => id).filter((id) => this.#known.isUnsure(id));
    if (unsure.length === 0) return;
    const [row] = await this.#rows.byKey<Record<"ids" | "stamps", string | null>>(STAMPS, numberList(unsure));
    const stamps = numbersIn(row?.stamps ?? "{}");
    for (const [at, id] of numbersIn(row?.ids ?? "{}").entries()) this.#known.confirm(id, stamps[at] ?? NO_STAMP);
  }

  #read(rows: readonly Row[]): ReadonlyMap<number, Forward> {
    const read = new Map<number, Forward>();
    for (const { id, stamp, forward } of rows.flatMap(forwardsIn)) {
      read.set(id, forward);
      this.#known.remember(id, stamp, forward);
    }
    return read;
  }
}

/** Returns the ids of documents for each row that their entries are returned in. */
function rowsOf(documents: readonly Candidate[]): readonly string[] {
  const batches = batchesOf(documents, ({ length }) => length * WORD_BYTES, ROW_BYTES);
  return batches.map((batch) => numberList(batch.map(({ id }) => id)));
}

/** Returns entries in the order of the documents. */
function entriesIn(forwards: { get(id: number): Forward | undefined }, documents: readonly Candidate[]): Entries {
  return new Entries(
    documents.flatMap(({ id, length, day }) => {
      const forward = forwards.get(id);
      return forward ? [{ id, length, day, forward }] : [];
    }),
  );
}

interface Stamped {
  readonly id: number;
  readonly stamp: number;
  readonly forward: Forward;
}

function forwardsIn({ read, stamps, sizes, forwards }: Row): readonly Stamped[] {
  if (read === null) return [];
  const decoded = decodeBase64(forwards);
  // Subarrays of a Buffer cost several times as much.
  const bytes = new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
  // Copied to where four-byte numbers may begin, and so that remembered entries keep nothing else in memory.
  const hashes = new Uint32Array(bytes.length / WORD_BYTES);
  const counts = new Uint8Array(hashes.length);
  const lengths = numbersIn(sizes);
  const stamped = numbersIn(stamps);
  let from = 0;
  return numbersIn(read).map((id, at) => {
    const first = from / WORD_BYTES;
    const words = (lengths[at] ?? 0) / WORD_BYTES;
    const middle = from + words * 4;
    const end = middle + words;
    new Uint8Array(hashes.buffer, first * 4, words * 4).set(bytes.subarray(from, middle));
    counts.set(bytes.subarray(middle, end), first);
    from = end;
    const forward = { hashes: hashes.subarray(first, first + words), counts: counts.subarray(first, first + words) };
    return { id, stamp: stamped[at] ?? NO_STAMP, forward };
  });
}
