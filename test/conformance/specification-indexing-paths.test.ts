import { beforeAll, describe, expect, it } from "vitest";
import { draft, Pipeline } from "../support/pipeline.ts";
import { issueIndexingToken, makeInstance, send } from "../support/world.ts";

const BASE = "/rest/api/index";
const OTHER_BASE = "/api/index/v1";

let documents: Pipeline;
let metadata: string;
let described: string[];

beforeAll(async () => {
  const instance = await makeInstance();
  documents = await Pipeline.of(instance);
  metadata = await issueIndexingToken(instance, "custommetadata:global_scope");
  const response = await send("/openapi.json");
  const { paths } = await response.json<{ readonly paths: Readonly<Record<string, object>> }>();
  described = Object.keys(paths);
});

describe("the paths of the Indexing API", () => {
  it("are described below /rest/api/index/, once, and those of Custom Metadata have no version segment", () => {
    expect(described.filter((path) => path.startsWith(`${BASE}/`)).length).toBeGreaterThan(20);
    expect(described.filter((path) => path.startsWith("/api/"))).toEqual([]);
    const ofMetadata = described.filter((path) => path.includes("custom-metadata"));
    expect(ofMetadata.toSorted()).toEqual([
      `${BASE}/custom-metadata/schema/{groupName}`,
      `${BASE}/custom-metadata/values/{groupName}`,
      `${BASE}/document/{docId}/custom-metadata/{groupName}`,
    ]);
  });

  it("index a document and describe a group there", async () => {
    const indexed = await documents.post(`${BASE}/indexdocument`, { document: draft("plan") });
    expect([indexed.status, await indexed.json()]).toEqual([200, { success: true }]);
    const response = await send(`${BASE}/custom-metadata/schema/handbook`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${metadata}`, "Content-Type": "application/json" },
      body: JSON.stringify({ metadataKeys: [{ name: "status", propertyType: "PICKLIST" }] }),
    });
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  });

  it("all exist below /api/index/v1/ too, for pipelines that were written for it, with the same responses", async () => {
    for (const path of described.filter((one) => one.startsWith(`${BASE}/`))) {
      const call = path.slice(BASE.length).replaceAll(/\{\w+\}/g, "x");
      const [there, here] = await Promise.all(
        [OTHER_BASE, BASE].map(async (base) => {
          const response = await documents.post(base + call, {});
          const { requestId: _, ...body } = await response.json<Record<string, unknown>>();
          return [response.status, body];
        }),
      );
      expect(there, path).toEqual(here);
      expect(there?.[0], path).not.toBe(404);
    }
  });
});
