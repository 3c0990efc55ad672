/**
 * `npm run bench:search`: measures what searches and writing cost in the documents object, and how close to exact weighing they
 * come.
 */
import { parseArgs } from "node:util";
import { Exact } from "./search/exact.ts";
import { measureFlood, type Waits } from "./search/flood.ts";
import { measureSearches } from "./search/measurement.ts";
import { tablesOf } from "./search/report.ts";
import { SearchWorkerd } from "./search/workerd.ts";
import { NAIVE_DOCUMENTS_MAX, type Written, writeDocuments } from "./search/writing.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", multiple: true, default: ["10000"] },
    /** A database that this bench wrote before. Only the documents that it lacks are written. */
    database: { type: "string" },
    rounds: { type: "string", default: "3" },
    /** Only measures how long searches of a second object take while the first is flooded with searches. */
    flood: { type: "boolean", default: false },
  },
});

const started: { stop(): unknown }[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await stopAll();
    process.exit(130);
  });
}

try {
  for (const documents of values.documents.map(Number)) {
    if (!SearchWorkerd.isWritten(documents)) await writeDocuments(documents, values.database, report);
    if (values.flood) {
      const workerd = await SearchWorkerd.start(documents);
      started.push(workerd);
      const { alone, beside } = await measureFlood(workerd);
      const line = ({ p50, p99 }: Waits) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
      console.log(`Another object: ${line(alone)}; while ${documents} documents are flooded: ${line(beside)}`);
      await stopAll();
      continue;
    }
    const workerd = await SearchWorkerd.start(documents);
    started.push(workerd);
    const written = JSON.parse(workerd.kept()) as Written;
    const rounds = Number(values.rounds);
    const [measured] = await measureSearches(
      [workerd],
      () => new Exact(documents),
      { rounds, isNaiveThere: documents <= NAIVE_DOCUMENTS_MAX },
      report,
    );
    if (measured) console.log(tablesOf(documents, written, measured));
    await stopAll();
  }
} finally {
  await stopAll();
}

function report(progress: string): void {
  console.error(progress);
}

async function stopAll(): Promise<void> {
  for (const running of started.splice(0)) await running.stop();
}
