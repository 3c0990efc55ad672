/**
 * `npm run bench:relevance -- --collection FOLDER`: measures the relevance of the Client API's results, by a collection with
 * judgements; with `--shards 4`, in an instance with four shards.
 */
import { parseArgs } from "node:util";
import { Chance } from "../test/support/chance.ts";
import { Collection } from "./relevance/collection.ts";
import { type Judged, type Measures, measure } from "./relevance/measures.ts";
import { RelevanceService } from "./relevance/service.ts";

/** Each document belongs to one of this many groups, at random. */
const GROUPS = 8;
const EVERYTHING = "all@acme.example";
const SOME = { email: "some@acme.example", groups: [0, 1, 2].map(groupName) };

const { values } = parseArgs({ options: { collection: { type: "string" }, shards: { type: "string" } } });
if (values.collection === undefined) {
  throw new Error("--collection takes a folder with documents, questions and judgements, .jsonl each");
}
const collection = new Collection(values.collection);
const { documents, questions } = collection;
const chance = new Chance(11);
const groupOf = new Map(documents.map(({ id }) => [id, groupName(chance.between(0, GROUPS - 1))]));
const isSeen = (id: string) => SOME.groups.includes(groupOf.get(id) ?? "");

const service = await RelevanceService.start([EVERYTHING, SOME.email], values.shards);
try {
  await service.join(EVERYTHING, ["everyone-here"]);
  await service.join(SOME.email, SOME.groups);
  const begin = performance.now();
  await service.index(documents, ({ id }) => ["everyone-here", groupOf.get(id) ?? ""]);
  const indexing = (performance.now() - begin) / 1000;
  const asked = performance.now();
  const all = await collection.judged((text) => service.search(EVERYTHING, text, 100));
  const milliseconds = (performance.now() - asked) / questions.length;
  const some = await collection.judged((text) => service.search(SOME.email, text, 100), isSeen);
  console.log("SHA", (await import("node:crypto")).createHash("sha256").update(JSON.stringify([all.map((x) => x.found), some.map((x) => x.found)])).digest("hex"));
  const filtered = all.map(({ found, grades: of }) => ({
    found: found.filter(isSeen),
    grades: new Map([...of].filter(([id]) => isSeen(id))),
  }));
  const hasAnswer = ({ grades: of }: Judged) => of.size > 0;
  console.log(`${collection.name}: ${documents.length} documents, indexed in ${indexing.toFixed(0)} s; ${milliseconds.toFixed(1)} ms a question

| who asks | questions | nDCG@10 | MRR | recall@10 | empty answers |
| --- | ---: | ---: | ---: | ---: | ---: |
${line("sees everything", measure(all))}
${line("sees three eighths, by chance", measure(some.filter(hasAnswer)))}
${line("the first order without what they may not see", measure(filtered.filter(hasAnswer)))}`);
} finally {
  await service.stop();
}

function groupName(at: number): string {
  return `group-${at}`;
}

function line(name: string, { questions: count, ndcg, mrr, recall, empty }: Measures): string {
  return `| ${name} | ${count} | ${ndcg.toFixed(3)} | ${mrr.toFixed(3)} | ${recall.toFixed(3)} | ${empty} |`;
}
