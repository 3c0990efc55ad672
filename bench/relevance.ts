/** `npm run bench:relevance -- --collection FOLDER`: how good the answers of the Client API are, by a collection with judgements. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { Chance } from "../test/support/chance.ts";
import { type Judged, type Measures, measure } from "./relevance/measures.ts";
import { type CollectionDocument, RelevanceService } from "./relevance/service.ts";

interface Question {
  readonly id: string;
  readonly text: string;
}

interface Judgement {
  readonly question: string;
  readonly document: string;
  readonly grade: number;
}

/** Each document is of one of these, by chance. */
const GROUPS = 8;
const EVERYTHING = "all@acme.example";
const SOME = { email: "some@acme.example", groups: [0, 1, 2].map(groupName) };

const { values } = parseArgs({ options: { collection: { type: "string" } } });
const { collection } = values;
if (collection === undefined)
  throw new Error("--collection takes a folder with documents, questions and judgements, .jsonl each");

const linesOf = <Line>(name: string) =>
  readFileSync(join(collection, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((text) => text.trim() !== "")
    .map((text) => JSON.parse(text) as Line);

const documents = linesOf<CollectionDocument>("documents");
const questions = linesOf<Question>("questions");
const grades = Map.groupBy(linesOf<Judgement>("judgements"), ({ question }) => question);

const chance = new Chance(11);
const groupOf = new Map(documents.map(({ id }) => [id, groupName(chance.between(0, GROUPS - 1))]));
const isSeen = (id: string) => SOME.groups.includes(groupOf.get(id) ?? "");

const service = await RelevanceService.start([EVERYTHING, SOME.email]);
try {
  await service.join(EVERYTHING, ["everyone-here"]);
  await service.join(SOME.email, SOME.groups);
  const begin = performance.now();
  await service.index(documents, ({ id }) => ["everyone-here", groupOf.get(id) ?? ""]);
  const indexing = (performance.now() - begin) / 1000;
  const asked = performance.now();
  const all = await judgedAs(EVERYTHING, () => true);
  const milliseconds = (performance.now() - asked) / questions.length;
  const some = await judgedAs(SOME.email, isSeen);
  const filtered = all.map(({ found, grades: of }) => ({
    found: found.filter(isSeen),
    grades: new Map([...of].filter(([id]) => isSeen(id))),
  }));
  const hasAnswer = ({ grades: of }: Judged) => of.size > 0;
  console.log(`${basename(collection)}: ${documents.length} documents, indexed in ${indexing.toFixed(0)} s; ${milliseconds.toFixed(1)} ms a question

| who asks | questions | nDCG@10 | MRR | recall@10 | empty answers |
| --- | ---: | ---: | ---: | ---: | ---: |
${line("sees everything", measure(all))}
${line("sees three eighths, by chance", measure(some.filter(hasAnswer)))}
${line("the first order without what they may not see", measure(filtered.filter(hasAnswer)))}`);
} finally {
  await service.stop();
}

async function judgedAs(email: string, mayJudge: (id: string) => boolean): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const { id, text } of questions) {
    const right = (grades.get(id) ?? []).filter(({ document }) => mayJudge(document));
    judged.push({
      found: await service.search(email, text, 100),
      grades: new Map(right.map(({ document, grade }) => [document, grade])),
    });
  }
  return judged;
}

function groupName(at: number): string {
  return `group-${at}`;
}

function line(name: string, { questions: count, ndcg, mrr, recall, empty }: Measures): string {
  return `| ${name} | ${count} | ${ndcg.toFixed(3)} | ${mrr.toFixed(3)} | ${recall.toFixed(3)} | ${empty} |`;
}
