import { batchesOf } from "#documents/batches.ts";
import { decodeBase64, numberList, numbersIn, type Rows, textList } from "#documents-postgres/database.ts";
import type { Admission } from "./admission.ts";
import { Entries } from "./entries.ts";
import { type Candidate, candidatesIn, candidatesOf, documentsWithAny, type Found, SELECTED_COLUMNS } from "./found.ts";
import { type Forward, type KnownForwards, NO_STAMP, WORD_BYTES } from "./known-forwards.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/**
 * Forward entries come in rows of about so many bytes: one for each document costs the driver more than weighing it, and what is larger
 * than this is collected with everything else in memory.
 */
const ROW_BYTES = 48_000;

/** Base64 is two thirds of what the server writes bytes as by itself. */
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

/** Sizes are known without reading what is stored apart. */
const FIRST_FORWARDS = `SELECT ${SELECTED} FROM (SELECT * FROM (
    SELECT f.id, f.xmin AS stamp, f.forward, sum(octet_length(f.forward)) OVER (ORDER BY a.at ROWS UNBOUNDED PRECEDING) - octet_length(f.forward) AS before
    FROM unnest($2::int[]) WITH ORDINALITY AS a (id, at) JOIN forwards f ON f.instance_id = $1 AND f.id = a.id) s
  WHERE before < $3::bigint OFFSET 0) f GROUP BY before / ${ROW_BYTES}`;

const STAMPS = `SELECT array_agg(id) AS ids, array_agg(xmin) AS stamps FROM forwards WHERE instance_id = $1 AND id = ANY ($2::int[])`;

/** Reads what documents are weighed by in one search, as far as it isn't known. */
export class ForwardReader {
  readonly #rows: Rows;
  readonly #known: KnownForwards;

  constructor(rows: Rows, known: KnownForwards) {
    this.#rows = rows;
    this.#known = known;
  }

  /**
   * The documents with what they are weighed by, in their order, up to `bytesMax` of their forward entries and the one that reaches it. Most
   * words of a long document are in its entry once but in the text more often, so that its length says too little of this.
   */
  async of(documents: readonly Candidate[], bytesMax: number): Promise<Entries> {
    if (documents.length === 0) return new Entries();
    const bytes = documents.reduce((sum, { length }) => sum + length * WORD_BYTES, 0);
    if (bytes > bytesMax) {
      const ids = numberList(documents.map(({ id }) => id));
      return entriesIn(this.#read(await this.#rows.byKey<Row>(FIRST_FORWARDS, ids, bytesMax)), documents);
    }
    await this.#confirm(documents);
    // Taken before anything is waited for: a search of a later version could know newer ones then.
    const known = new Map(documents.map(({ id }) => [id, this.#known.get(id)]));
    const missing = documents.filter(({ id }) => known.get(id) === undefined);
    const read =
      missing.length === 0
        ? new Map<number, Forward>()
        : this.#read(await this.#rows.byKey<Row>(ALL_FORWARDS, textList(rowsOf(missing))));
    return entriesIn({ get: (id) => read.get(id) ?? known.get(id) }, documents);
  }

  /**
   * Every document that counts and has one of the tokens, the newest first, with what it is weighed by: all at once, unless they may be
   * more than `bytesMax`, or many are known.
   *
   * @param sought tokens, with how many documents have each, seen or not
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
        isByKey,
      );
      return this.of(documents, bytesMax);
    }
    const size = Math.max(1, Math.floor(ROW_BYTES / WORD_BYTES / Math.max(admission.averageLength, 1)));
    // Parts of one list of ids: to join and to group the documents took three times as long.
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

  /** Looks at the rows of documents that were read before something was written. */
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

/** Ids of documents, of each row that their entries come in. */
function rowsOf(documents: readonly Candidate[]): readonly string[] {
  const batches = batchesOf(documents, ({ length }) => length * WORD_BYTES, ROW_BYTES);
  return batches.map((batch) => numberList(batch.map(({ id }) => id)));
}

/** In the order of the documents. */
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
  // A buffer's own parts cost several times as much to make.
  const bytes = new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
  // Copied to where numbers of four bytes may begin, and so that nothing else is remembered.
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
