import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import postgres from "postgres";
import type { Principal } from "#documents/engine.ts";
import { dayOfSeconds } from "#documents/index-rules.ts";
import { WRITTEN_COLUMNS, writtenValues } from "#documents/write/document-row.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import { instanceOf, wordHashOf } from "#documents-postgres/instance.ts";
import { principalToken } from "#documents-postgres/tokens.ts";
import { indexedOf } from "#documents-postgres/write/documents.ts";
import { WordCounts } from "#documents-postgres/write/word-counts.ts";
import { foldTerm } from "#protocol/folding.ts";
import { documentOf } from "./corpus.ts";

/** Documents to write before checking whether the server keeps up. */
const STEP = 500;

type Value = string | number | null | Uint8Array;

/** Assigns ids to names, in the order in which the names first appear. */
class Ids<Name> {
  readonly #ids = new Map<string, number>();
  readonly names: Name[] = [];

  idOf(name: Name): number {
    const key = JSON.stringify(name);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.names.push(name));
    return this.names.length;
  }
}

/**
 * Writes the same tables as the engine does document by document, but by COPY and with the indexes created last. That takes
 * minutes instead of hours.
 */
export async function copyDocuments(
  address: string,
  instanceId: number,
  documents: number,
  report: (progress: string) => void,
): Promise<void> {
  const sql = postgres(address, {
    max: 4,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { search_path: "gatehouse", maintenance_work_mem: "1GB", synchronous_commit: "off" },
  });
  try {
    await withoutIndexes(sql, report, () => copyRows(sql, instanceId, documents, report));
  } finally {
    await sql.end();
  }
}

/**
 * Drops the larger indexes while rows are written, and creates them afterwards. Updating them row by row takes many times as
 * long.
 */
export async function withoutIndexes(
  sql: postgres.Sql,
  report: (progress: string) => void,
  writeRows: () => Promise<void>,
): Promise<void> {
  const indexes = await sql<{ name: string; made: string }[]>`
    SELECT c.relname AS name, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') AS made
    FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    WHERE i.indrelid IN ('gatehouse.entries'::regclass, 'gatehouse.documents'::regclass)
      AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = c.oid)`;
  for (const { name } of indexes) await sql.unsafe(`DROP INDEX gatehouse.${name}`);
  await writeRows();
  for (const { name, made } of indexes) {
    report(`making the index ${name}`);
    await sql.unsafe(made);
  }
}

async function copyRows(
  sql: postgres.Sql,
  instanceId: number,
  documents: number,
  report: (progress: string) => void,
): Promise<void> {
  const all: Rows["all"] = async <Row>(statement: string, ...values: readonly Value[]) =>
    Array.from((await sql.unsafe(statement, [instanceId, ...values] as never[])) as unknown as Row[]);
  const rows: Rows = { instanceId, all, byKey: all };
  const hash = wordHashOf(await instanceOf(rows));
  const words = new WordCounts(rows);
  const principals = new Ids<Pick<Principal, "kind" | "datasource" | "name">>();
  const kinds = new Ids<readonly [datasource: string, objectType: string]>();
  const classes = new Ids<readonly number[]>();
  const counts: { documents: number; length: number }[] = [];
  const datasources = new Map<string, number>();
  let length = 0;
  const texts = await sql
    .unsafe(
      `COPY documents (instance_id, id, datasource, external_id, generation, indexed_at, ${WRITTEN_COLUMNS}) FROM STDIN`,
    )
    .writable();
  const entries = await sql
    .unsafe("COPY entries (instance_id, id, class, kind, length, day, tokens) FROM STDIN")
    .writable();
  const forwards = await sql
    .unsafe("COPY forwards (instance_id, id, saturation, forward, stretches) FROM STDIN")
    .writable();
  for (let from = 0; from < documents; from += STEP) {
    let textLines = "";
    let entryLines = "";
    let forwardLines = "";
    for (let at = from; at < Math.min(from + STEP, documents); at++) {
      const document = documentOf(at);
      const { datasource, externalId, objectType, title, keywords, body, authorName, authorEmail } = document;
      const id = at + 1;
      const row = { title, keywords, body, author_name: authorName, author_email: authorEmail };
      const indexed = indexedOf(
        instanceId,
        hash,
        { ...row, metadata_words: "", metadata_terms: "[]" },
        at === 0 ? null : length / at,
        (one, level) => words.count(one, level, 1),
      );
      for (const word of indexed.words) words.name(hash(word), word);
      const ids = document.principals.map(({ kind, datasource: of, name }) =>
        principals.idOf({ kind, datasource: of, name }),
      );
      const held = [...new Set(ids)].sort((one, other) => one - other);
      const documentClass = held.length === 0 ? 0 : classes.idOf(held);
      const count = (counts[documentClass] ??= { documents: 0, length: 0 });
      count.documents++;
      count.length += indexed.length;
      length += indexed.length;
      datasources.set(datasource, (datasources.get(datasource) ?? 0) + 1);
      const kind = kinds.idOf([foldTerm(datasource), foldTerm(objectType)]);
      textLines += line([instanceId, id, datasource, externalId, 1, 0, ...writtenValues(document)]);
      const { saturation, forward, stretches } = indexed;
      const tokens = numberList([...indexed.tokens, ...held.map((one) => principalToken(instanceId, one))]);
      const day = dayOfSeconds(document.updatedAt);
      entryLines += line([instanceId, id, documentClass, kind, indexed.length, day, tokens]);
      forwardLines += line([instanceId, id, saturation, forward, stretches]);
    }
    await Promise.all([write(texts, textLines), write(entries, entryLines), write(forwards, forwardLines)]);
    if (from % 20_000 === 0) report(`copied ${from} of ${documents} documents`);
  }
  await Promise.all([end(texts), end(entries), end(forwards)]);
  await words.keep();
  const copy = async (columns: string, lines: Iterable<string>) => {
    const table = await sql.unsafe(`COPY ${columns} FROM STDIN`).writable();
    for (const one of lines) await write(table, one);
    await end(table);
  };
  await copy(
    "principals (instance_id, id, kind, datasource, name)",
    principals.names.map(({ kind, datasource, name }, at) => line([instanceId, at + 1, kind, datasource, name])),
  );
  await copy(
    "kinds (instance_id, id, datasource, object_type)",
    kinds.names.map((kind, at) => line([instanceId, at + 1, ...kind])),
  );
  await copy(
    "classes (instance_id, id, fingerprint, principals, documents, length)",
    classes.names.map((ids, at) => {
      const list = `{${ids.join(",")}}`;
      const fingerprint = createHash("md5").update(list).digest("hex");
      return line([instanceId, at + 1, fingerprint, list, counts[at + 1]?.documents ?? 0, counts[at + 1]?.length ?? 0]);
    }),
  );
  await copy(
    "class_principals (instance_id, principal, class)",
    classes.names.flatMap((ids, at) => ids.map((id) => line([instanceId, id, at + 1]))),
  );
  await copy(
    "datasources (instance_id, name, documents)",
    [...datasources].map(([name, count]) => line([instanceId, name, count])),
  );
  await rows.all(
    `UPDATE instances SET last_document = $2, last_class = $3, last_name = $4, documents = $2, length = $5, rights = 1, version = 1
     WHERE instance_id = $1`,
    documents,
    classes.names.length,
    principals.names.length + kinds.names.length,
    length,
  );
}

function line(values: readonly Value[]): string {
  return `${values.map(field).join("\t")}\n`;
}

const ESCAPED: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function field(value: Value): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return value.replace(/[\\\t\n\r]/g, (one) => ESCAPED[one] ?? one);
  return typeof value === "number" ? String(value) : `\\\\x${Buffer.from(value).toString("hex")}`;
}

async function write(table: Writable, lines: string): Promise<void> {
  if (!table.write(lines)) await once(table, "drain");
}

async function end(table: Writable): Promise<void> {
  table.end();
  await once(table, "finish");
}
