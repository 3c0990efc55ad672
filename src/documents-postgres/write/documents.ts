import type { DocumentDescription, FilterTerm, IndexableDocument, Principal } from "#documents/engine.ts";
import { dayOfSeconds, LEVELS, saturationOf } from "#documents/index-rules.ts";
import {
  authorTerms,
  INDEXED_COLUMNS,
  type IndexedRow,
  textsOf,
  WRITTEN_COLUMNS,
  writtenValues,
} from "#documents/write/document-row.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { countWords, packedForward, packedStretches } from "#documents/write/word-counts.ts";
import { foldTerm } from "#protocol/folding.ts";
import { numberList } from "#documents-postgres/database.ts";
import {
  epochToken,
  levelToken,
  pairTokens,
  principalToken,
  termToken,
  wordToken,
} from "#documents-postgres/tokens.ts";
import { classOf } from "./classes.ts";
import { kindOf } from "./kinds.ts";
import { levelOfPacked } from "./word-counts.ts";
import type { Class, Writing } from "./writing.ts";

/** A document's entry in the index. */
interface Entry {
  readonly class: number;
  readonly length: number;
  readonly saturation: number;
  readonly forward: Uint8Array;
}

/** What custom metadata adds to a document, as stored in its row. */
type Described = Pick<IndexedRow, "metadata_words" | "metadata_terms">;

/**
 * Creates or replaces a document and its index entry; what its custom metadata added stays. An unchanged document only gets the
 * new generation and time.
 *
 * @param generation of the upload or single change that writes it; later ones are higher
 * @param now epoch seconds
 * @returns its id
 */
export async function putDocument(
  writing: Writing,
  document: IndexableDocument,
  generation: number,
  now: number,
): Promise<number> {
  const { rows } = writing;
  const { datasource, externalId, objectType, updatedAt } = document;
  const documentClass = await classOf(writing, document.principals);
  const values = writtenValues(document);
  const [known] = await rows.all<{ id: number; same: boolean; class: number }>(
    `SELECT d.id, e.class, ROW(${WRITTEN_COLUMNS.replace(/\w+/g, "d.$&")}) IS NOT DISTINCT FROM
       ROW(${values.map((_, at) => `$${at + 4}${CASTS[at]}`).join(", ")}) AS same
     FROM documents d JOIN entries e ON e.instance_id = $1 AND e.id = d.id
     WHERE d.instance_id = $1 AND d.datasource = $2 AND d.external_id = $3`,
    datasource,
    externalId,
    ...values,
  );
  if (known?.same === true && known.class === documentClass.id) {
    const statement = "UPDATE documents SET generation = $3, indexed_at = $4 WHERE instance_id = $1 AND id = $2";
    await rows.all(statement, known.id, generation, now);
    return known.id;
  }
  const id = known?.id ?? writing.nextDocument();
  if (!known) writing.count(datasource, "documents", 1);
  const [described] = await rows.all<Described>(
    `INSERT INTO documents (instance_id, id, datasource, external_id, generation, indexed_at, ${WRITTEN_COLUMNS})
     VALUES ($1, $2, $3, $4, $5, $6, ${values.map((_, at) => `$${at + 7}`).join(", ")})
     ON CONFLICT (instance_id, datasource, external_id) DO UPDATE SET generation = excluded.generation,
       indexed_at = excluded.indexed_at, (${WRITTEN_COLUMNS}) = ROW(${WRITTEN_COLUMNS.replace(/\w+/g, "excluded.$&")})
     RETURNING metadata_words, metadata_terms`,
    id,
    datasource,
    externalId,
    generation,
    now,
    ...values,
  );
  const kind = await kindOf(writing, foldTerm(datasource), foldTerm(objectType));
  const { title, keywords, authorName, authorEmail, body } = document;
  const row = {
    title,
    keywords,
    author_name: authorName,
    author_email: authorEmail,
    body,
    ...(described as Described),
  };
  const place = { class: documentClass, kind, day: dayOfSeconds(updatedAt) };
  await reindex(writing, id, row, place, known === undefined);
  return id;
}

/** The types that the server casts the values to, in their order. */
const CASTS = WRITTEN_COLUMNS.split(", ").map((name) => (name.endsWith("_at") ? "::bigint" : "::text"));

/** Replaces a document's permissions. */
export async function permitDocument(
  writing: Writing,
  id: number,
  principals: readonly Principal[],
  now: number,
): Promise<void> {
  const documentClass = await classOf(writing, principals);
  const [entry] = await writing.rows.all<{ class: number; length: number }>(
    `WITH dated AS (UPDATE documents SET indexed_at = $4 WHERE instance_id = $1 AND id = $2)
     UPDATE entries e SET class = $3,
       tokens = trim_array(o.tokens, coalesce((SELECT cardinality(c.principals) FROM classes c
         WHERE c.instance_id = $1 AND c.id = o.class), 0)) || CASE WHEN o.tokens @> ARRAY[$6::int] THEN '{}' ELSE ARRAY[$6::int] END || $5::int[]
     FROM entries o
     WHERE e.instance_id = $1 AND e.id = $2 AND o.instance_id = $1 AND o.id = $2 RETURNING o.class, o.length`,
    id,
    documentClass.id,
    now,
    numberList(principalTokens(writing, documentClass)),
    epochToken(writing.rows.instanceId, writing.epoch),
  );
  if (!entry) return;
  writing.countDocuments(entry.class, -1, -entry.length);
  writing.countDocuments(documentClass.id, 1, entry.length);
}

/** Replaces what custom metadata adds to a document. */
export async function describeDocument(writing: Writing, id: number, added: DocumentDescription): Promise<void> {
  const [row] = await writing.rows.all<IndexedRow>(
    `UPDATE documents SET metadata_words = $3, metadata_terms = $4
     WHERE instance_id = $1 AND id = $2 AND (metadata_words <> $3 OR metadata_terms <> $4) RETURNING ${INDEXED_COLUMNS}`,
    id,
    added.words,
    JSON.stringify(added.terms),
  );
  if (!row) return;
  const [place] = await writing.rows.all<{ class: number; principals: number[] | null; kind: number; day: number }>(
    `SELECT e.class, to_json(c.principals) AS principals, e.kind, e.day
     FROM entries e LEFT JOIN classes c ON c.instance_id = $1 AND c.id = e.class WHERE e.instance_id = $1 AND e.id = $2`,
    id,
  );
  if (!place) return;
  const { kind, day } = place;
  await reindex(writing, id, row, { class: { id: place.class, principals: place.principals ?? [] }, kind, day }, false);
}

/** Removes a document, its values of custom metadata, and its index entry. @returns whether it existed */
export async function removeDocument(writing: Writing, id: number): Promise<boolean> {
  const [entry] = await writing.rows.all<Entry>(
    `WITH document AS (DELETE FROM documents WHERE instance_id = $1 AND id = $2),
       metadata AS (DELETE FROM document_metadata WHERE instance_id = $1 AND document_id = $2),
       entry AS (DELETE FROM entries WHERE instance_id = $1 AND id = $2 RETURNING class, length),
       forward AS (DELETE FROM forwards WHERE instance_id = $1 AND id = $2 RETURNING saturation, forward)
     SELECT * FROM entry CROSS JOIN forward`,
    id,
  );
  if (!entry) return false;
  forget(writing, entry);
  return true;
}

/** The parts of an index entry that don't come from the document's texts. */
interface Place {
  readonly class: Class;
  readonly kind: number;
  readonly day: number;
}

/** Writes a document's index entry from its row. */
async function reindex(
  writing: Writing,
  id: number,
  row: IndexedRow,
  { class: documentClass, kind, day }: Place,
  isNew: boolean,
): Promise<void> {
  if (!isNew) {
    const [before] = await writing.rows.all<Entry>(
      `SELECT e.class, e.length, f.saturation, f.forward FROM entries e JOIN forwards f ON f.instance_id = $1 AND f.id = e.id
       WHERE e.instance_id = $1 AND e.id = $2`,
      id,
    );
    if (before) forget(writing, before);
  }
  const { hash } = writing;
  const indexed = indexedOf(writing.rows.instanceId, hash, row, writing.averageLength, (one, level) =>
    writing.words.count(one, level, 1),
  );
  const { length } = indexed;
  for (const word of indexed.words) writing.words.name(hash(word), word);
  await writing.rows.all(
    `WITH entry AS (
       INSERT INTO entries (instance_id, id, class, kind, length, day, tokens) VALUES ($1, $2, $3, $4, $5, $6, $7::int[])
       ON CONFLICT (instance_id, id) DO UPDATE SET class = excluded.class, kind = excluded.kind, length = excluded.length,
         day = excluded.day, tokens = excluded.tokens)
     INSERT INTO forwards (instance_id, id, saturation, forward, stretches) VALUES ($1, $2, $8, $9, $10)
     ON CONFLICT (instance_id, id) DO UPDATE SET saturation = excluded.saturation, forward = excluded.forward,
       stretches = excluded.stretches`,
    id,
    documentClass.id,
    kind,
    length,
    day,
    numberList([
      ...indexed.tokens,
      epochToken(writing.rows.instanceId, writing.epoch),
      ...principalTokens(writing, documentClass),
    ]),
    indexed.saturation,
    indexed.forward,
    indexed.stretches,
  );
  writing.countDocuments(documentClass.id, 1, length);
}

/**
 * Returns the tokens by which a search finds what a person may see, if that is little. Only the class decides whether they may
 * see it.
 */
function principalTokens({ rows }: Writing, { principals }: Class): readonly number[] {
  return principals.map((principal) => principalToken(rows.instanceId, principal));
}

/** The parts of an index entry that come from a document's texts and filter terms. */
export interface Indexed {
  readonly length: number;
  readonly saturation: number;
  readonly tokens: ReadonlySet<number>;
  readonly forward: Uint8Array;
  readonly stretches: Uint8Array | null;
  readonly words: Iterable<string>;
}

/**
 * @param averageLength average number of words of the instance's documents; `null` for the first one
 * @param see called with each of the document's words, by its hash and level
 */
export function indexedOf(
  instanceId: number,
  hash: WordHash,
  row: IndexedRow,
  averageLength: number | null,
  see: (hash: number, level: number) => void,
): Indexed {
  const counted = countWords(textsOf(row));
  const { counts, length, texts } = counted;
  const saturation = saturationOf(length, averageLength ?? length);
  const forward = packedForward(counts, hash);
  const terms = [...authorTerms(row), ...(JSON.parse(row.metadata_terms) as FilterTerm[])];
  const tokens = new Set(terms.map((term) => termToken(instanceId, hash, term)));
  for (const line of texts.flatMap(({ lines }) => lines)) {
    for (const pair of pairTokens(instanceId, line.map(hash))) tokens.add(pair);
  }
  eachWord(forward, saturation, (one, level) => {
    tokens.add(wordToken(instanceId, one)).add(levelToken(instanceId, one, level));
    see(one, level);
  });
  const stretches = packedStretches(counted, forward, hash);
  return { length, saturation, tokens, forward, stretches, words: counts.keys() };
}

function forget(writing: Writing, { class: documentClass, length, saturation, forward }: Entry): void {
  eachWord(forward, saturation, (hash, level) => writing.words.count(hash, level, -1));
  writing.countDocuments(documentClass, -1, -length);
}

/** Calls `see` with each word of a forward entry, by its hash and level. */
function eachWord(entry: Uint8Array, saturation: number, see: (hash: number, level: number) => void): void {
  const words = entry.length / 5;
  const hashes = new DataView(entry.buffer, entry.byteOffset, words * 4);
  for (let at = 0; at < words; at++) {
    see(hashes.getUint32(at * 4, true), Math.min(levelOfPacked(entry[words * 4 + at] ?? 0, saturation), LEVELS - 1));
  }
}
