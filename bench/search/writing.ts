import { copyFileSync, rmSync } from "node:fs";
import { buildDocuments, buildNaively } from "./building.ts";
import { SearchWorkerd } from "./workerd.ts";

/** What writing cost. */
export interface Written {
  readonly documentsPerSecond: number;
  /** Milliseconds of CPU. */
  readonly cpuPerDocument: number;
  readonly bytesPerDocument: number;
  /** Single steps at full size in milliseconds of CPU. `floor` was measured in the same place at the same time. */
  readonly step: { readonly middle: number; readonly most: number; readonly documents: number; readonly floor: number };
}

/**
 * The last documents, which are written by the calls of a bulk upload and measured. Those before them are written directly.
 */
const MEASURED = 3000;

/** Documents in a page, as a pipeline sends them. */
const PAGE = 500;

/** With more documents than this, searches in the naive form are too slow. */
export const NAIVE_DOCUMENTS_MAX = 100_000;

/**
 * Writes everything that is searched, and keeps it for the next run.
 *
 * @param database a file with the first documents, as an object or `buildDocuments` wrote them
 */
export async function writeDocuments(
  documents: number,
  database: string | undefined,
  report: (progress: string) => void,
): Promise<void> {
  const empty = await SearchWorkerd.start(documents);
  await empty.ask({ act: "floor" });
  await empty.ask({ act: "find naively", person: "20", query: "nothing", isPhrase: false });
  await empty.stop();
  const file = empty.databaseOf("DocumentsObject");
  if (database !== undefined) {
    for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
    copyFileSync(database, file);
  }
  buildDocuments(file, documents - MEASURED, report);
  if (documents <= NAIVE_DOCUMENTS_MAX) buildNaively(empty.databaseOf("NaiveDocuments"), documents);
  const workerd = await SearchWorkerd.start(documents);
  try {
    await workerd.ask({ act: "write rights" });
    workerd.keep(JSON.stringify(await measureWriting(workerd, documents)));
  } finally {
    await workerd.stop();
  }
}

async function measureWriting(workerd: SearchWorkerd, documents: number): Promise<Written> {
  let milliseconds = 0;
  const steps: number[] = [];
  const floors: number[] = [];
  for (let from = documents - MEASURED; from < documents; from += PAGE) {
    const until = Math.min(from + PAGE, documents);
    const parts = await workerd.ask<number>({ act: "prepare", from, until, isFirst: steps.length === 0 });
    for (let part = 0; part < parts; part++) {
      floors.push(((await workerd.cpu.during(() => workerd.ask({ act: "floor" }))) ?? 0) / 1000);
      const begin = performance.now();
      const cpu = await workerd.cpu.during(() => workerd.ask({ act: "take part" }));
      milliseconds += performance.now() - begin;
      steps.push((cpu ?? 0) / 1000);
    }
  }
  const { bytes } = await workerd.ask<{ bytes: number }>({ act: "stats" });
  const total = steps.reduce((sum, one) => sum + one, 0);
  steps.sort((one, other) => one - other);
  floors.sort((one, other) => one - other);
  return {
    documentsPerSecond: (MEASURED / milliseconds) * 1000,
    cpuPerDocument: total / MEASURED,
    bytesPerDocument: bytes / documents,
    step: {
      middle: steps[steps.length >> 1] ?? 0,
      most: steps.at(-1) ?? 0,
      documents: MEASURED / steps.length,
      floor: floors[floors.length >> 1] ?? 0,
    },
  };
}
