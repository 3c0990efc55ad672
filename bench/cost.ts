/** `npm run cost`: measures how much requests use of everything that is billed, and writes a section of docs/scaling.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { costSection, type Line } from "./cost/page.ts";
import { OBJECT_GIGABYTES, type Use } from "./cost/prices.ts";
import { LocalIssuer } from "./gate/external-issuer.ts";
import type { LoadedQuestion, Operations, TriggerRun } from "./gate/messages.ts";
import { setUp } from "./gate/set-up.ts";
import { BenchWorkerd } from "./gate/workerd.ts";
import { LoadClient } from "./load/http.ts";
import { statedCost } from "./load/stated-cost.ts";
import { peopleInTurn } from "./load/population.ts";
import { Caller, MIX, registerApps } from "./load/traffic.ts";
import { drawDocument, wordOfRank } from "./search/corpus.ts";
import { DATASOURCE, searchCall } from "./workload.ts";

const HOST = "acme.localhost";
const ORIGIN = `http://${HOST}`;
/** Where the costs stand, between these lines. */
const [PAGE, BEGIN, END] = ["docs/scaling.md", "<!-- cost: begin -->", "<!-- cost: end -->"];
/** The index in which everything is measured, and the documents that are written to measure it. */
const DOCUMENTS = 15_000;
const MEASURED_DOCUMENTS = 500;
const DOCUMENTS_A_REQUEST = 20;
const TIMES = 200;

/** As measured for half a million documents: docs/performance.md. */
const DOCUMENT_BYTES = 1800;

const issuer = await LocalIssuer.open();
const workerd = await BenchWorkerd.start(["setup", "loaded"]);
const client = new LoadClient(await workerd.url("loaded"), HOST, 1);
try {
  const { own, indexing } = await setUp(
    workerd,
    ORIGIN,
    { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: "gatehouse" },
    { signsIn: true },
  );
  const organisation = { origin: ORIGIN, apps: await registerApps(client), indexing, nextUser: peopleInTurn() };
  const caller = new Caller(client, issuer, organisation);
  const act = (kind: keyof typeof MIX) => () => caller.act(kind, () => undefined);
  const search = (query: string) => post("/rest/api/v1/search", { query, pageSize: 10 }, own);
  await act("sign-in")();

  let written = 0;
  const write = (count: number) => index(indexing, (written += count) - count, count);
  for (let request = 0; request < DOCUMENTS / DOCUMENTS_A_REQUEST; request += 1) await write(DOCUMENTS_A_REQUEST);
  const cleanUp = () => ask({ act: "clean up" });
  await cleanUp();
  const measureDocuments = async (name: string, count: number): Promise<Line & { shadowRows: number }> => {
    const request = await measure(name, [], MEASURED_DOCUMENTS / count, () => write(count), 1, cleanUp);
    const use = Object.fromEntries(Object.entries(request.use).map(([of, all]) => [of, all / count]));
    return { name, use, shadowRows: request.shadowRows / count };
  };
  const document = await measureDocuments(`a document, of ${DOCUMENTS_A_REQUEST} in a request`, DOCUMENTS_A_REQUEST);
  const alone = await measureDocuments("a document alone", 1);
  const words = (at: number) => [7, 300 + at].map(wordOfRank).join(" ");
  const bytesBefore = await ask<number>({ act: "database bytes" });
  const signIn = await measure("a sign-in", MIX["sign-in"].rows, TIMES, act("sign-in"), MIX["sign-in"].rows.length);
  const signInBytes = ((await ask<number>({ act: "database bytes" })) - bytesBefore) / TIMES;
  const section = costSection({
    document,
    alone,
    gate: await measure("the gate", ["warm gate of the Client API"], TIMES, () => search("-")),
    search: await measure("a search", MIX.search.rows, TIMES, (at) => search(words(at))),
    mcp: await measure("MCP: `tools/call search`", MIX.MCP.rows, TIMES, (at) =>
      post("/mcp", searchCall(words(at)), own),
    ),
    refresh: await measure("a refresh", MIX.refresh.rows, TIMES, act("refresh")),
    signIn,
    minutely: await measureTrigger("the trigger of every minute", "* * * * *"),
    hourly: await measureTrigger("the hourly trigger", "0 * * * *"),
    documents: DOCUMENTS,
    documentBytes: DOCUMENT_BYTES,
    signInBytes,
  });
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  writeFileSync(PAGE, `${page.slice(0, begin)}\n${section}${page.slice(end)}`);
  console.log(section);
} finally {
  client.close();
  await workerd.stop();
  issuer.stop();
}

/**
 * Measures what an operation uses: for D1, the rows that docs/storage-operations.md states; everything else is measured.
 *
 * @param afterwards work that the operations leave to later, and that belongs to them
 */
async function measure(
  name: string,
  rows: readonly string[],
  times: number,
  once: (at: number) => Promise<void>,
  requests = 1,
  afterwards: () => Promise<unknown> = async () => {},
): Promise<Line & { shadowRows: number }> {
  // Warms up, so that compilation and first reads are not counted.
  if (rows.length > 0) for (let at = 0; at < TIMES / 10; at += 1) await once(at);
  const before = await workerd.ask<Operations>("loaded");
  const startedAt = performance.now();
  const microseconds = await workerd.cpu.during(async () => {
    for (let at = 0; at < times; at += 1) await once(at);
    await afterwards();
  });
  const seconds = (performance.now() - startedAt) / 1000 / times;
  const after = await workerd.ask<Operations>("loaded");
  if (microseconds === undefined) throw new Error("a thread of workerd ended: run this again");
  const each = (of: keyof Operations) => (after[of] - before[of]) / times;
  const objectRequests = each("objectCalls") + each("alarms");
  const use: Use = {
    workerRequests: requests,
    workerCpuMilliseconds: microseconds / times / 1000,
    d1RowsRead: statedCost(rows, "rows read"),
    d1RowsWritten: statedCost(rows, "rows written"),
    objectRequests,
    objectGigabyteSeconds: objectRequests === 0 ? 0 : seconds * OBJECT_GIGABYTES,
    objectRowsRead: each("rowsRead"),
    objectRowsWritten: each("rowsWritten") + each("alarmsSet"),
    logLines: each("lines"),
  };
  return { name, use, shadowRows: each("shadowRows") };
}

/** Measures a cron trigger with nothing to do. It is billed like a request. */
async function measureTrigger(name: string, cron: string): Promise<Line> {
  await ask({ act: "run trigger", cron });
  const runs: TriggerRun[] = [];
  const { use } = await measure(name, [], TIMES / 10, async () => {
    runs.push(await ask<TriggerRun>({ act: "run trigger", cron }));
  });
  const last = runs.at(-1);
  if (last === undefined || last.failure !== undefined) throw new Error(`${name} failed: ${last?.failure}`);
  return { name, use: { ...use, d1RowsRead: last.rowsRead, d1RowsWritten: last.rowsWritten } };
}

function ask<Answer>(question: LoadedQuestion): Promise<Answer> {
  return workerd.ask<Answer>("loaded", question);
}

/** Indexes some of the documents that are drawn by number. */
function index(token: string, first: number, count: number): Promise<void> {
  const documents = Array.from({ length: count }, (_, at) => {
    const { title, body } = drawDocument(first + at);
    return {
      id: `d${first + at}`,
      datasource: DATASOURCE,
      objectType: "Page",
      title: title.map(wordOfRank).join(" "),
      viewURL: `https://bench.example/${first + at}`,
      body: { mimeType: "text/plain", textContent: body.map(wordOfRank).join(" ") },
      permissions: { allowAnonymousAccess: true },
    };
  });
  return post("/rest/api/index/indexdocuments", { datasource: DATASOURCE, documents }, token);
}

async function post(path: string, content: unknown, token: string): Promise<void> {
  const { status, body } = await client.postJson(path, content, { Authorization: `Bearer ${token}` });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
}
