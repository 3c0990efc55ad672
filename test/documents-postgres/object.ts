import { applyChanges } from "#documents/apply.ts";
import { countOf } from "#documents/counts.ts";
import { standingOf } from "#documents/find/explain.ts";
import { Finder } from "#documents/find/find.ts";
import { inspectDocument, listDocuments } from "#documents/inspection/inspect.ts";
import { countByGroup, countByKey } from "#documents/metadata/counting.ts";
import { adoptGroup, forgetGroup } from "#documents/metadata/groups.ts";
import { putValues } from "#documents/metadata/values.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import { importPage } from "#documents/upkeep/import.ts";
import { indexedAt, statsOf } from "#documents/upkeep/stats.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { removeNext } from "#documents/uploads/removal.ts";
import { progressOf, takePage } from "#documents/uploads/take-page.ts";
import { noteError, statusesOf } from "#documents/uploads/uploads.sql.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";

/** Returns the other engine's calls as its object performs them, without an object. */
export function objectCalls(clock: () => number) {
  const store = new SqliteStore();
  const finder = new Finder(store);
  const write =
    <Given extends unknown[], Result>(act: (of: SqliteStore, ...given: Given) => Result) =>
    (...given: Given) =>
      store.transaction(() => act(store, ...given));
  return {
    apply: write((of, changes: Parameters<typeof applyChanges>[1]) => applyChanges(of, changes, clock())),
    find: finder.find.bind(finder),
    read: finder.read.bind(finder),
    maySee: finder.maySee.bind(finder),
    explainAccess: finder.explainAccess.bind(finder),
    standingOf: write(standingOf),
    listDocuments: write(listDocuments),
    inspectDocument: write(inspectDocument),
    count: write((of, datasource: string) => countOf(of, datasource, "documents")),
    changeRights: write(changeRights),
    takePage: write((of, part: Parameters<typeof takePage>[1]) => takePage(of, part, clock())),
    removeNext: write((of, target: Parameters<typeof progressOf>[1]) => {
      removeNext(of, target, clock());
      return progressOf(of, target);
    }),
    uploads: write(statusesOf),
    noteUploadError: write((of, target: Parameters<typeof noteError>[1], message: string) =>
      noteError(of, target, message, clock()),
    ),
    putValues: write(putValues),
    adoptGroup: write((of, group: Parameters<typeof adoptGroup>[1]) => void adoptGroup(of, group)),
    forgetGroup: write(forgetGroup),
    countByGroup: write(countByGroup),
    countByKey: write(countByKey),
    stats: write(statsOf),
    indexedAt: write(indexedAt),
    exportPage: write(exportPage),
    importPage: write((of, page: Parameters<typeof importPage>[1]) => importPage(of, page, clock())),
    upkeep: write((of) => {
      const due = upkeepStep(of, clock());
      return due !== null && due <= clock();
    }),
    close: () => store.close(),
  };
}
