/** `npm run cost`: measures how much requests use of everything that is billed, and writes docs/cost.md. */
import { writeFileSync } from "node:fs";
import { costPage, type Line } from "./cost/page.ts";
import { OBJECT_GIGABYTES, type Use } from "./cost/prices.ts";
import { LocalIssuer } from "./gate/external-issuer.ts";
import type { Operations } from "./gate/messages.ts";
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
const DOCUMENTS = 500;
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

  const document = await measure("a document", [], DOCUMENTS / DOCUMENTS_A_REQUEST, indexSome(indexing));
  for (const [name, count = 0] of Object.entries(document.use)) {
    document.use[name as keyof Use] = count / DOCUMENTS_A_REQUEST;
  }
  const words = (at: number) => [7, 300 + at].map(wordOfRank).join(" ");
  const page = costPage({
    document,
    gate: await measure("the gate", ["warm gate of the Client API"], TIMES, () => search("-")),
    search: await measure("a search", MIX.search.rows, TIMES, (at) => search(words(at))),
    mcp: await measure("MCP: `tools/call search`", MIX.MCP.rows, TIMES, (at) =>
      post("/mcp", searchCall(words(at)), own),
    ),
    refresh: await measure("a refresh", MIX.refresh.rows, TIMES, act("refresh")),
    signIn: await measure("a sign-in", MIX["sign-in"].rows, TIMES / 10, act("sign-in"), MIX["sign-in"].rows.length),
    documentBytes: DOCUMENT_BYTES,
  });
  writeFileSync("docs/cost.md", page);
  console.log(page);
} finally {
  client.close();
  await workerd.stop();
  issuer.stop();
}

/**
 * Measures what an operation uses: for D1, the rows that docs/storage-operations.md states; everything else is measured.
 */
async function measure(
  name: string,
  rows: readonly string[],
  times: number,
  once: (at: number) => Promise<void>,
  requests = 1,
): Promise<{ name: string; use: Use } & Line> {
  // Warms up, so that compilation and first reads are not counted.
  if (rows.length > 0) for (let at = 0; at < TIMES / 10; at += 1) await once(at);
  const before = await workerd.ask<Operations>("loaded");
  const microseconds = await workerd.cpu.during(async () => {
    for (let at = 0; at < times; at += 1) await once(at);
  });
  const after = await workerd.ask<Operations>("loaded");
  if (microseconds === undefined) throw new Error("a thread of workerd ended: run this again");
  const each = (of: "objectCalls" | "rowsRead" | "rowsWritten") => (after[of] - before[of]) / times;
  const milliseconds = microseconds / times / 1000;
  const objectRequests = each("objectCalls");
  const use: Use = {
    workerRequests: requests,
    workerCpuMilliseconds: milliseconds,
    d1RowsRead: statedCost(rows, "rows read"),
    d1RowsWritten: statedCost(rows, "rows written"),
    objectRequests,
    objectGigabyteSeconds: objectRequests === 0 ? 0 : (milliseconds / 1000) * OBJECT_GIGABYTES,
    objectRowsRead: each("rowsRead"),
    objectRowsWritten: each("rowsWritten"),
  };
  return { name, use };
}

function indexSome(token: string) {
  return (step: number) => {
    const documents = Array.from({ length: DOCUMENTS_A_REQUEST }, (_, at) => {
      const number = step * DOCUMENTS_A_REQUEST + at;
      const { title, body } = drawDocument(number);
      const textContent = body.map(wordOfRank).join(" ");
      return {
        id: `d${number}`,
        datasource: DATASOURCE,
        objectType: "Page",
        title: title.map(wordOfRank).join(" "),
        viewURL: `https://bench.example/${number}`,
        body: { mimeType: "text/plain", textContent },
        permissions: { allowAnonymousAccess: true },
      };
    });
    return post("/rest/api/index/indexdocuments", { datasource: DATASOURCE, documents }, token);
  };
}

async function post(path: string, content: unknown, token: string): Promise<void> {
  const { status, body } = await client.postJson(path, content, { Authorization: `Bearer ${token}` });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
}
