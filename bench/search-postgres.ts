/** `npm run bench:search:postgres`: what searches and writing cost on PostgreSQL, and how close to exact weighing they come. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { PostgresBench } from "./search/postgres.ts";
import { Exact } from "./search/exact.ts";
import { measureSearches } from "./search/measurement.ts";
import { searchTablesOf } from "./search/report.ts";

const { values } = parseArgs({
  options: { documents: { type: "string", default: "10000" }, rounds: { type: "string", default: "3" } },
});

const documents = Number(values.documents);
const folder = resolve(".artifacts/bench-search-postgres", values.documents);
const isWritten = () => existsSync(`${folder}/written`);
mkdirSync(folder, { recursive: true });
const bench = await PostgresBench.start(folder);
try {
  if (!isWritten()) {
    console.log(await bench.write(documents, (progress) => console.error(progress)));
    writeFileSync(`${folder}/written`, "");
  }
  const measured = await measureSearches(
    bench,
    () => new Exact(documents),
    { rounds: Number(values.rounds), isNaiveThere: false },
    (progress) => console.error(progress),
  );
  console.log(searchTablesOf(documents, measured));
} finally {
  await bench.stop();
}
