import { toMetadata } from "#mcp/tools/metadata.ts";
import { describe, expect, it } from "vitest";

describe("the metadata of a document in results of the MCP tools", () => {
  it("has its datasource, type, dates and author only from the document itself, never from custom values", () => {
    const names = ["hrnote", "datasource", "type", "created_at", "updated_at", "author"];
    const customData = Object.fromEntries(names.map((name) => [name, { stringValue: "custom" }]));
    const metadata = { datasource: "wiki", objectType: "Page", customData };
    const described = {
      id: "wiki:a",
      datasource: "wiki",
      docType: "Page",
      title: "A",
      url: "https://wiki.acme.example",
    };
    expect(toMetadata({ ...described, metadata })).toEqual({ hrnote: "custom", datasource: "wiki", type: "Page" });
  });
});
