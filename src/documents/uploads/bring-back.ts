import { rowOf } from "#documents/apply.ts";
import { singleGeneration } from "#documents/generations.ts";
import { countOf } from "#documents/counts.ts";
import { setState, type Store } from "#documents/store.ts";
import { importDocument } from "#documents/upkeep/import.ts";
import { writeInStep } from "#documents/write/write-step.ts";
import { eraseSome, forgetRemoved, removedOf, secondOf } from "./removed-documents.ts";
import type { RemovedDocuments, RemovedFate } from "./uploads.ts";

/** Limits of one step. */
const DOCUMENTS_A_STEP = 20;
const CHARACTERS_A_STEP = 200_000;

/** Returns, by datasource, how many documents can be brought back. */
export function removedDocuments(store: Store): RemovedDocuments[] {
  const rows = store.exec<{ datasource: string; documents: number; first: number; last: number; fate: number | null }>(
    `SELECT datasource, count(*) AS documents, min(id) AS first, max(id) AS last,
       (SELECT value FROM state WHERE name = '${FATE}' || datasource) AS fate
     FROM removed_documents GROUP BY datasource ORDER BY datasource`,
  );
  return rows.map(({ datasource, documents, first, last, fate }) => ({
    datasource,
    documents,
    firstRemovedAt: secondOf(first),
    lastRemovedAt: secondOf(last),
    fate: FATES[(fate ?? 0) - 1] ?? null,
  }));
}

/** The names of marks that say what to do with all removed documents of a datasource. */
export const FATE = "fate of removed documents of ";
const FATES: readonly RemovedFate[] = ["bring back", "erase"];

/** Has {@link decideNext} bring back or erase all removed documents of a datasource. @returns how many there are */
export function decideFate(store: Store, datasource: string, fate: RemovedFate): number {
  const found = countOf(store, datasource, "removed");
  if (found === 0) return 0;
  setState(store, `${FATE}${datasource}`, FATES.indexOf(fate) + 1);
  return found;
}

/** Brings back or erases some removed documents for which that was decided. @returns whether there may be more */
export function decideNext(store: Store): boolean {
  const statement = `SELECT name, value FROM state WHERE name GLOB '${FATE}*' LIMIT 1`;
  const [mark] = store.exec<{ name: string; value: number }>(statement);
  if (!mark) return false;
  const datasource = mark.name.slice(FATE.length);
  const isMore =
    FATES[mark.value - 1] === "bring back" ? bringBackSome(store, datasource) : eraseSome(store, datasource);
  if (!isMore) store.exec("DELETE FROM state WHERE name = ?1", mark.name);
  return true;
}

/** @returns whether there may be more */
function bringBackSome(store: Store, datasource: string): boolean {
  const removed = removedOf(store, datasource, DOCUMENTS_A_STEP, CHARACTERS_A_STEP);
  const generation = singleGeneration(store);
  return writeInStep(store, (step) => {
    for (const { document } of removed) {
      const { externalId } = document;
      // What a pipeline has indexed again since is newer.
      if (!rowOf(store, datasource, externalId)) importDocument(store, document, generation, step);
      forgetRemoved(store, datasource, externalId, step);
    }
    return removed.length > 0;
  });
}
