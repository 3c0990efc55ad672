import { runInDurableObject } from "cloudflare:test";
import { applyChanges } from "#documents/apply.ts";
import type { Store } from "#documents/store.ts";
import { mapCommonWords } from "#documents/upkeep/common-words.ts";
import { expect, it } from "vitest";
import { aDocument } from "../documents/document.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

/** Rows of a new document whose words and permissions are known: its own with four indexes, two of the index, and its words. */
const ROWS_A_DOCUMENT = 8;

/** Rows of a step: four numbers, the count of the datasource, a block of doc values and one of impact bitmaps, both with their versions. */
const ROWS_A_STEP = 4 + 1 + 2 + 2;

it.each([1, 20, 150])("a step of %i documents writes what they share once", async (documents) => {
  const instance = await makeInstance(`acme${documents}`);
  const written = await runInDurableObject(env.DOCUMENTS.getByName(String(instance.id)), (_object, { storage }) => {
    let rows = 0;
    const store: Store = {
      exec: <Row>(statement: string, ...values: SqlStorageValue[]) => {
        const cursor = storage.sql.exec(statement, ...values);
        const found = cursor.toArray() as Row[];
        rows += cursor.rowsWritten;
        return found;
      },
    };
    let next = 1;
    const writeStep = (count: number) => {
      rows = 0;
      const changes = Array.from({ length: count }, () => ({
        act: "put" as const,
        document: aDocument(String(next++), { title: "Heron report", body: "Wading birds of the marsh" }),
      }));
      storage.transactionSync(() => applyChanges(store, changes, 0));
      return rows;
    };
    writeStep(100);
    while (!storage.transactionSync(() => mapCommonWords(store, 1)));
    return writeStep(documents);
  });
  expect(written).toBe(documents * ROWS_A_DOCUMENT + ROWS_A_STEP);
});
