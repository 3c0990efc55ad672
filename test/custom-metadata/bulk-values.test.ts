import type { InstanceRecord } from "#instance/instances.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { rowsIn } from "../support/documents.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { makeInstance } from "../support/world.ts";

let instance: InstanceRecord;
let pipeline: MetadataPipeline;
let instances = 0;

beforeEach(async () => {
  instances += 1;
  instance = await makeInstance(`bulkvalues${instances}`);
  pipeline = await MetadataPipeline.of(instance, "custommetadata:HR");
  await pipeline.describe("hr", [
    { name: "Status", propertyType: "PICKLIST" },
    { name: "Teams", propertyType: "MULTIPICKLIST" },
  ]);
  for (const id of ["a", "b", "c"]) await pipeline.index(id);
});

/** Returns what free text finds of each document's values. */
async function texts(): Promise<string[]> {
  const rows = await rowsIn<{ text: string }>(
    instance,
    "SELECT metadata_words AS text FROM documents ORDER BY external_id",
  );
  return rows.map(({ text }) => text);
}

async function resultsOf(response: Response): Promise<unknown[]> {
  expect(response.status).toBe(200);
  return (await response.json<{ results: unknown[] }>()).results;
}

/** Returns a request about documents that each have one value. */
function asking(count: number, name = "status") {
  return {
    documents: Array.from({ length: count }, (_, at) => ({
      id: `wiki:${at}`,
      customMetadata: [{ name, value: "x" }],
    })),
  };
}

describe("values of many documents in one request", () => {
  it("replace those of their group on each document, in any datasource, and an empty list removes them", async () => {
    await pipeline.index("t", { datasource: "tickets" });
    await pipeline.attach("wiki:a", "hr", { status: "old", teams: ["sales"] });
    await pipeline.attach("wiki:b", "hr", { status: "old" });
    const response = await pipeline.bulk("HR", {
      "wiki:a": { status: "new" },
      "wiki:b": {},
      "Tickets:t": { teams: ["x", "y"] },
      c: { status: "bare" },
    });
    expect(await resultsOf(response)).toEqual([
      { id: "wiki:a", success: true },
      { id: "wiki:b", success: true },
      { id: "Tickets:t", success: true },
      { id: "c", success: true },
    ]);
    expect(await texts()).toEqual(["new", "", "bare", "x\ny"]);
  });

  it("reach no document whose id is the name of one that is absent (CWE-706)", async () => {
    await pipeline.index("payroll:4711", { datasource: "wiki", permissions: { allowAnonymousAccess: true } });
    const bulk = await resultsOf(await pipeline.bulk("hr", { "payroll:4711": { status: "secret" } }));
    expect(bulk).toMatchObject([{ id: "payroll:4711", success: false, error: "not_found" }]);
    const customMetadata = [{ name: "status", value: "secret" }];
    expect((await pipeline.values("PUT", "payroll:4711", "hr", { customMetadata })).status).toBe(404);
    expect((await pipeline.values("DELETE", "payroll:4711", "hr")).status).toBe(404);
    expect(await texts()).not.toContain("secret");
    expect((await pipeline.values("PUT", "wiki:payroll:4711", "hr", { customMetadata })).status).toBe(200);
  });

  it("report each document that can't have its values, as a request about it alone would, and write the others", async () => {
    await pipeline.attach("wiki:b", "hr", { status: "old" });
    await pipeline.attach("wiki:c", "hr", { status: "old" });
    const given = {
      "wiki:none": { status: "x" },
      "wiki:b": { color: "red" },
      "wiki:c": { status: ["a", "list"] },
      "wiki:a": { status: "new" },
    };
    const results = await resultsOf(await pipeline.bulk("hr", given));
    const alone = await Promise.all(
      Object.entries(given).map(async ([id, values]) => {
        const customMetadata = Object.entries(values).map(([name, value]) => ({ name, value }));
        const response = await pipeline.values("PUT", id, "hr", { customMetadata });
        if (response.status === 200) return { id, success: true };
        const { error, message } = await readRefusal(response);
        return { id, success: false, error, message };
      }),
    );
    expect(results).toEqual(alone);
    expect(results.map((one) => (one as { error?: string }).error)).toEqual([
      "not_found",
      "bad_request",
      "bad_request",
      undefined,
    ]);
    expect(await texts()).toEqual(["new", "old", "old"]);
  });

  it.each([
    ["documents is missing", {}],
    ["documents[1].id", { documents: [{ id: "wiki:a", customMetadata: [] }, { customMetadata: [] }] }],
    ["documents[1].customMetadata is missing", { documents: [{ id: "wiki:a", customMetadata: [] }, { id: "wiki:b" }] }],
    ["documents[0].customMetadata[0].name", asking(1, "a b")],
    ["documents[0].values", { documents: [{ id: "wiki:a", customMetadata: [], values: [] }] }],
    [
      "documents[0].customMetadata names Status twice",
      {
        documents: [
          {
            id: "wiki:a",
            customMetadata: [
              { name: "status", value: "x" },
              { name: "Status", value: "y" },
            ],
          },
        ],
      },
    ],
    [
      "documents[1].id names a document for the second time",
      {
        documents: [
          { id: "wiki:a", customMetadata: [] },
          { id: "wiki:a", customMetadata: [] },
        ],
      },
    ],
    ["at most 500 documents", asking(501)],
  ])("change nothing if the request is malformed, and the error says: %s", async (named, body) => {
    await pipeline.attach("wiki:a", "hr", { status: "old" });
    const response = await pipeline.bulkRequest("hr", body);
    expect(response.status).toBe(400);
    expect((await readRefusal(response)).message).toContain(named);
    expect(await texts()).toEqual(["old", "", ""]);
  });

  it("may be of 500 documents", async () => {
    const results = await resultsOf(await pipeline.bulkRequest("hr", asking(500)));
    expect(results).toHaveLength(500);
  });

  it("need a token that covers the group, whatever else is wrong, and a group that exists", async () => {
    for (const body of [{ documents: [] }, {}, "no JSON"]) {
      expect((await pipeline.bulkRequest("legal", body)).status).toBe(401);
    }
    const all = await MetadataPipeline.of(instance);
    expect((await all.bulkRequest("legal", { documents: [] })).status).toBe(404);
  });
});
