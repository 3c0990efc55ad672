import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { rowsIn } from "../support/documents.ts";
import { draft, found, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

const ONE = "/api/index/v1/indexdocument";
const MANY = "/api/index/v1/indexdocuments";

let instance: InstanceRecord;
let pipeline: Pipeline;
/** A token of a person in the organisation, to search with. */
let reader: string;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

async function storedIds(): Promise<string[]> {
  const rows = await rowsIn<{ external_id: string }>(
    instance,
    "SELECT external_id FROM documents ORDER BY external_id",
  );
  return rows.map((row) => row.external_id);
}

describe("indexing documents", () => {
  it.each(["/api/index/v1", "/rest/api/index"])("accepts one or several documents at %s", async (base) => {
    const word = base.replaceAll(/\W/g, "");
    const one = await pipeline.post(`${base}/indexdocument`, { document: draft(`${word}-1`, { title: word }) });
    expect([one.status, await one.json()]).toEqual([200, { success: true }]);
    const documents = [draft(`${word}-2`, { title: word }), draft(`${word}-3`, { title: word })];
    const many = await pipeline.post(`${base}/indexdocuments`, { datasource: "wiki", documents });
    expect([many.status, await many.json()]).toEqual([200, { success: true }]);
    expect(await found(reader, word)).toEqual([`${word}-1`, `${word}-2`, `${word}-3`]);
  });

  it("replaces a known document: its old words, permissions and dates are gone", async () => {
    await pipeline.index(draft("twice", { title: "Heron", body: { textContent: "marsh" }, updatedAt: 1_700_000_000 }));
    await pipeline.index(draft("twice", { title: "Kestrel", body: { textContent: "meadow" } }));
    expect(await found(reader, "heron")).toEqual([]);
    expect(await found(reader, "marsh")).toEqual([]);
    expect(await found(reader, "kestrel meadow")).toEqual(["twice"]);
    await pipeline.index(draft("twice", { title: "Kestrel", permissions: {} }));
    expect(await found(reader, "kestrel")).toEqual([]);
  });

  it("separates documents of two datasources, whatever their ids", async () => {
    await pipeline.index(draft("same", { title: "Plover" }), draft("same", { title: "Plover", datasource: "tickets" }));
    const { results } = await searchAnswer(reader, { query: "plover" });
    expect(results.map((result) => result.document.id).sort()).toEqual(["tickets:same", "wiki:same"]);
  });

  it("keeps the last of two documents with one id in one request", async () => {
    await pipeline.index(draft("double", { title: "Avocet" }), draft("double", { title: "Bittern" }));
    expect(await found(reader, "avocet")).toEqual([]);
    expect(await found(reader, "bittern")).toEqual(["double"]);
  });

  it.each([
    ["no permissions", undefined],
    ["empty permissions", {}],
    ["empty lists", { allowedUsers: [], allowedGroups: [] }],
    ["access for anybody denied", { allowAnonymousAccess: false, allowAllDatasourceUsersAccess: false }],
  ])("shows a document with %s to nobody", async (_what, permissions) => {
    await pipeline.index(draft("hidden", { title: "Nightjar", permissions }));
    expect(await found(reader, "nightjar")).toEqual([]);
  });

  it("accepts every language, and ids with any character", async () => {
    const ids = ["a b", "ä/ö?ü#", "a:b", "'; DROP TABLE documents; --", "日本語", "😀"];
    await pipeline.index(...ids.map((id) => draft(id, { title: "Wryneck 検索 Größe" })));
    expect(await found(reader, "wryneck größe")).toEqual(ids.sort());
    expect(await found(reader, "検索")).toHaveLength(ids.length);
  });

  it("accepts control characters, half characters and NUL in texts, and shows none of the marks that it uses itself", async () => {
    const textContent = "before \u0002marked\u0003 \u0000 \ud800 after the dunlin";
    await pipeline.index(draft("control", { title: "Dunlin\u0002 \u0000", body: { textContent } }));
    const { results } = await searchAnswer(reader, { query: "dunlin" });
    const [snippet] = results[0]?.snippets ?? [];
    expect(snippet?.ranges.map(({ startIndex, endIndex }) => snippet.text.slice(startIndex, endIndex))).toEqual([
      "dunlin",
    ]);
    expect(JSON.stringify(results)).not.toMatch(/\\u000[0-3]/);
  });
});

describe("invalid documents", () => {
  const bad: [member: string, document: unknown][] = [
    ["document", undefined],
    ["document", null],
    ["document", "text"],
    ["document.datasource", { ...draft("x"), datasource: undefined }],
    ["document.datasource", draft("x", { datasource: "a b" })],
    ["document.datasource", draft("x", { datasource: "d".repeat(51) })],
    ["document.id", { ...draft("x"), id: undefined }],
    ["document.id", draft("")],
    ["document.id", draft("x".repeat(201))],
    ["document.id", { ...draft("x"), id: 7 }],
    ["document.title", draft("x", { title: "t".repeat(1001) })],
    ["document.viewURL", draft("x", { viewURL: undefined })],
    ["document.viewURL", draft("x", { viewURL: "not a url" })],
    ["document.viewURL", draft("x", { viewURL: "javascript:alert(1)" })],
    ["document.viewURL", draft("x", { viewURL: "data:text/html,x" })],
    ["document.viewURL", draft("x", { viewURL: "https://wiki.example/\nsays" })],
    ["document.viewURL", draft("x", { viewURL: "https://wiki.example\n" })],
    ["document.viewURL", draft("x", { viewURL: "https://wiki.example/a\tb" })],
    ["document.objectType", draft("x", { objectType: 1 })],
    ["document.body.textContent", draft("x", { body: { textContent: 1 } })],
    ["document.createdAt", draft("x", { createdAt: "2026-01-01" })],
    ["document.updatedAt", draft("x", { updatedAt: -1 })],
    ["document.updatedAt", draft("x", { updatedAt: 1e300 })],
    ["document.author.email", draft("x", { author: { email: "nobody" } })],
    ["document.tags", draft("x", { tags: "one" })],
    ["document.permissions", draft("x", { permissions: "everyone" })],
    ["document.permissions.allowAnonymousAccess", draft("x", { permissions: { allowAnonymousAccess: "true" } })],
    ["document.permissions.allowedUsers[0].email", draft("x", { permissions: { allowedUsers: [{ email: "x" }] } })],
    ["document.permissions.allowedUsers[0]", draft("x", { permissions: { allowedUsers: ["ben@acme.example"] } })],
    ["document.permissions.allowedGroups[0]", draft("x", { permissions: { allowedGroups: [7] } })],
    [
      "document.permissions.allowedGroupIntersections[0].requiredGroups",
      draft("x", { permissions: { allowedGroupIntersections: [{ requiredGroups: [] }] } }),
    ],
    [
      "document.permissions.allowedGroupIntersections[0].requiredGroups",
      draft("x", {
        permissions: {
          allowedGroupIntersections: [{ requiredGroups: Array.from({ length: 21 }, (_, at) => `group-${at}`) }],
        },
      }),
    ],
    [
      "document.permissions.allowedGroupIntersections[0]",
      draft("x", { permissions: { allowedGroupIntersections: ["a"] } }),
    ],
    ["document.permissions.allowedGroups[0]", draft("x", { permissions: { allowedGroups: ["half \ud800"] } })],
    ["document.id", draft("a\u0000b")],
  ];

  it.each(bad)("are refused with the name of the wrong member: %s %j", async (member, document) => {
    const response = await pipeline.post(ONE, { document });
    expect(response.status).toBe(400);
    const { error, message } = await readRefusal(response);
    expect(error).toBe("bad_request");
    expect(message.split(" ")[0]).toBe(member);
  });

  it("leave nothing of their request stored, and are named by their index in it", async () => {
    const before = await storedIds();
    const documents = [draft("good-1"), draft("bad", { viewURL: "nowhere" }), draft("good-2")];
    const response = await pipeline.post(MANY, { documents });
    expect(response.status).toBe(400);
    expect((await readRefusal(response)).message).toContain("documents[1].viewURL");
    expect(await storedIds()).toEqual(before);
  });

  it("are refused in a list that is empty or has more than a hundred", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => draft(`many-${index}`));
    for (const documents of [[], many(101), {}, undefined, "x"]) {
      expect((await pipeline.post(MANY, { documents })).status).toBe(400);
    }
    await pipeline.index(...many(100));
    expect(await storedIds()).toContain("many-99");
  });

  // An ideograph takes six bytes in the row: three for itself, and three for a separator.
  it.each([
    ["a long text", { body: { textContent: "wide 漢".padEnd(400_000, "字") } }],
    ["a long summary", { summary: "字".repeat(400_000) }],
    ["many tags", { tags: Array.from({ length: 8000 }, () => "字".repeat(50)) }],
    [
      "more people than a row can name",
      {
        permissions: {
          allowedUsers: Array.from({ length: 40_000 }, (_, at) => ({ email: `person-${at}@acme.example` })),
        },
      },
    ],
  ])("are refused for good if no database row can hold them: %s", async (_what, changes) => {
    const before = await storedIds();
    const response = await pipeline.post(ONE, { document: draft("large", changes) });
    expect([response.status, (await readRefusal(response)).error]).toEqual([400, "bad_request"]);
    expect(await storedIds()).toEqual(before);
  });

  it("don't include one with as many people as a row can name", async () => {
    const allowedUsers = Array.from({ length: 15_000 }, (_, at) => ({ email: `person-${at}@acme.example` }));
    allowedUsers.push({ email: "ben@acme.example" });
    await pipeline.index(draft("crowd", { title: "Sandpiper", permissions: { allowedUsers } }));
    expect(await found(reader, "sandpiper")).toEqual(["crowd"]);
  });

  it("don't include one that has exactly the maximum sizes", async () => {
    const textContent = "limit ".padEnd(1_000_000, "x");
    await pipeline.index(draft("y".repeat(200), { title: "t".repeat(1000), body: { textContent } }));
    expect(await found(reader, "limit")).toEqual(["y".repeat(200)]);
  });
});

describe("invalid requests of the Indexing API", () => {
  it.each([
    [400, "bad_request", "{", "application/json"],
    [400, "bad_request", "", "application/json"],
    [400, "bad_request", "[]", "application/json"],
    [400, "bad_request", "null", "application/json"],
    [400, "bad_request", '"x"', "application/json; charset=utf-8"],
    [415, "unsupported_media_type", "{}", "text/plain"],
    [415, "unsupported_media_type", "{}", "application/x-www-form-urlencoded"],
    [415, "unsupported_media_type", "{}", ""],
    [413, "request_too_large", " ".repeat(8 * 1024 * 1024 + 1), "application/json"],
  ])("get a %i %s", async (status, error, body, contentType) => {
    const response = await pipeline.post(ONE, body, { "Content-Type": contentType });
    expect([response.status, (await readRefusal(response)).error]).toEqual([status, error]);
  });

  it("with too many objects get the limit in the message, before they fill memory", async () => {
    const response = await pipeline.post(ONE, `{"document":[${"{},".repeat(2_700_000)}{}]}`);
    expect([response.status, (await readRefusal(response)).message]).toEqual([
      400,
      "The body has more than 600000 objects, arrays and members",
    ]);
  });
});

describe("listdocuments", () => {
  const list = async (body: object) => {
    const response = await pipeline.post("/rest/api/index/listdocuments", { datasource: "Listed", ...body });
    return response.json();
  };

  it("tells a pipeline what it sent, page by page, whatever the permissions", async () => {
    const sent = Array.from({ length: 1003 }, (_, at) => `d${String(at).padStart(4, "0")}`);
    for (let from = 0; from < sent.length; from += 100) {
      const documents = sent
        .slice(from, from + 100)
        .map((id) => draft(id, { permissions: {}, contentHash: `of-${id}` }));
      await pipeline.index(...documents.map((document) => ({ ...document, datasource: "listed" })));
    }
    const listed = (ids: readonly string[]) => ids.map((id) => ({ id, contentHash: `of-${id}` }));
    expect(await list({})).toEqual({ documents: listed(sent.slice(0, 1000)), hasMore: true });
    expect(await list({ after: "d0999" })).toEqual({ documents: listed(sent.slice(1000)), hasMore: false });
    expect(await list({ after: "d1002" })).toEqual({ documents: [], hasMore: false });
  });

  it("gives the latest hash, and none for a document without one or with other permissions than were sent", async () => {
    const inB = { datasource: "b" };
    await pipeline.index(...["a", "b", "c", "d"].map((id) => draft(id, { ...inB, contentHash: "1" })));
    await pipeline.index(draft("b", { ...inB, contentHash: "2" }), draft("c", inB));
    await pipeline.post("/rest/api/index/updatepermissions", { ...inB, id: "d", permissions: {} });
    expect(await list(inB)).toEqual({
      documents: [{ id: "a", contentHash: "1" }, { id: "b", contentHash: "2" }, { id: "c" }, { id: "d" }],
      hasMore: false,
    });
  });
});
