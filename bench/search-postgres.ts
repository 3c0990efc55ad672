/**
 * `npm run bench:search:postgres`: compares the object and PostgreSQL. The same people run the same searches over the same
 * documents in both, in turns. It measures what these cost, how close to exact weighing they come, and how many of their results
 * are the same. `--times 4` measures what searches cost in PostgreSQL alone with four times as many documents, by four copies of
 * each.
 */
import { parseArgs } from "node:util";
import { Exact } from "./search/exact.ts";
import { measureSearches } from "./search/measurement.ts";
import { PostgresBench } from "./search/postgres.ts";
import { searchTablesOf, writingOf } from "./search/report.ts";
import { sideBySide } from "./search/side-by-side.ts";
import { SearchWorkerd } from "./search/workerd.ts";
import { type Written, writeDocuments } from "./search/writing.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
    times: { type: "string", default: "1" },
  },
});

const [documents, rounds, times] = [values.documents, values.rounds, values.times].map(Number) as [
  number,
  number,
  number,
];
const report = (progress: string) => console.error(progress);
const started: { stop(): unknown }[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await stopAll();
    process.exit(130);
  });
}

try {
  await (times > 1 ? measureMany() : measureBoth());
} finally {
  await stopAll();
}

async function measureBoth(): Promise<void> {
  if (!SearchWorkerd.isWritten(documents)) await writeDocuments(documents, undefined, report);
  const { bench, written } = await PostgresBench.written(documents, report);
  started.push(bench);
  const workerd = await SearchWorkerd.start(documents);
  started.push(workerd);
  const settings = { rounds, isNaiveThere: false };
  const [object, postgres] = await measureSearches([workerd, bench], () => new Exact(documents), settings, report);
  if (object && postgres) console.log(sideBySide(documents, object, postgres));
  console.log(`\nObject. ${writingOf(JSON.parse(workerd.kept()) as Written)}\nPostgreSQL. ${written}`);
}

async function measureMany(): Promise<void> {
  const bench = await PostgresBench.multiplied(documents, times, report);
  started.push(bench);
  const [postgres] = await measureSearches([bench], null, { rounds, isNaiveThere: false }, report);
  if (postgres) console.log(searchTablesOf(documents * times, postgres));
}

async function stopAll(): Promise<void> {
  for (const running of started.splice(0)) await running.stop();
}
