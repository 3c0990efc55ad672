/**
 * `npm run bench:shards -- --documents 40000 --shards 1 --shards 4`: measures what searches cost in several shards, and how close
 * to exact weighing they come, on the same documents in one run. It runs the engine in Node, over SQLite in memory.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseRequest } from "#client-api/search/request.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { shardOf } from "#documents/sharding/layout.ts";
import { mapCommonWords } from "#documents/upkeep/common-words.ts";
import { mergeIndexes } from "#documents/upkeep/merge-indexes.ts";
import { INSTANCE, LocalShards } from "../test/documents/sharding/objects.ts";
import { DATASOURCES, directoryGroupsOf, documentOf, PERSONS, projectGroupsOf } from "./search/corpus.ts";
import { Exact } from "./search/exact.ts";
import { KeptDatabase } from "./search/kept.ts";
import { KINDS } from "./search/questions.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "40000" },
    shards: { type: "string", multiple: true, default: ["1", "4"] },
    rounds: { type: "string", default: "5" },
  },
});
const documents = Number(values.documents);
const rounds = Number(values.rounds);

/** What decides how the databases look. */
const WRITERS = [
  "src/documents/write",
  "src/documents/upkeep",
  "src/documents/schema.sql.ts",
  "bench/search/corpus.ts",
];

/** Documents of one request. */
const STEP = 2000;

/** An instance, with the milliseconds of CPU that each shard's calls took since they were last set to zero. */
interface Measured {
  readonly shards: LocalShards;
  readonly times: number[];
  readonly calls: number[];
}

/** Replaces a shard's call by one that adds up its CPU time. */
function timed({ shards, times, calls }: Measured): void {
  for (const [shard, object] of shards.objects.entries()) {
    const own = object.calls as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    for (const name of ["find", "findInShard", "rightsOf"]) {
      const call = own[name];
      if (!call) continue;
      own[name] = (...given: unknown[]) => {
        const begin = process.threadCpuUsage();
        // Without anything that it waits for, the call is done when it returns.
        const answer = call(...given);
        const { user, system } = process.threadCpuUsage(begin);
        times[shard] = (times[shard] ?? 0) + (user + system) / 1000;
        if (name !== "rightsOf") calls[shard] = (calls[shard] ?? 0) + 1;
        return answer;
      };
    }
  }
}

/** Opens an instance's databases, which are written first if no earlier run has. */
async function open(count: number): Promise<Measured> {
  const kept = new KeptDatabase(`shards-${count}`, documents, WRITERS);
  mkdirSync(kept.folder, { recursive: true });
  const fileOf = (shard: number) => join(kept.folder, `${shard}.sqlite`);
  const shards = new LocalShards(count, { clock: () => 0, isTrusted: true, fileOf });
  if (!kept.isWritten) kept.keep(await write(shards));
  console.error(`${count} shards: ${kept.measured}`);
  const measured = { shards, times: [], calls: [] };
  timed(measured);
  return measured;
}

async function write(shards: LocalShards): Promise<string> {
  for (const { store } of shards.objects) store.exec("PRAGMA synchronous = OFF");
  for (const person of PERSONS) {
    for (const datasource of DATASOURCES) {
      for (const name of projectGroupsOf(person)) {
        await shards.documents.changeRights(INSTANCE, datasource, {
          act: "describe",
          described: { kind: "groups", name },
        });
        const membership = { groupName: name, memberKind: "user", member: person.email } as const;
        await shards.documents.changeRights(INSTANCE, datasource, {
          act: "describe",
          described: { kind: "memberships", membership },
        });
      }
    }
  }
  const begin = performance.now();
  for (let from = 0; from < documents; from += STEP) {
    const changes = Array.from({ length: Math.min(STEP, documents - from) }, (_, at) => {
      return { act: "put", document: documentOf(from + at) } as const;
    });
    await shards.documents.apply(INSTANCE, changes);
    if (from % 20_000 === 0) console.error(`wrote ${from + STEP} of ${documents} documents`);
  }
  const perSecond = (documents / (performance.now() - begin)) * 1000;
  for (const { store } of shards.objects) {
    while (!store.transaction(() => mapCommonWords(store)));
    while (!store.transaction(() => mergeIndexes(store)));
  }
  return `wrote ${perSecond.toFixed(0)} documents a second on one core`;
}

const exact = new Exact(documents);
const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

for (const count of values.shards.map(Number)) {
  const measured = await open(count);
  console.log(`\n### ${documents.toLocaleString("en")} documents, ${count} ${count === 1 ? "shard" : "shards"}\n`);
  console.log(
    "| search | slowest shard, ms | all shards, ms | asked again | lowest gain |\n| --- | ---: | ---: | ---: | ---: |",
  );
  let again = 0;
  let searches = 0;
  for (const kind of KINDS) {
    const cells = [];
    for (const person of PERSONS) {
      const seer = { email: person.email, directoryGroups: directoryGroupsOf(person) };
      const gains: number[] = [];
      let best = { slowest: Infinity, sum: Infinity };
      let repeated = 0;
      for (let round = 0; round <= rounds; round++) {
        measured.times.length = 0;
        measured.calls.length = 0;
        for (const question of kind.questions) {
          const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: question.query });
          const search = { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
          const page = await measured.shards.documents.find(INSTANCE, search, seer);
          if (round > 0 || !question.isJudged || page.correctedWords.length > 0) continue;
          const found = page.documents.map(({ externalId }) => Number(externalId));
          gains.push(exact.judge(question, person, found).gain);
        }
        const times = measured.times.map((time) => time / kind.questions.length);
        const now = { slowest: Math.max(...times), sum: times.reduce((sum, one) => sum + one, 0) };
        if (round > 0 && now.sum < best.sum) best = now;
        repeated = measured.calls.reduce((sum, one) => sum + one, 0) - count * kind.questions.length;
      }
      again += repeated > 0 ? 1 : 0;
      searches += 1;
      cells.push({ ...best, repeated, gain: gains.length === 0 ? null : mean(gains) });
    }
    const judged = cells.flatMap(({ gain }) => gain ?? []);
    console.log(
      `| ${kind.name} | ${Math.max(...cells.map(({ slowest }) => slowest)).toFixed(1)} | ${Math.max(...cells.map(({ sum }) => sum)).toFixed(1)} | ${cells.filter(({ repeated }) => repeated > 0).length} of ${cells.length} | ${judged.length === 0 ? "–" : Math.min(...judged).toFixed(2)} |`,
    );
  }
  console.log(`\nKinds of searches for which some shard was asked again: ${again} of ${searches}.`);
  const sizes = measured.shards.objects.map(
    ({ store }) => store.exec<{ n: number }>("SELECT count(*) AS n FROM documents")[0]?.n ?? 0,
  );
  console.log(
    `Documents in the shards: ${Math.min(...sizes)} to ${Math.max(...sizes)}; the first is in shard ${shardOf("0", count)}.`,
  );
  measured.shards.close();
}
