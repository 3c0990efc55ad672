/** `npm run bench:relevance -- --collection FOLDER`: how good the order is, by a collection with judgements. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { parseRequest } from "#client-api/search/request.ts";
import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { indexable } from "#documents/words.ts";
import { putDocument } from "#documents/write/documents.ts";
import { Chance } from "../test/support/chance.ts";
import { SqliteStore } from "../test/support/node/sqlite-store.ts";
import { type Judged, type Measures, measure } from "./relevance/measures.ts";

interface Document {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface Question {
  readonly id: string;
  readonly text: string;
}

interface Judgement {
  readonly question: string;
  readonly document: string;
  readonly grade: number;
}

const GROUPS = 8;
const STEP = 100;

const { values } = parseArgs({
  options: { collection: { type: "string" }, wide: { type: "boolean", default: false } },
});
const { collection } = values;
if (collection === undefined)
  throw new Error("--collection takes a folder with documents, questions and judgements, .jsonl each");

const linesOf = <Line>(name: string) =>
  readFileSync(join(collection, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);

const documents = linesOf<Document>("documents");
const questions = linesOf<Question>("questions");
const grades = Map.groupBy(linesOf<Judgement>("judgements"), ({ question }) => question);

// Everybody sees all, and each group an eighth of it by chance.
const chance = new Chance(11);
const groupOf = new Map(documents.map(({ id }) => [id, chance.between(0, GROUPS - 1)]));
const group = (name: string): Principal => ({ kind: "group", datasource: "collection", name });
const store = new SqliteStore();
for (let from = 0; from < documents.length; from += STEP) {
  store.transaction(() => {
    for (const { id, title, text } of documents.slice(from, from + STEP)) {
      putDocument(
        store,
        {
          datasource: "collection",
          externalId: id,
          objectType: "Document",
          title: indexable(title) || id,
          body: indexable(text),
          summary: null,
          url: `https://collection.example/${id}`,
          authorName: null,
          authorEmail: null,
          createdAt: null,
          updatedAt: null,
          tags: [],
          keywords: "",
          principals: [group("all"), group(`group-${groupOf.get(id)}`)],
        },
        1,
        0,
      );
    }
  });
}

const finder = new Finder(store, values.wide ? { ...FIND_LIMITS, narrow: 0 } : FIND_LIMITS);
const find = (text: string, groups: readonly string[], pageSize = 100): string[] => {
  const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: text, pageSize });
  const seer: Seer = { email: "reader@collection.example", directoryGroups: groups };
  const preferences = { languages: ["en"], recentAt: null };
  return finder.find({ ...asked, position: null, preferences }, seer).documents.map(({ externalId }) => externalId);
};
const judgedAs = (groups: readonly string[], isSeen: (id: string) => boolean): Judged[] =>
  questions.map(({ id, text }) => ({
    found: find(text, groups),
    grades: new Map(
      (grades.get(id) ?? []).filter(({ document }) => isSeen(document)).map((one) => [one.document, one.grade]),
    ),
  }));

const begin = performance.now();
const all = judgedAs(["all"], () => true);
const milliseconds = (performance.now() - begin) / questions.length;
const some = [0, 1, 2].map((at) => `group-${at}`);
const few = judgedAs(some, (id) => some.includes(`group-${groupOf.get(id)}`));

const line = (name: string, { questions: asked, ndcg, mrr, recall, empty }: Measures) =>
  `| ${name} | ${asked} | ${ndcg.toFixed(3)} | ${mrr.toFixed(3)} | ${recall.toFixed(3)} | ${empty} |`;
console.log(`${basename(collection)}: ${documents.length} documents, ${milliseconds.toFixed(1)} ms a question

| who asks | questions | nDCG@10 | MRR | recall@10 | empty answers |
| --- | ---: | ---: | ---: | ---: | ---: |
${line("sees everything", measure(all))}
${line("sees three eighths, by chance", measure(few.filter(({ grades: of }) => of.size > 0)))}`);
