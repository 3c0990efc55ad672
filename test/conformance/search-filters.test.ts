import { beforeAll, describe, expect, it } from "vitest";
import { search } from "../support/app-client.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, found, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

let token: string;
let carla: string;

const day = (text: string) => Date.parse(`${text}T12:00:00Z`) / 1000;

beforeAll(async () => {
  const instance = await makeInstance();
  token = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  carla = await issueClientApiToken(instance, "carla@acme.example", "SEARCH");
  const pipeline = await Pipeline.of(instance);
  const ada = { name: "Ada Marlow", email: "ada@acme.example" };
  await pipeline.index(
    draft("one", { title: "Heron census", author: ada, objectType: "Page", updatedAt: day("2024-03-01") }),
    draft("two", { title: "Heron map", author: ada, objectType: "Ticket", updatedAt: day("2024-03-02") }),
    draft("three", { title: "Heron nest", objectType: "Page", datasource: "drive", updatedAt: day("2024-03-03") }),
    draft("undated", { title: "Heron feather", objectType: "Page" }),
    draft("hidden", {
      title: "Heron secret",
      objectType: "Dossier",
      author: { name: "Secret Author", email: "secret@acme.example" },
      permissions: { allowedUsers: [{ email: "carla@acme.example" }] },
    }),
    draft("kanji", {
      title: "検索エンジンの設計",
      body: { textContent: "全文検索エンジンは速い。ＳＱＬite で作る。" },
    }),
    draft("thai", { title: "ไทยภาษา", body: { textContent: "การค้นหาภาษาไทย" } }),
    draft("german", { title: "Straße", body: { textContent: "In der Straße" } }),
  );
  const metadata = await MetadataPipeline.of(instance);
  await metadata.describe("Review", [
    { name: "Status", propertyType: "PICKLIST" },
    { name: "Labels", propertyType: "MULTIPICKLIST" },
    { name: "Note", propertyType: "TEXT" },
    { name: "Owner", propertyType: "TEXT", skipIndexing: true },
  ]);
  await metadata.attach("wiki:one", "review", {
    Status: "Approved",
    Labels: ["red", "Dark Blue"],
    Note: "checked by Wren",
    Owner: "Kestrel team",
  });
  await metadata.attach("wiki:two", "review", { Status: "In review", Labels: ["red"] });
  await metadata.attach("wiki:hidden", "review", { Status: "Sealed" });
});

const filtered = async (facetFilters: unknown, query = "heron ") =>
  (await searchAnswer(token, { query, requestOptions: { facetFilters } })).results
    .map((result) => result.document.id.replace(/^[^:]*:/, ""))
    .sort();

const having = (fieldName: string, ...values: (string | [string, string])[]) => ({
  fieldName,
  values: values.map((one) => (typeof one === "string" ? { value: one } : { relationType: one[0], value: one[1] })),
});

describe("results of a query with operators", () => {
  it.each([
    ["heron type:page", ["one", "three", "undated"]],
    ["heron -type:page", ["two"]],
    ["type:TICKET", ["two"]],
    ["heron datasource:drive", ["three"]],
    ['heron from:"ada marlow"', ["one", "two"]],
    ["heron from:ada@acme.example type:page", ["one"]],
    ["heron reviewstatus:approved", ["one"]],
    ['heron ReviewStatus:"in review"', ["two"]],
    ["heron -reviewstatus:approved", ["three", "two", "undated"]],
    ["heron reviewstatus:app", []],
    ['reviewlabels:"dark blue"', ["one"]],
    ["reviewlabels:blue", []],
    ["reviewnote:wren", ["one"]],
    ['reviewnote:"wren checked"', ["one"]],
    ["reviewowner:kestrel", ["one"]],
    ["heron last_updated_at:2024-03-02", ["two"]],
    ["type:dossier", []],
    ["reviewstatus:sealed", []],
  ])("are the documents that match %s", async (query, ids) => {
    expect(await found(token, query)).toEqual(ids);
  });

  it.each([
    ["wren ", ["one"]],
    ["approved ", ["one"]],
    ["kestrel ", []],
    ["title:heron ", ["one", "three", "two", "undated"]],
    ["status:approved ", ["one"]],
  ])(
    "include matches in custom metadata, unless indexing is skipped, and treat an unknown field as words: %s",
    async (query, ids) => {
      expect(await found(token, query)).toEqual(ids);
    },
  );
});

describe("facet filters of a search request", () => {
  it.each([
    [[having("type", "page", "ticket")], ["one", "three", "two", "undated"]],
    [
      [having("type", "Page"), having("datasource", "wiki")],
      ["one", "undated"],
    ],
    [[having("type", ["NOT_EQUALS", "page"])], ["two"]],
    [[having("ReviewLabels", "RED"), having("reviewstatus", ["NOT_EQUALS", "approved"])], ["two"]],
    [[having("reviewstatus", "approved", "in review")], ["one", "two"]],
    [[having("nosuchfield", "x")], ["one", "three", "two", "undated"]],
    [[having("acl", "p1")], ["one", "three", "two", "undated"]],
    [[having("last_updated_at", ["GT", "2024-03-01"])], ["three", "two"]],
    [[having("last_updated_at", ["LT", "2024-03-02"])], ["one"]],
    [[having("last_updated_at", ["GT", "2024-03-01"], ["LT", "2024-03-03"])], ["two"]],
    [[], ["one", "three", "two", "undated"]],
  ])("limit the results: %j", async (facetFilters, ids) => {
    expect(await filtered(facetFilters)).toEqual(ids);
  });

  it("find documents without any search words", async () => {
    expect(await filtered([having("reviewstatus", "approved")], "")).toEqual(["one"]);
    expect(await filtered([having("last_updated_at", ["GT", "2024-03-02"])], "")).toEqual(["three"]);
    expect(await filtered([having("nosuchfield", "x")], "")).toEqual([]);
    expect(await filtered([having("type", ["NOT_EQUALS", "page"])], "")).toEqual([]);
  });

  it("are named as missing if they are typed and no document has them, once nothing is found", async () => {
    const missing = async (query: string, facetFilters: object[] = []) => {
      const response = await search(token, { query, requestOptions: { facetFilters } });
      const { results, metadata } = await response.json<{ results: object[]; metadata: { missingWords?: string[] } }>();
      return [results.length > 0, metadata.missingWords];
    };
    expect(await missing("heron from:nobody type:Page")).toEqual([false, ["from:nobody"]]);
    expect(await missing("heron type:page from:nobody type:pdf")).toEqual([false, ["from:nobody", "type:pdf"]]);
    expect(await missing("heron", [having("type", "pdf")])).toEqual([false, undefined]);
    expect(await missing("heron -type:pdf")).toEqual([true, undefined]);
  });

  it("are refused with 422 if a day doesn't exist", async () => {
    for (const value of ["2024-02-30", "soon"]) {
      const requestOptions = { facetFilters: [having("last_updated_at", ["GT", value])] };
      const response = await search(token, { query: "heron", requestOptions });
      expect([value, response.status]).toEqual([value, 422]);
      expect(await response.json()).toMatchObject({ error: "unprocessable" });
    }
  });
});

describe("custom metadata in search results", () => {
  it("is named by group and key, is a string or a list by the key's type, and is absent if there is none", async () => {
    const [one] = (await searchAnswer(token, { query: "census " })).results;
    expect(one?.document.metadata.customData).toEqual({
      ReviewStatus: { stringValue: "Approved" },
      ReviewLabels: { stringListValue: ["red", "Dark Blue"] },
      ReviewNote: { stringValue: "checked by Wren" },
      ReviewOwner: { stringValue: "Kestrel team" },
    });
    const [bare] = (await searchAnswer(token, { query: "feather " })).results;
    expect(bare?.document.metadata).not.toHaveProperty("customData");
  });
});

describe("facets of a search", () => {
  const facets = async (requestOptions: unknown, who = token, query = "heron ") => {
    const { facetResults } = await searchAnswer(who, { query, requestOptions });
    return (
      facetResults &&
      Object.fromEntries(
        facetResults.map(({ sourceName, operatorName, buckets, hasMoreBuckets }) => [
          sourceName,
          [
            operatorName,
            buckets.map(({ count, value }) => `${value.stringValue} ${count}`).join(", ") +
              (hasMoreBuckets ? ", …" : ""),
          ],
        ]),
      )
    );
  };

  it("count the results, most frequent values first, and select one or several values by the key's type", async () => {
    expect(await facets({ responseHints: ["RESULTS", "FACET_RESULTS"] })).toEqual({
      datasource: ["SelectSingle", "wiki 3, drive 1"],
      type: ["SelectSingle", "Page 3, Ticket 1"],
      from: ["SelectSingle", "Ada Marlow 2"],
      ReviewStatus: ["SelectSingle", "Approved 1, In review 1"],
      ReviewLabels: ["SelectMultiple", "red 2, Dark Blue 1"],
      ReviewNote: ["SelectSingle", "checked by Wren 1"],
      ReviewOwner: ["SelectSingle", "Kestrel team 1"],
    });
  });

  it("have as many buckets as requested, and say if there are more", async () => {
    expect(await facets({ facetBucketSize: 1 })).toMatchObject({
      type: ["SelectSingle", "Page 3, …"],
      from: ["SelectSingle", "Ada Marlow 2"],
    });
  });

  it("follow the filters", async () => {
    const onlyTickets = { facetBucketSize: 5, facetFilters: [having("type", "ticket")] };
    expect(await facets(onlyTickets)).toMatchObject({ type: ["SelectSingle", "Ticket 1"] });
    const recent = { facetBucketSize: 5, facetFilters: [having("last_updated_at", ["GT", "2024-03-02"])] };
    expect(await facets(recent)).toMatchObject({ datasource: ["SelectSingle", "drive 1"] });
  });

  it("are absent unless they are requested", async () => {
    expect(await facets({})).toBeUndefined();
    expect(await facets({ facetBucketSize: 5, responseHints: ["RESULTS"] })).toBeUndefined();
  });

  it("include nothing from documents that the person may not see", async () => {
    const text = JSON.stringify(await facets({ facetBucketSize: 100 }));
    expect(text).not.toMatch(/Dossier|Secret|Sealed/);
    expect(JSON.stringify(await facets({ facetBucketSize: 100 }, carla))).toMatch(/Dossier.*Secret Author.*Sealed/);
  });
});

describe("search in scripts without spaces, and with letters that have two spellings", () => {
  it.each([
    ["検索", ["kanji"]],
    ["エンジン", ["kanji"]],
    ["全文検索 速い", ["kanji"]],
    ['"検索エンジン"', ["kanji"]],
    ['"エンジン検索"', []],
    ["sqlite", ["kanji"]],
    ["ＳＱＬ", ["kanji"]],
    ["ภาษา", ["thai"]],
    ["strasse", ["german"]],
    ["STRASSE ", ["german"]],
    ["straße ", ["german"]],
  ])("finds documents by %s", async (query, ids) => {
    expect(await found(token, query)).toEqual(ids);
  });

  it("returns titles as they were written, and marks matches in the text of snippets", async () => {
    const { results } = await searchAnswer(token, { query: "検索 sqlite " });
    expect(results[0]?.title).toBe("検索エンジンの設計");
    const [snippet] = results[0]?.snippets ?? [];
    expect(snippet?.text).toBe("全文検索エンジンは速い。SQLite で作る。");
    expect(snippet?.ranges.map(({ startIndex, endIndex }) => snippet.text.slice(startIndex, endIndex)).join("")).toBe(
      "検索SQLite",
    );
  });
});

describe("a search cursor", () => {
  const first = async () => (await searchAnswer(token, { query: "heron ", pageSize: 2 })).cursor ?? "";

  it("continues the same search of the same person", async () => {
    const { results } = await searchAnswer(token, { query: "heron ", pageSize: 2, cursor: await first() });
    expect(results).toHaveLength(2);
  });

  it.each([
    ["another query", { query: "heron census" }],
    ["another filter", { query: "heron ", requestOptions: { datasourceFilter: "wiki" } }],
    ["another time", { query: "heron ", requestOptions: { facetFilters: [having("last_updated_at", "2024-03-01")] } }],
  ])("is refused for %s", async (_, body) => {
    const response = await search(token, { ...body, cursor: await first() });
    expect([response.status, await response.json()]).toMatchObject([400, { error: "bad_request" }]);
  });

  it("is refused from another person, and if it was altered anywhere", async () => {
    const cursor = await first();
    expect((await search(carla, { query: "heron ", cursor })).status).toBe(400);
    for (let at = 0; at < cursor.length; at += 5) {
      const altered = cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
      expect([at, (await search(token, { query: "heron ", cursor: altered })).status]).toEqual([at, 400]);
    }
    for (const odd of ["", ".", "v1", "v1..", "v1.test.AA.AA", "🦆", cursor.slice(0, -1), `${cursor}A`]) {
      expect([odd, (await search(token, { query: "heron ", cursor: odd })).status]).toEqual([odd, 400]);
    }
  });

  it("has no readable content", async () => {
    expect(atob((await first()).split(".").at(-1)?.replaceAll("-", "+").replaceAll("_", "/") ?? "")).not.toMatch(
      /snapshot/,
    );
  });
});
