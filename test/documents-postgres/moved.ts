import { applyChanges } from "#documents/apply.ts";
import type { EngineCalls } from "#documents/documents.ts";
import { adoptGroup, forgetGroup } from "#documents/metadata/groups.ts";
import { putValues } from "#documents/metadata/values.ts";
import { requireWritable } from "#documents/moving/holding.ts";
import { holdingOf } from "#documents/moving/state.sql.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import type { ExportPage } from "#documents/upkeep/keeping.ts";
import { removeNext } from "#documents/uploads/removal.ts";
import { takePage } from "#documents/uploads/take-page.ts";
import type { SqliteStore } from "../support/node/sqlite-store.ts";

/** The calls that pipelines and backups make to an engine. */
export type Calls = Pick<
  EngineCalls,
  "apply" | "changeRights" | "putValues" | "adoptGroup" | "forgetGroup" | "takePage" | "removeNext" | "exportPage"
>;

/** Returns an instance's object, as the Worker calls it. */
export function objectOf(store: SqliteStore, now: () => number): Calls {
  const write = async <Result>(act: () => Result): Promise<Result> =>
    store.transaction(() => {
      requireWritable(holdingOf(store));
      return act();
    });
  return {
    apply: (_id, changes) => write(() => applyChanges(store, changes, now())),
    changeRights: (_id, datasource, change) => write(() => changeRights(store, datasource, change)),
    putValues: (_id, document, group, values) => write(() => putValues(store, document, group, values)),
    adoptGroup: (_id, group) => write(() => void adoptGroup(store, group)),
    forgetGroup: (_id, name, upTo) => write(() => forgetGroup(store, name, upTo)),
    takePage: (_id, part) => write(() => takePage(store, part, now())),
    removeNext: (_id, target) => write(() => removeNext(store, target, now()) as never),
    exportPage: async (_id, after) => exportPage(store, after),
  };
}

/** Returns the lines of an instance's backup, in any order. */
export async function linesOf(calls: Calls, id: number): Promise<Set<string>> {
  const lines = new Set<string>();
  for (let after: string | null = null; ; ) {
    const page: ExportPage = await calls.exportPage(id, after);
    for (const line of page.lines) {
      if ("document" in line) {
        const { principals, ...document } = line.document;
        const names = principals.map(({ kind, datasource, name }) => `${kind} ${datasource} ${name}`);
        lines.add(
          JSON.stringify(
            Object.entries({ ...document, names: new Set(names).size }).toSorted(([one], [other]) =>
              one < other ? -1 : 1,
            ),
          ) + names.toSorted().join(),
        );
      } else lines.add(JSON.stringify(Object.entries(line)));
    }
    if (page.next === null) return lines;
    after = page.next;
  }
}
