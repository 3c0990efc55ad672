import { DatabaseSync } from "node:sqlite";
import { mapCommonWords } from "#documents/upkeep/common-words.ts";
import { mergeIndexes } from "#documents/upkeep/merge-indexes.ts";
import { putDocument } from "#documents/write/documents.ts";
import { SqliteStore } from "../../test/support/node/sqlite-store.ts";
import { aclOf, documentOf } from "./corpus.ts";

/** Documents of a transaction. Larger ones are faster, and nobody waits here. */
const STEP = 2000;

/**
 * Writes documents as the object and its alarm do, into its file, while nothing else has it open. Continues an interrupted run.
 */
export function buildDocuments(file: string, until: number, report: (progress: string) => void): void {
  const store = new SqliteStore(file);
  store.exec("PRAGMA synchronous = OFF");
  store.exec("PRAGMA cache_size = -400000");
  const [last] = store.exec<{ id: number | null }>("SELECT max(id) AS id FROM documents");
  for (let from = last?.id ?? 0; from < until; from += STEP) {
    store.transaction(() => {
      for (let at = from; at < Math.min(from + STEP, until); at++) {
        putDocument(store, documentOf(at), 1, 0);
      }
    });
    if (from % 20_000 === 0) report(`wrote ${from + STEP} of ${until} documents`);
  }
  while (!store.transaction(() => mapCommonWords(store)));
  while (!store.transaction(() => mergeIndexes(store)));
  store.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  store.close();
}

/** Writes the same documents for the naive form. */
export function buildNaively(file: string, until: number): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF");
  database.exec("PRAGMA cache_size = -100000");
  const insert = database.prepare("INSERT INTO naive (rowid, title, body, acl) VALUES (?, ?, ?, ?)");
  for (let from = 0; from < until; from += STEP) {
    database.exec("BEGIN");
    for (let at = from; at < Math.min(from + STEP, until); at++) {
      const { title, body, principals } = documentOf(at);
      insert.run(at + 1, title, body, principals.map(aclOf).join(" "));
    }
    database.exec("COMMIT");
  }
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
