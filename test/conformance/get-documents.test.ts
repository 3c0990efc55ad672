import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { getDocuments } from "../support/directory.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

let ben: string;
let searchOnly: string;
let pipeline: Pipeline;
let metadata: MetadataPipeline;

type Answers = Record<string, Record<string, unknown>>;

async function answers(body: object, token = ben): Promise<Answers> {
  const response = await getDocuments(token, body);
  if (response.status !== 200) throw new Error(`getdocuments answered ${response.status}: ${await response.text()}`);
  return (await response.json<{ documents: Answers }>()).documents;
}

beforeAll(async () => {
  const instance = await makeInstance();
  ben = await issueClientApiToken(instance, "ben@acme.example", "DOCUMENTS");
  searchOnly = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  pipeline = await Pipeline.of(instance);
  metadata = await MetadataPipeline.of(instance);
  await pipeline.index(
    draft("seen:1", {
      title: "Sora 検索",
      objectType: "Page",
      body: { mimeType: "text/plain", textContent: "A rail of 湿地 marshes" },
      author: { email: "ada@acme.example", name: "Ada Marlow" },
      createdAt: 1_700_000_000,
      updatedAt: 1_700_000_060,
    }),
    draft("hidden", { viewURL: "https://wiki.acme.example/shared", permissions: {} }),
    draft("shared", { viewURL: "https://wiki.acme.example/shared" }),
    draft("colleague", { permissions: { allowedUsers: [{ email: "carla@acme.example" }] } }),
  );
});

describe("getdocuments", () => {
  it("returns documents by id and by URL, in the same form as search", async () => {
    const url = "https://wiki.acme.example/seen%3A1";
    const documents = await answers({ documentSpecs: [{ id: "wiki:seen:1" }, { id: "WIKI:shared" }, { url }] });
    expect(Object.keys(documents)).toEqual(["wiki:seen:1", "WIKI:shared", url]);
    expect(documents["wiki:seen:1"]).toEqual({
      id: "wiki:seen:1",
      datasource: "wiki",
      docType: "Page",
      title: "Sora 検索",
      url,
      metadata: {
        datasource: "wiki",
        objectType: "Page",
        createTime: "2023-11-14T22:13:20.000Z",
        updateTime: "2023-11-14T22:14:20.000Z",
        author: { name: "Ada Marlow", obfuscatedId: expect.stringMatching(/^[\w-]{22}$/) },
      },
    });
    expect(documents[url]).toEqual(documents["wiki:seen:1"]);
    expect(documents["WIKI:shared"]).toMatchObject({ id: "wiki:shared" });
  });

  it("returns a document by the URL of a section, as results and citations have it", async () => {
    const [url, absent] = ["https://wiki.acme.example/seen%3A1#marshes", "https://wiki.acme.example/absent#marshes"];
    const documents = await answers({ documentSpecs: [{ url: absent }, { url }] });
    expect(documents[url]).toMatchObject({ id: "wiki:seen:1", url: url.replace("#marshes", "") });
    expect(documents[absent]).toHaveProperty("error");
  });

  it("returns the same error for documents that the person may not see as for ones that don't exist", async () => {
    const documentSpecs = ["wiki:hidden", "wiki:colleague", "wiki:nothing", "nothing", "", "wiki:", ":hidden"].map(
      (id) => ({ id }),
    );
    const includeFields = ["CUSTOM_METADATA", "DOCUMENT_CONTENT"];
    const documents = await answers({ documentSpecs, includeFields });
    expect(new Set(Object.values(documents).map((entry) => JSON.stringify(entry))).size).toBe(1);
    expect(documents["wiki:hidden"]).toEqual({ error: expect.any(String) });
  });

  it("returns URLs with spaces and quotes encoded, and finds documents by either form", async () => {
    const given = 'HTTPS://wiki.acme.example\\My File "2"\u2028.aspx?q=ü%20\\ ';
    await pipeline.index(draft("file", { viewURL: given }));
    const url = "HTTPS://wiki.acme.example/My%20File%20%222%22%E2%80%A8.aspx?q=ü%20%5C";
    const documents = await answers({ documentSpecs: [{ url: given }, { url }] });
    expect(documents).toMatchObject({ [given]: { id: "wiki:file", url }, [url]: { id: "wiki:file", url } });
  });

  it("returns the document that the person may see if two have the same URL", async () => {
    const url = "https://wiki.acme.example/shared";
    expect((await answers({ documentSpecs: [{ url }] }))[url]).toMatchObject({ id: "wiki:shared" });
  });

  it("returns content and custom metadata only on request, without values of keys that the schema no longer has", async () => {
    await metadata.describe("Review", [
      { name: "Status", propertyType: "PICKLIST" },
      { name: "teams", propertyType: "TEXTLIST" },
      { name: "past", propertyType: "TEXT" },
    ]);
    const values = { status: "Approved", teams: ['Red "team"', "Blue"], past: "of a key that is gone" };
    await metadata.attach("wiki:seen:1", "review", values);
    await metadata.describe("Review", [
      { name: "Status", propertyType: "PICKLIST" },
      { name: "teams", propertyType: "TEXTLIST" },
    ]);
    const documentSpecs = [{ id: "wiki:seen:1" }];
    const plain = (await answers({ documentSpecs, includeFields: ["LAST_VIEWED_AT"] }))["wiki:seen:1"];
    expect(plain).not.toHaveProperty("content");
    expect(plain?.["metadata"]).not.toHaveProperty("customData");
    const whole = (await answers({ documentSpecs, includeFields: ["CUSTOM_METADATA", "DOCUMENT_CONTENT"] }))[
      "wiki:seen:1"
    ];
    expect(whole).toMatchObject({
      content: { fullTextList: ["A rail of 湿地 marshes"], offset: 0, totalLength: 20 },
      metadata: {
        customData: {
          ReviewStatus: { stringValue: "Approved" },
          Reviewteams: { stringListValue: ['Red "team"', "Blue"] },
        },
      },
    });
    expect(JSON.stringify(whole)).not.toContain("gone");
  });

  it("returns a part of a text, from an offset or around a passage, and says how much there is", async () => {
    const textContent = `${"one ".repeat(300)}Found **here**: 湿地 😀 ${"two ".repeat(300)}`.trim();
    await pipeline.index(draft("parted", { body: { mimeType: "text/plain", textContent } }));
    const part = async (contentPart: object) => {
      const asked = { documentSpecs: [{ id: "wiki:parted" }], includeFields: ["DOCUMENT_CONTENT"], contentPart };
      return (await answers(asked))["wiki:parted"]?.["content"];
    };
    const totalLength = textContent.length;
    const whole = { fullTextList: [textContent], offset: 0, totalLength };
    expect(await part({})).toEqual(whole);
    expect(await part({ offset: 4, length: 7 })).toEqual({ fullTextList: ["one one"], offset: 4, totalLength });
    expect(await part({ offset: totalLength + 1 })).toEqual({ fullTextList: [""], offset: totalLength, totalLength });
    // As an excerpt shows it.
    expect(await part({ around: "… Found here: 湿地", length: 40 })).toMatchObject({
      fullTextList: [expect.stringContaining("Found **here**: 湿地")],
    });
    expect(await part({ around: "nowhere" })).toEqual(whole);
    // Between the halves of a character.
    const face = textContent.indexOf("😀");
    expect(await part({ offset: face + 1, length: 1 })).toMatchObject({ offset: face });
    const odd = { documentSpecs: [], contentPart: { length: 0 } };
    expect((await getDocuments(ben, odd)).status).toBe(400);
  });

  it("refuses with 413 a request for more text than one response may have", async () => {
    const ids = Array.from({ length: 9 }, (_, at) => `long-${at}`);
    for (const id of ids) await pipeline.index(draft(id, { body: { textContent: "x".repeat(1_000_000) } }));
    const documentSpecs = ids.map((id) => ({ id: `wiki:${id}` }));
    const response = await getDocuments(ben, { documentSpecs, includeFields: ["DOCUMENT_CONTENT"] });
    expect([response.status, (await readRefusal(response)).error]).toEqual([413, "request_too_large"]);
    expect(Object.keys(await answers({ documentSpecs }))).toHaveLength(9);
  });

  it("treats odd ids as those of unknown documents", async () => {
    const odd = ["__proto__", "wiki:' OR 1=1 --", "wiki:a\u0000b", "wiki:\ud800", "constructor"];
    const documents = await answers({ documentSpecs: odd.map((id) => ({ id })) });
    expect(Object.keys(documents)).toHaveLength(odd.length);
    for (const entry of Object.values(documents)) expect(entry).toEqual({ error: expect.any(String) });
  });

  it.each([
    [{}],
    [{ documentSpecs: "wiki:a" }],
    [{ documentSpecs: [{}] }],
    [{ documentSpecs: ["wiki:a"] }],
    [{ documentSpecs: [{ id: 7 }] }],
    [{ documentSpecs: Array.from({ length: 101 }, (_, at) => ({ id: `wiki:${at}` })) }],
    [{ documentSpecs: [], includeFields: "ALL" }],
  ])("refuses an invalid request (case %#)", async (body) => {
    const response = await getDocuments(ben, body);
    expect([response.status, (await readRefusal(response)).error]).toEqual([400, "bad_request"]);
  });

  it("needs the scope DOCUMENTS", async () => {
    const response = await getDocuments(searchOnly, { documentSpecs: [] });
    expect([response.status, (await readRefusal(response)).error]).toEqual([403, "insufficient_scope"]);
    expect(response.headers.get("WWW-Authenticate")).toContain("DOCUMENTS");
    expect(await answers({ documentSpecs: [] })).toEqual({});
  });
});
