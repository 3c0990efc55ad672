/**
 * `npm run bench:relevance:postgres -- --collection FOLDER`: measures the relevance of the second engine's results, by
 * judgements.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRequest } from "#client-api/search/request.ts";
import { newMemory, POSTGRES_LIMITS, PostgresDocuments } from "#documents-postgres/engine.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { startPostgres } from "../scripts/local/postgres-server.ts";
import { aDocument } from "../test/documents/document.ts";
import { Collection } from "./relevance/collection.ts";
import { measure } from "./relevance/measures.ts";

const collection = Collection.ofArguments();
const { documents, questions } = collection;
const INSTANCE = 1;
const SEER = { email: "all@acme.example", directoryGroups: [] };
const folder = mkdtempSync(join(tmpdir(), "gatehouse-relevance-"));
const server = await startPostgres({ folder, password: "bench", isDurable: false });
const database = new PostgresDatabase(server.address, 1);
try {
  await database.write(INSTANCE, (rows) =>
    rows.all("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving')"),
  );
  const engineWith = (narrow: number) =>
    new PostgresDocuments(database, newMemory(), () => 1000, { ...POSTGRES_LIMITS, narrow });
  for (let from = 0; from < documents.length; from += 100) {
    const puts = documents.slice(from, from + 100).map(({ id, title, text }) => {
      return { act: "put", document: aDocument(id, { title: title || id, body: text }) } as const;
    });
    await engineWith(0).apply(INSTANCE, puts);
  }
  await database.analyze();
  console.log(`${collection.name}: ${documents.length} documents, ${questions.length} questions\n`);
  console.log("| what is weighed | nDCG@10 | MRR | recall@10 | empty answers |\n| --- | ---: | ---: | ---: | ---: |");
  for (const [name, narrow] of [
    ["everything that the person may see", POSTGRES_LIMITS.narrow],
    ["what lists of the index give", 0],
  ] as const) {
    const engine = engineWith(narrow);
    const judged = await collection.judged(async (text) => {
      const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: text, pageSize: 100 });
      const preferences = { languages: USUAL_LANGUAGES, recentAt: null };
      const page = await engine.find(INSTANCE, { ...asked, position: null, preferences }, SEER);
      return page.documents.map(({ externalId }) => externalId);
    });
    const { ndcg, mrr, recall, empty } = measure(judged);
    console.log(`| ${name} | ${ndcg.toFixed(3)} | ${mrr.toFixed(3)} | ${recall.toFixed(3)} | ${empty} |`);
  }
} finally {
  await database.end();
  await server.stop();
  rmSync(folder, { recursive: true });
}
