import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { found, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

const KEYS = [
  { name: "Status", propertyType: "PICKLIST" },
  { name: "review-note.v_2", propertyType: "TEXT" },
];

/** Names that a group can have. */
const GROUPS = ["hr-emea", "hr_emea", "hr.emea", "HR-2026_q3.v1", "9lives", `g${"-".repeat(49)}`];

let instance: InstanceRecord;
let all: MetadataPipeline;
let reader: string;

const scopedTo = (group: string) => MetadataPipeline.of(instance, `custommetadata:${group}`);
const finds = (query: string) => found(reader, query, all.origin);

beforeAll(async () => {
  instance = await makeInstance("named");
  all = await MetadataPipeline.of(instance);
  reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "DOCUMENTS");
  await all.index("a", { title: "Marsh" });
  await all.index("b", { title: "Marsh" });
});

describe("a group of custom metadata is identified by a name of letters, digits, -, _ and .", () => {
  it("which a token's scope names: custommetadata:<group_name>", async () => {
    for (const group of GROUPS) {
      const narrow = await scopedTo(group);
      await narrow.describe(group, KEYS);
      await narrow.attach("wiki:a", group, { status: `in ${group}`, "review-note.v_2": `heron ${group}` });
      expect((await narrow.schema("GET", `${group.slice(0, 45)}x`)).status, group).toBe(401);
      expect(await (await narrow.schema("GET", group)).json()).toEqual({ metadataKeys: KEYS });
    }
  });

  it("in any case", async () => {
    const narrow = await scopedTo("HR-EMEA");
    expect(await (await narrow.schema("GET", "Hr-Emea")).json()).toEqual({ metadataKeys: KEYS });
    expect(await finds('HR-EMEASTATUS:"IN HR-EMEA"')).toEqual(["a"]);
  });

  it("and operators in queries, filters, facets and values join it with the key, without a separator", async () => {
    for (const group of GROUPS) {
      const status = `${group}status`.toLowerCase();
      expect(await finds(`${status}:"in ${group}"`), group).toEqual(["a"]);
      expect(await finds(`marsh -${status}:"in ${group}"`), group).toEqual(["b"]);
      expect(await finds(`marsh ${group}review-note.v_2:heron`), group).toEqual(["a"]);
      const requestOptions = {
        facetFilters: [{ fieldName: `${group}Status`, values: [{ value: `in ${group}` }] }],
        facetBucketSize: 10,
      };
      const { results, facetResults } = await searchAnswer(reader, { query: "marsh", requestOptions }, all.origin);
      expect(results.map(({ document }) => document.id)).toEqual(["wiki:a"]);
      expect(results[0]?.document.metadata.customData).toMatchObject({
        [`${group}Status`]: { stringValue: `in ${group}` },
      });
      expect(facetResults?.find(({ sourceName }) => sourceName.toLowerCase() === status)?.buckets).toEqual([
        { count: 1, value: { stringValue: `in ${group}` } },
      ]);
    }
  });

  it("so two keys with the same joined name are refused with 409, and so are names of built-in fields", async () => {
    const joined: readonly (readonly [group: string, key: string])[] = [
      ["hr-emeasta", "tus"],
      ["hr-", "emeastatus"],
      ["HR", "x"],
      ["last_", "updated_at"],
      ["data", "source"],
    ];
    await all.describe("h", [{ name: "r.x", propertyType: "TEXT" }]);
    await all.describe("hr.", [{ name: "y", propertyType: "TEXT" }]);
    for (const [group, key] of joined) {
      const response = await all.schema("PUT", group, { metadataKeys: [{ name: key, propertyType: "TEXT" }] });
      expect([group, response.status]).toEqual([group, group === "HR" ? 200 : 409]);
    }
    const taken = await all.schema("PUT", "hr.", { metadataKeys: [{ name: "x", propertyType: "TEXT" }] });
    expect(taken.status).toBe(409);
  });

  it("of at most 50 characters, which begins with a letter or a digit, and is not global_scope", async () => {
    const metadataKeys = KEYS;
    for (const group of ["-hr", "_hr", "%2Ehr", "g".repeat(51), "hr%20emea", "hr%3Aemea", "hr%C3%A9", "global_scope"]) {
      expect((await all.schema("PUT", group, { metadataKeys })).status, group).toBe(400);
    }
    for (const name of ["-key", "", "k".repeat(51), "two words", "a:b"]) {
      const body = { metadataKeys: [{ name, propertyType: "TEXT" }] };
      expect((await all.schema("PUT", "keyed", body)).status, name).toBe(400);
    }
  });
});
