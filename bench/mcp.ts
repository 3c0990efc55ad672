/**
 * `npm run bench:mcp`: measures the CPU time of a warm `tools/call`, compared with the same search by REST in the same isolate.
 */
import { jsonRequest } from "./gate/load.ts";
import { type Measured, measure } from "./gate/measurement.ts";
import { readOptions } from "./gate/options.ts";
import { tableOf } from "./gate/report.ts";
import type { Variant } from "./gate/variants.ts";
import { setUp } from "./gate/set-up.ts";
import { BenchWorkerd } from "./gate/workerd.ts";
import { DATASOURCE, MCP_HEADERS, roadmapDocument, searchCall } from "./workload.ts";

const ORIGIN = "http://acme.localhost";
const DOCUMENTS = 50;

const { rounds, countsInstructions, choose } = readOptions(20);

const workerd = await BenchWorkerd.start(["setup", "whole", "uncounted"], countsInstructions);
try {
  const { own, indexing } = await setUp(workerd, ORIGIN, {
    issuer: "https://idp.example",
    jwksUri: "https://idp.example/jwks",
    clientId: "app",
  });
  for (const worker of ["whole", "uncounted"] as const) await indexDocuments(worker, indexing);
  const all = await measure(workerd, choose(variantsOf(own)), rounds, (progress) => console.error(progress));
  const floor = { name: "REST", of: (measured: Measured) => restBefore(measured, all) };
  console.log(tableOf(all, rounds, workerd.meter.unit, floor));
} finally {
  await workerd.stop();
}

async function indexDocuments(worker: "whole" | "uncounted", token: string): Promise<void> {
  const url = await workerd.url(worker);
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => roadmapDocument(index));
  const response = await fetch(new URL("/rest/api/index/indexdocuments", url), {
    method: "POST",
    headers: { Host: "acme.localhost", "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ datasource: DATASOURCE, documents }),
  });
  if (!response.ok) throw new Error(`indexing answered ${response.status}: ${await response.text()}`);
}

function variantsOf(token: string): Variant[] {
  const bearer = { Authorization: `Bearer ${token}` };
  const rest = (query: string) => [jsonRequest(new URL(`${ORIGIN}/rest/api/v1/search`), bearer, { query })];
  const mcp = (query: string) => [
    jsonRequest(new URL(`${ORIGIN}/mcp`), { ...bearer, ...MCP_HEADERS }, searchCall(query)),
  ];
  return [
    { worker: "whole", title: "REST: search, ten results", requests: rest("roadmap") },
    { worker: "whole", title: "the same again: the noise", requests: rest("roadmap") },
    { worker: "whole", title: "MCP: tools/call search, ten results", requests: mcp("roadmap") },
    { worker: "uncounted", title: "REST: the same, without rate limits", requests: rest("roadmap") },
    { worker: "uncounted", title: "MCP: the same, without rate limits", requests: mcp("roadmap") },
    // Searches that end before the documents object, so that only the difference between the two protocols remains.
    { worker: "uncounted", title: "REST: search without a word, without rate limits", requests: rest("-") },
    { worker: "uncounted", title: "MCP: search without a word, without rate limits", requests: mcp("-") },
  ];
}

/** Returns the last REST row before a row, or the row itself if it is one. */
function restBefore(measured: Measured, all: readonly Measured[]): Measured["blocks"] {
  const before = all.slice(0, all.indexOf(measured) + 1);
  return before.findLast(({ variant }) => variant.title.startsWith("REST"))?.blocks ?? [];
}
