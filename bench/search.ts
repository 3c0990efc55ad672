/** `npm run bench:search -- --documents N`: what a search costs beside the shortest statement, and how well it ranks. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { unstable_startWorker as startWorker } from "wrangler";
import { buildCorpus, NEVER_TOGETHER, PEOPLE, wordOfRank } from "./search/corpus.ts";
import { type Line, type Run, toTable, writeReport } from "./search/report.ts";
import type { Measured, Order } from "./search/worker.ts";

const ROUNDS = 9;

/** The naive form takes so long that it is run less often. */
const NAIVE_ROUNDS = 3;

const FOLDER = ".artifacts/bench-search";

const word = wordOfRank;

/** Query kinds. A space at the end: the last word is finished. */
const QUERIES: Readonly<Record<string, string>> = {
  "no such word": "zzzzzz ",
  rare: `${word(30_000)} `,
  middle: `${word(1500)} `,
  common: `${word(16)} `,
  "in every document": `${word(1)} `,
  "two common": `${word(16)} ${word(17)} `,
  "eight common": `${Array.from({ length: 8 }, (_, at) => word(10 + at)).join(" ")} `,
  "rare and common": `${word(30_000)} ${word(16)} `,
  "middle and in every": `${word(1500)} ${word(1)} `,
  "two that never meet": `${NEVER_TOGETHER.join(" ")} `,
  phrase: `"${word(16)} ${word(17)}"`,
  "phrase of the commonest": `"${word(1)} ${word(16)}"`,
  facet: `${word(16)} reviewstatus:approved`,
  "facet and facets": `${word(16)} reviewstatus:approved`,
  "prefix of two letters": word(16).slice(0, 2),
  "prefix of five letters": word(30_000).slice(0, 5),
  "prefix of six letters": word(400),
  "common, without a word": `${word(60)} -${word(16)}`,
  "common, in one month": `${word(16)} last_updated_at:2022-01-05`,
};

const { values } = parseArgs({ options: { documents: { type: "string", default: "10000" } } });
const documents = Number(values.documents);
if (!Number.isInteger(documents) || documents < 100) throw new Error("--documents takes a number from 100");

const folder = join(FOLDER, String(documents));
const config = join(FOLDER, "wrangler.json");
const stamp = join(folder, "built");
mkdirSync(FOLDER, { recursive: true });
writeFileSync(
  config,
  JSON.stringify({
    name: "bench-search",
    main: "../../bench/search/worker.ts",
    compatibility_date: "2026-11-02",
    d1_databases: [{ binding: "DB", database_name: "bench", database_id: "bench" }],
  }),
);

const buildSeconds = existsSync(stamp) ? Number(readFileSync(stamp, "utf8")) : await build();
const worker = await start();
try {
  const run = await measureAll(buildSeconds);
  console.log(toTable(run));
  writeFileSync(join(FOLDER, `${documents}.json`), JSON.stringify(run));
  const sizes = readdirSync(FOLDER).filter((name) => /^\d+\.json$/.test(name));
  const runs = sizes.map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Run);
  writeReport(runs.sort((left, right) => left.documents - right.documents));
} finally {
  await worker.dispose();
}

function start() {
  const server = { port: 0 };
  return startWorker({ config, dev: { persist: folder, server, inspector: false, watch: false, logLevel: "error" } });
}

/** Lets Miniflare make its database, and puts the corpus in its place. */
async function build(): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  const maker = await start();
  await ask(maker, { what: "floor", person: "", query: "", facets: false, times: 1 }).catch(() => undefined);
  await maker.dispose();
  const file = databaseFile();
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  const begin = performance.now();
  buildCorpus(file, documents);
  const seconds = (performance.now() - begin) / 1000;
  console.log(`built ${documents} documents in ${seconds.toFixed(0)} s`);
  writeFileSync(stamp, String(seconds));
  return seconds;
}

function databaseFile(): string {
  const files = readdirSync(folder, { recursive: true }).map(String);
  const found = files.find((name) => /D1DatabaseObject.[0-9a-f]+\.sqlite$/.test(name));
  if (found === undefined) throw new Error("Miniflare made no database");
  return join(folder, found);
}

async function ask(of: Awaited<ReturnType<typeof start>>, order: Order): Promise<Measured> {
  const response = await of.fetch("http://bench/", { method: "POST", body: JSON.stringify(order) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Measured;
}

async function measureAll(seconds: number): Promise<Run> {
  const lines: Line[] = [];
  const floors: number[] = [];
  for (const [kind, query] of Object.entries(QUERIES))
    for (const person of PEOPLE) {
      const order: Order = { what: "search", person, query, facets: kind === "facet and facets", times: 4 };
      const { floor, time, measured } = await beside(order, ROUNDS);
      const naive = /without|month|and facets/.test(kind)
        ? null
        : await beside({ ...order, what: "naive", times: 1 }, NAIVE_ROUNDS);
      floors.push(floor);
      const wanted = naive?.measured.rows.slice(0, 10);
      const ours = measured.rows.slice(0, 10);
      lines.push({
        kind,
        person,
        mode: measured.mode,
        floors: time / floor,
        rowsRead: measured.rowsRead,
        naiveFloors: naive && naive.time / naive.floor,
        agreeing: wanted ? [wanted.filter((row) => ours.includes(row)).length, wanted.length] : null,
        isSameOrder: wanted?.join() === ours.join(),
      });
    }
  const megabytes = Math.round(statSync(databaseFile()).size / 2 ** 20);
  return { documents, megabytes, buildSeconds: seconds, floorMilliseconds: middle(floors), lines };
}

/** Measures a query and the floor in turns, so that what else the machine does falls on both. */
async function beside(order: Order, rounds: number) {
  const floors: number[] = [];
  const times: number[] = [];
  let measured = await ask(worker, { ...order, times: 1 });
  for (let round = 0; round < rounds; round += 1) {
    floors.push((await ask(worker, { ...order, what: "floor", times: 20 })).milliseconds);
    measured = await ask(worker, order);
    times.push(measured.milliseconds);
  }
  return { floor: middle(floors), time: middle(times), measured };
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? 0;
}
