/** Where the benches' documents are. */
export const DATASOURCE = "bench";

/** What an MCP client sends with each request. */
export const MCP_HEADERS = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

/** A document that everybody may read, as a pipeline pushes it. */
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

/** A search as an MCP client asks for it. */
export function searchCall(query: string) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { query } } };
}
