import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { type Key, MetadataPipeline } from "../support/metadata-pipeline.ts";
import { exhaust } from "../support/rate-limits.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, send } from "../support/world.ts";

const BASES = ["/rest/api/index", "/api/index/v1"];
const TYPES = ["TEXT", "PICKLIST", "TEXTLIST", "MULTIPICKLIST"];

let instance: InstanceRecord;
let pipeline: MetadataPipeline;

/** An instance has a limit for groups, and a group one for writes, so tests that write use a new instance. */
let instances = 0;

async function begin(): Promise<void> {
  instances += 1;
  instance = await makeInstance(`schema${instances}`);
  pipeline = await MetadataPipeline.of(instance);
}

function keys(count: number): Key[] {
  return Array.from({ length: count }, (_, index) => ({ name: `key${index}`, propertyType: "TEXT" }));
}

async function refusalOf(answer: Promise<Response>): Promise<[number, string]> {
  const response = await answer;
  return [response.status, (await readRefusal(response)).error];
}

async function storedGroups(): Promise<number> {
  const statement = env.DB.prepare("SELECT count(*) AS n FROM metadata_groups WHERE instance_id = ?1");
  return (await statement.bind(instance.id).first<number>("n")) ?? -1;
}

describe("a group's schema (wire contract, Custom Metadata)", () => {
  beforeEach(begin);

  it.each(BASES)("can be put, read and deleted at %s, each with 200 and JSON", async (base) => {
    const described = { metadataKeys: TYPES.map((propertyType) => ({ name: `My${propertyType}`, propertyType })) };
    const at = pipeline.at(base);
    for (const [method, body, answer] of [
      ["PUT", described, { success: true }],
      ["GET", undefined, described],
      ["DELETE", undefined, { success: true }],
    ] as const) {
      const response = await at.schema(method, "HR", body);
      expect([response.status, response.headers.get("Content-Type"), await response.json()]).toEqual([
        200,
        "application/json",
        answer,
      ]);
    }
    expect(await refusalOf(at.schema("GET", "HR"))).toEqual([404, "not_found"]);
    expect(await refusalOf(at.schema("DELETE", "HR"))).toEqual([404, "not_found"]);
  });

  it("is found regardless of case, and keeps the spelling that it was first given", async () => {
    await pipeline.describe("Finance", [{ name: "CostCentre", propertyType: "PICKLIST" }]);
    await pipeline.describe("FINANCE", [
      { name: "year", propertyType: "PICKLIST", skipIndexing: true },
      { name: "costcentre", propertyType: "PICKLIST", skipIndexing: false },
    ]);
    expect(await (await pipeline.schema("GET", "finance")).json()).toEqual({
      metadataKeys: [
        { name: "year", propertyType: "PICKLIST", skipIndexing: true },
        { name: "CostCentre", propertyType: "PICKLIST" },
      ],
    });
    expect(await storedGroups()).toBe(1);
  });

  it("can be put again, which replaces its keys", async () => {
    for (let time = 0; time < 2; time += 1) await pipeline.describe("hr", keys(3));
    await pipeline.describe("hr", keys(2));
    expect(await (await pipeline.schema("GET", "hr")).json()).toEqual({ metadataKeys: keys(2) });
  });

  it("has at most 20 keys, and names of at most 50 characters", async () => {
    await pipeline.describe("g".repeat(50), [...keys(19), { name: "k".repeat(50), propertyType: "TEXT" }]);
    await pipeline.describe("full", keys(20));
    expect(await refusalOf(pipeline.schema("PUT", "full", { metadataKeys: keys(21) }))).toEqual([400, "bad_request"]);
    expect(await (await pipeline.schema("GET", "full")).json()).toEqual({ metadataKeys: keys(20) });
  });

  it("is one of at most 50 in an instance: the 51st is refused, and each of the 50 can still change", async () => {
    for (let group = 0; group < 50; group += 1) await pipeline.describe(`g${group}x`, keys(1));
    const refused = await pipeline.schema("PUT", "onemore", { metadataKeys: keys(1) });
    expect([refused.status, (await readRefusal(refused)).message]).toEqual([400, expect.stringMatching(/at most 50/)]);
    await pipeline.describe("G7X", keys(2));
    expect((await pipeline.schema("DELETE", "g7x")).status).toBe(200);
    await pipeline.describe("onemore", keys(1));
    expect(await storedGroups()).toBe(50);
    const elsewhere = await MetadataPipeline.of(await makeInstance(`other${instances}`));
    await elsewhere.describe("another", keys(1));
  });
});

describe("an invalid schema", () => {
  beforeAll(begin);

  it.each([
    ["no keys", {}],
    ["an empty list of keys", { metadataKeys: [] }],
    ["keys that are no list", { metadataKeys: { name: "a", propertyType: "TEXT" } }],
    ["a key that is no object", { metadataKeys: ["a"] }],
    ["a key without a name", { metadataKeys: [{ propertyType: "TEXT" }] }],
    ["a key without a type", { metadataKeys: [{ name: "a" }] }],
    ["an unknown type", { metadataKeys: [{ name: "a", propertyType: "DATE" }] }],
    ["a type in lower case", { metadataKeys: [{ name: "a", propertyType: "text" }] }],
    ["skipIndexing that is no boolean", { metadataKeys: [{ name: "a", propertyType: "TEXT", skipIndexing: "true" }] }],
    ["a name that begins with a hyphen", { metadataKeys: [{ name: "-b", propertyType: "TEXT" }] }],
    ["a name with a space", { metadataKeys: [{ name: "a b", propertyType: "TEXT" }] }],
    ["an empty name", { metadataKeys: [{ name: "", propertyType: "TEXT" }] }],
    ["a name of 51 characters", { metadataKeys: [{ name: "k".repeat(51), propertyType: "TEXT" }] }],
    ["a name beyond ASCII", { metadataKeys: [{ name: "größe", propertyType: "TEXT" }] }],
    ["a key twice", { metadataKeys: [...keys(2), ...keys(1)] }],
    [
      "a key twice, in two cases",
      {
        metadataKeys: [
          { name: "Status", propertyType: "TEXT" },
          { name: "sTATUS", propertyType: "TEXT" },
        ],
      },
    ],
    ["an object that names a member twice", '{"metadataKeys":[{"name":"a","propertyType":"TEXT","name":"b"}]}'],
    ["two lists of keys", '{"metadataKeys":[{"name":"a","propertyType":"TEXT"}],"metadata\\u004beys":[]}'],
    ["an array", [{ name: "a", propertyType: "TEXT" }]],
    ["no JSON", "{"],
    ["nothing", ""],
  ])("is refused for %s, and leaves the group unchanged", async (_what, body) => {
    await pipeline.describe("hr", [{ name: "kept", propertyType: "PICKLIST" }]);
    expect(await refusalOf(pipeline.schema("PUT", "hr", body))).toEqual([400, "bad_request"]);
    expect(await (await pipeline.schema("GET", "hr")).json()).toEqual({
      metadataKeys: [{ name: "kept", propertyType: "PICKLIST" }],
    });
  });

  it.each([
    "-b",
    "_b",
    "%2Eb",
    "Global_Scope",
    "a%20b",
    "g".repeat(51),
    "gr%C3%B6%C3%9Fe",
    "a%2Fb",
    "a%00b",
    "%E2%84%AA",
    "%zz",
  ])("is refused for the group %s, with every method", async (group) => {
    for (const method of ["PUT", "GET", "DELETE"] as const) {
      const body = method === "PUT" ? { metadataKeys: keys(1) } : undefined;
      expect(await refusalOf(pipeline.schema(method, group, body))).toEqual([400, "bad_request"]);
    }
  });

  it("is refused if its body is too large or has the wrong media type", async () => {
    const large = JSON.stringify({ metadataKeys: keys(1), padding: "x".repeat(1024 * 1024) });
    expect(await refusalOf(pipeline.schema("PUT", "hr", large))).toEqual([413, "request_too_large"]);
    const response = send(`${pipeline.origin}/rest/api/index/custom-metadata/schema/hr`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${pipeline.token}`, "Content-Type": "text/plain" },
      body: JSON.stringify({ metadataKeys: keys(1) }),
    });
    expect(await refusalOf(response)).toEqual([415, "unsupported_media_type"]);
  });

  it.each([
    ["data", "Source"],
    ["datasourc", "e"],
    ["Ty", "pe"],
    ["fr", "om"],
    ["aut", "hor"],
    ["up", "dated_AT"],
  ])("is a conflict if group %s and key %s together name a field that every document has", async (group, key) => {
    const before = await storedGroups();
    const body = { metadataKeys: [{ name: key, propertyType: "TEXT" }] };
    expect(await refusalOf(pipeline.schema("PUT", group, body))).toEqual([409, "conflict"]);
    expect(await storedGroups()).toBe(before);
  });
});

describe("a schema that conflicts with another", () => {
  beforeEach(begin);

  it("is refused if a key changes its type, and changes nothing else", async () => {
    await pipeline.describe("hr", [{ name: "Status", propertyType: "PICKLIST" }]);
    const before = await (await pipeline.schema("GET", "hr")).json();
    const body = { metadataKeys: [...keys(2), { name: "status", propertyType: "TEXT" }] };
    const refused = await pipeline.schema("PUT", "hr", body);
    expect(refused.status).toBe(409);
    const { error, message } = await readRefusal(refused);
    expect([error, message]).toEqual(["conflict", expect.stringContaining("Status is PICKLIST")]);
    expect(await (await pipeline.schema("GET", "hr")).json()).toEqual(before);
  });

  it("is refused if group and key together have the name of another field", async () => {
    await pipeline.describe("hr", [{ name: "xstatus", propertyType: "TEXT" }]);
    const refused = await pipeline.schema("PUT", "HRX", {
      metadataKeys: [...keys(1), { name: "Status", propertyType: "TEXT" }],
    });
    expect([refused.status, (await readRefusal(refused)).message]).toEqual([409, expect.stringMatching(/HRXStatus/)]);
    expect(await storedGroups()).toBe(1);
    await pipeline.describe("hr", keys(1));
    await pipeline.describe("hrx", [{ name: "status", propertyType: "TEXT" }]);
    const elsewhere = await MetadataPipeline.of(await makeInstance(`other${instances}`));
    await elsewhere.describe("h", [{ name: "rxstatus", propertyType: "TEXT" }]);
  });
});

describe("the token for a group", () => {
  beforeAll(begin);

  it.each([
    ["custommetadata:global_scope", "hr", 200],
    ["custommetadata:hr", "hr", 200],
    ["custommetadata:HR", "hR", 200],
    ["custommetadata:hr", "hrx", 401],
    ["custommetadata:hrx", "hr", 401],
    ["custommetadata:hr", "global_scope", 401],
    ["documents:global_scope", "hr", 401],
    ["documents:hr", "hr", 401],
  ])("with scope %s responds for group %s with %i", async (scope, group, status) => {
    const narrow = await MetadataPipeline.of(instance, scope);
    const statuses = [
      await narrow.schema("PUT", group, { metadataKeys: keys(1) }),
      await narrow.schema("GET", group),
      await narrow.schema("DELETE", group),
    ].map((response) => response.status);
    expect(statuses).toEqual([status, status, status]);
  });

  it("is checked first: an existing group, a missing one, a bad name and a bad body get the same refusal", async () => {
    await pipeline.describe("secret", keys(1));
    await pipeline.index("doc");
    const narrow = await MetadataPipeline.of(instance, "custommetadata:hr");
    const refusals = await Promise.all([
      narrow.schema("GET", "secret"),
      narrow.schema("GET", "nothing"),
      narrow.schema("GET", "-b"),
      narrow.schema("DELETE", "secret"),
      narrow.schema("PUT", "secret", "{"),
      narrow.schema("PUT", "nothing", { metadataKeys: keys(21) }),
      narrow.schema("PUT", "secret", "x".repeat(1024 * 1024)),
      narrow.values("PUT", "wiki:doc", "secret", { customMetadata: 1 }),
      narrow.values("PUT", "wiki:nothing", "secret", { customMetadata: [] }),
      narrow.values("DELETE", "wiki:doc", "nothing"),
    ]);
    const texts = await Promise.all(
      refusals.map(async (response) => {
        const { error, message } = await readRefusal(response);
        return [response.status, error, message, response.headers.get("WWW-Authenticate")];
      }),
    );
    expect(texts[0]?.slice(0, 2)).toEqual([401, "invalid_token"]);
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1);
  });

  it("can't be a Client API token or another instance's token, and can't be missing", async () => {
    const other = await makeInstance(`other${instances}`);
    for (const token of [
      await issueClientApiToken(instance, "ada@acme.example", "SEARCH"),
      await issueIndexingToken(other, "custommetadata:global_scope"),
    ]) {
      const stranger = new MetadataPipeline(token, pipeline.origin);
      expect(await refusalOf(stranger.schema("GET", "hr"))).toEqual([401, "invalid_secret"]);
    }
    const url = `${pipeline.origin}/rest/api/index/custom-metadata/schema/hr`;
    expect(await refusalOf(send(url))).toEqual([401, "unauthorized"]);
  });
});

describe("the endpoints of custom metadata", () => {
  beforeAll(begin);

  it.each([
    ["POST", "/custom-metadata/schema/hr", "PUT, GET, HEAD, DELETE"],
    ["GET", "/document/wiki%3Aa/custom-metadata/hr", "PUT, DELETE"],
    ["PATCH", "/document/wiki%3Aa/custom-metadata/hr", "PUT, DELETE"],
  ])("respond to %s %s with the methods that they allow", async (method, path, allowed) => {
    const response = await send(`${pipeline.origin}/rest/api/index${path}`, {
      method,
      headers: { Authorization: `Bearer ${pipeline.token}` },
    });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
  });
});

describe("schemas that are written at the same time", () => {
  beforeEach(begin);

  it("are accepted for fifty of sixty groups", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, group) => pipeline.schema("PUT", `g${group}x`, { metadataKeys: keys(1) })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(await storedGroups()).toBe(50);
  });

  it("for one group leave one of twenty, complete", async () => {
    const schemas = Array.from({ length: 20 }, (_, racer) =>
      Array.from({ length: 20 }, (_key, index) => ({ name: `k${racer}x${index}`, propertyType: "TEXT" })),
    );
    const answers = await Promise.all(schemas.map((metadataKeys) => pipeline.schema("PUT", "raced", { metadataKeys })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const left = await (await pipeline.schema("GET", "raced")).json();
    expect(schemas.map((metadataKeys) => ({ metadataKeys }))).toContainEqual(left);
  });

  it("with different types of one key are accepted once, and so are groups that collide", async () => {
    const types = await Promise.all(
      TYPES.map((propertyType) => pipeline.schema("PUT", "typed", { metadataKeys: [{ name: "a", propertyType }] })),
    );
    expect(types.map(({ status }) => String(status)).sort()).toEqual(["200", "409", "409", "409"]);
    const colliding = await Promise.all(
      [
        ["ab", "cd"],
        ["a", "bcd"],
        ["abc", "D"],
      ].map(([group = "", name]) => pipeline.schema("PUT", group, { metadataKeys: [{ name, propertyType: "TEXT" }] })),
    );
    expect(colliding.map(({ status }) => String(status)).sort()).toEqual(["200", "409", "409"]);
  });
});

describe("the rate limit of writes to a group", () => {
  beforeEach(begin);

  it("is 300 a minute for all who may write to it; then 429 with Retry-After, and other groups are not affected", async () => {
    await pipeline.describe("busy", keys(1));
    const narrow = await MetadataPipeline.of(instance, "custommetadata:idle");
    const counted = vi.spyOn(env.RATE_LIMIT_300, "limit");
    expect((await narrow.schema("PUT", "busy", { metadataKeys: keys(1) })).status).toBe(401);
    expect(counted).not.toHaveBeenCalled();
    counted.mockRestore();
    const { before } = await exhaust("RATE_LIMIT_300", () =>
      pipeline.values("PUT", "nothing", "BUSY", { customMetadata: [] }),
    );
    expect(before.status).not.toBe(429);
    for (const late of [
      await pipeline.schema("PUT", "busy", { metadataKeys: keys(1) }),
      await pipeline.schema("DELETE", "Busy"),
      await pipeline.values("DELETE", "nothing", "busy"),
    ]) {
      expect([late.status, (await readRefusal(late)).error]).toEqual([429, "too_many_requests"]);
      expect(Number(late.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect((await pipeline.schema("GET", "busy")).status).toBe(200);
    expect((await narrow.schema("PUT", "idle", { metadataKeys: keys(1) })).status).toBe(200);
    const elsewhere = await MetadataPipeline.of(await makeInstance(`other${instances}`));
    await elsewhere.describe("busy", keys(1));
  });
});
