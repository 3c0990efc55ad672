/** The datasource of the benches' documents. */
export const DATASOURCE = "bench";

/** The headers that an MCP client sends with each request. */
export const MCP_HEADERS = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

/** Returns a document that everybody may read, as a pipeline sends it. */
export function roadmapDocument(number: number) {
  return {
    id: `plan-${number}`,
    datasource: DATASOURCE,
    objectType: "Page",
    title: `Roadmap ${number}`,
    viewURL: `https://bench.example/plan-${number}`,
    body: {
      mimeType: "text/plain",
      textContent: `The roadmap of team ${number}. ${"What we do next, and why. ".repeat(20)}`,
    },
    permissions: { allowAnonymousAccess: true },
  };
}

/** Returns a search as an MCP client sends it. */
export function searchCall(query: string) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { query } } };
}
