import type { Store } from "#documents/store.ts";
import { MOVED_TABLES, TABLE_KINDS } from "./rows.sql.ts";
import type { Tally } from "./transfer.ts";

/** Tables by the name of their count. Marks aren't counted, because an engine may have one that says nothing yet. */
const TALLIED_TABLES: readonly (readonly [name: string, table: string])[] = [
  ...TABLE_KINDS.map((kind) => [kind, MOVED_TABLES[kind].table] as const),
  ["removed", "removed_documents"],
  ["metadataGroup", "metadata_groups"],
  ["metadataKey", "metadata_keys"],
  ["values", "document_metadata"],
];

/** Counts what moves. Documents are counted by datasource, together with the sum of their generations. */
export function tally(store: Store): Tally {
  const found: Record<string, number> = {};
  const documents = store.exec<{ datasource: string; count: number; generations: number }>(
    "SELECT datasource, count(*) AS count, sum(generation) AS generations FROM documents GROUP BY datasource",
  );
  for (const { datasource, count, generations } of documents) {
    found[`documents of ${datasource}`] = count;
    found[`generations of ${datasource}`] = generations;
  }
  for (const [name, table] of TALLIED_TABLES) {
    found[name] = store.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count ?? 0;
  }
  return found;
}

/** Returns what two engines have in different numbers; `undefined`: nothing. */
export function differenceOf(source: Tally, target: Tally): string | undefined {
  const kinds = [...new Set([...Object.keys(source), ...Object.keys(target)])];
  const differing = kinds.filter((kind) => (source[kind] ?? 0) !== (target[kind] ?? 0));
  if (differing.length === 0) return undefined;
  const shown = differing.slice(0, 5).map((kind) => `${kind}: ${source[kind] ?? 0} and ${target[kind] ?? 0}`);
  return shown.join("; ");
}

/** Returns how many documents were counted. */
export function documentsIn(counts: Tally): number {
  return Object.entries(counts).reduce(
    (sum, [kind, count]) => (kind.startsWith("documents of ") ? sum + count : sum),
    0,
  );
}
