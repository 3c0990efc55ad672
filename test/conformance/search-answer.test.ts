import * as v from "valibot";
import { beforeAll, describe, expect, it } from "vitest";
import { search } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { draft, found, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, send } from "../support/world.ts";

const index = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The response of POST /search as this API's clients parse it: no other members, none renamed. */
const answerSchema = v.strictObject({
  results: v.array(
    v.strictObject({
      url: v.pipe(v.string(), v.url()),
      title: v.string(),
      document: v.strictObject({
        id: v.string(),
        datasource: v.string(),
        docType: v.string(),
        title: v.string(),
        url: v.string(),
        metadata: v.strictObject({
          datasource: v.string(),
          objectType: v.string(),
          createTime: v.optional(v.pipe(v.string(), v.isoTimestamp())),
          updateTime: v.optional(v.pipe(v.string(), v.isoTimestamp())),
          author: v.optional(v.strictObject({ name: v.string(), obfuscatedId: v.string() })),
          customData: v.optional(
            v.record(
              v.string(),
              v.union([
                v.strictObject({ stringValue: v.string() }),
                v.strictObject({ stringListValue: v.array(v.string()) }),
              ]),
            ),
          ),
        }),
      }),
      snippets: v.array(
        v.strictObject({
          text: v.string(),
          ranges: v.array(v.strictObject({ startIndex: index, endIndex: index, type: v.literal("BOLD") })),
        }),
      ),
      similarResults: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    }),
  ),
  facetResults: v.optional(
    v.array(
      v.strictObject({
        sourceName: v.string(),
        operatorName: v.picklist(["SelectSingle", "SelectMultiple"]),
        buckets: v.array(
          v.strictObject({
            count: v.pipe(v.number(), v.integer(), v.minValue(1)),
            value: v.strictObject({ stringValue: v.string() }),
          }),
        ),
        hasMoreBuckets: v.boolean(),
      }),
    ),
  ),
  totalResults: v.strictObject({ count: index, isExact: v.boolean() }),
  cursor: v.optional(v.string()),
  hasMoreResults: v.boolean(),
  trackingToken: v.string(),
  requestID: v.string(),
  backendTimeMillis: v.pipe(index, v.multipleOf(100)),
  metadata: v.strictObject({ searchedQuery: v.string(), missingWords: v.optional(v.array(v.string())) }),
});

/** As much text as a document needs to have copies. */
const FILLER = Array.from({ length: 60 }, (_, at) => `reed${at}`).join(" ");

let token: string;

beforeAll(async () => {
  const instance = await makeInstance();
  token = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  const pipeline = await Pipeline.of(instance);
  const author = { name: "Ada Marlow", email: "ada@acme.example" };
  await pipeline.index(
    draft("whole", {
      title: "Heron census",
      objectType: "Page",
      body: { textContent: "Count every heron. A 🦆 is no heron, a Héron is." },
      author,
      createdAt: 1_700_000_000,
      updatedAt: 1_700_000_001,
    }),
    draft("bare", { title: "Heron" }),
    draft("half", { title: "Heron", author: { name: "Ada Marlow" }, datasource: "tickets" }),
    ...["dotterel", "edition"].map((id) =>
      draft(id, { title: "Dotterel", body: { textContent: `A dotterel nests. ${FILLER}` } }),
    ),
    draft("phrases", { title: "Minutes", body: { textContent: "The grey owl flew. The owl was grey." } }),
    draft("reversed", { title: "Notes", body: { textContent: "An owl grey as ash." } }),
    ...Array.from({ length: 60 }, (_, at) => draft(`page-${at}`, { title: "Starling", datasource: "pages" })),
  );
  // Two more than the largest page.
  const plovers = Array.from({ length: 102 }, (_, at) => draft(`plover-${at}`, { title: "Plover" }));
  await pipeline.index(...plovers.slice(0, 100));
  await pipeline.index(...plovers.slice(100));
});

describe("the response of a search (wire contract)", () => {
  it("has the form that clients parse, with and without results", async () => {
    for (const query of ["heron", "starling", "nothing-has-this", "", "-", "-heron"]) {
      const response = await search(token, { query, requestOptions: { facetBucketSize: 2 } });
      expect([query, response.status]).toEqual([query, 200]);
      expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      const answer = v.parse(answerSchema, await response.json());
      expect(answer.metadata.searchedQuery).toBe(query);
      expect(answer.requestID).toBe(response.headers.get("X-Request-Id"));
    }
  });

  it("has a document's data from the pipeline, with times in ISO 8601, and never an author's email", async () => {
    const response = await search(token, { query: "census" });
    const text = await response.clone().text();
    const { results } = v.parse(answerSchema, await response.json());
    expect(results[0]).toMatchObject({
      url: "https://wiki.acme.example/whole",
      title: "Heron census",
      document: {
        id: "wiki:whole",
        docType: "Page",
        metadata: {
          objectType: "Page",
          createTime: "2023-11-14T22:13:20.000Z",
          updateTime: "2023-11-14T22:13:21.000Z",
          author: { name: "Ada Marlow" },
        },
      },
    });
    expect(text).not.toContain("ada@acme.example");
    expect(text).not.toMatch(/score|rank|acl/i);
  });

  it("has one of several documents that are nearly the same, and lists the others if asked to", async () => {
    const parsed = async (more: object) =>
      v.parse(answerSchema, await (await search(token, { query: "dotterel nests ", ...more })).json()).results;
    const [one, ...others] = await parsed({});
    expect([one?.similarResults, others]).toEqual([1, []]);
    const similar = await parsed({ similarTo: one?.document.id });
    const ids = [one, ...similar].map((result) => result?.document.id);
    expect(new Set(ids)).toEqual(new Set(["wiki:edition", "wiki:dotterel"]));
    expect(await parsed({ similarTo: "wiki:none" })).toEqual([]);
  });

  it("names an author only if both name and email are known", async () => {
    const { results } = v.parse(answerSchema, await (await search(token, { query: "heron -census" })).json());
    expect(results).toHaveLength(2);
    for (const result of results) expect(result.document.metadata).not.toHaveProperty("author");
  });

  it("marks in each snippet exactly what matched, in UTF-16 units of the snippet's text", async () => {
    const { results } = await searchAnswer(token, { query: "heron census" });
    const [snippet] = results[0]?.snippets ?? [];
    const marked = snippet?.ranges.map(({ startIndex, endIndex }) => snippet.text.slice(startIndex, endIndex));
    expect(marked).toEqual(["heron", "heron", "Héron"]);
    const phrase = (await searchAnswer(token, { query: '"grey owl"' })).results[0]?.snippets[0];
    expect(phrase?.ranges.map(({ startIndex, endIndex }) => phrase.text.slice(startIndex, endIndex))).toEqual([
      "grey owl",
    ]);
  });

  it("names the words that not every result of the page contains, as missingWords", async () => {
    const missing = async (query: string) => (await searchAnswer(token, { query })).metadata.missingWords;
    expect(await missing("Héron Owls ")).toEqual(["heron", "owls"]);
    expect(await missing("grey owl")).toBeUndefined();
    expect(await missing("nothing-has-this")).toBeUndefined();
  });

  it("ranks a match in a title above one in a body", async () => {
    const { results } = await searchAnswer(token, { query: "heron" });
    expect(results[0]?.title).toBe("Heron");
  });
});

describe("results of a query", () => {
  it.each([
    ["grey owl", ["phrases", "reversed"]],
    ["GREY Owl", ["phrases", "reversed"]],
    ['"grey owl"', ["phrases"]],
    ['"owl grey"', ["reversed"]],
    // Documents with the words in a row come first, and those that have them otherwise come after.
    ["grey-owl", ["phrases", "reversed"]],
    ["owl -flew", ["reversed"]],
    ['owl -"grey owl"', ["reversed"]],
    ["héron", ["bare", "half", "whole"]],
    ["gre", ["phrases", "reversed"]],
    ["gre ", []],
    ['"gre"', []],
    // No document has both words, so those with one of them are found.
    ["gre owl", ["phrases", "reversed"]],
    ["owl gre", ["phrases", "reversed"]],
    ["-gre", []],
    ["owl heron", ["bare", "half", "phrases", "reversed", "whole"]],
  ])("are the documents that match %s", async (query, ids) => {
    expect(await found(token, query)).toEqual(ids);
  });

  it.each([
    [{ datasourceFilter: "tickets" }, ["half"]],
    [{ datasourcesFilter: ["tickets"] }, ["half"]],
    [{ datasourcesFilter: ["tickets", "wiki"] }, ["bare", "half", "whole"]],
    [{ datasourcesFilter: ["nowhere"] }, []],
    [{ datasourcesFilter: [], datasourceFilter: "" }, ["bare", "half", "whole"]],
    [{ facetBucketSize: 10, responseHints: ["RESULTS"], unknown: 1 }, ["bare", "half", "whole"]],
  ])("are limited for heron by the request options %j", async (requestOptions, ids) => {
    const { results } = await searchAnswer(token, { query: "heron", requestOptions, timeoutMillis: 5000 });
    expect(results.map((result) => result.document.id.replace(/^\w+:/, "")).sort()).toEqual(ids);
  });
});

describe("pages of results", () => {
  it("have ten results by default, and otherwise as many as pageSize says", async () => {
    const size = async (pageSize?: number) =>
      (await searchAnswer(token, { query: "starling", pageSize })).results.length;
    expect(await size()).toBe(10);
    expect(await size(7)).toBe(7);
    expect(await size(1_000_000)).toBe(60);
  });

  it("have at most 100 results, whatever pageSize says, and the rest is on the next page", async () => {
    const counts = async (pageSize: number) => {
      const first = await searchAnswer(token, { query: "plover", pageSize });
      const next = await searchAnswer(token, { query: "plover", pageSize, cursor: first.cursor });
      return [first.results.length, first.hasMoreResults, next.results.length, next.hasMoreResults];
    };
    expect(await counts(99)).toEqual([99, true, 3, false]);
    for (const pageSize of [100, 101, 1_000_000]) expect(await counts(pageSize)).toEqual([100, true, 2, false]);
  });

  it("follow each other without gaps or repetitions, and end", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await searchAnswer(token, { query: "starling", pageSize: 25, ...(cursor && { cursor }) });
      seen.push(...answer.results.map((result) => result.document.id));
      expect(answer.hasMoreResults).toBe(answer.cursor !== undefined);
      cursor = answer.cursor;
      pages += 1;
    } while (cursor !== undefined && pages < 10);
    expect([pages, seen.length, new Set(seen).size]).toEqual([3, 60, 60]);
  });

  it("end exactly at the last result", async () => {
    expect(await searchAnswer(token, { query: "starling", pageSize: 60 })).toMatchObject({ hasMoreResults: false });
  });
});

describe("invalid search requests", () => {
  const post = (body: string, contentType = "application/json") =>
    send("/rest/api/v1/search", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": contentType },
      body,
    });

  it.each([
    ["query", {}],
    ["query", { query: null }],
    ["query", { query: 7 }],
    ["query", { query: ["heron"] }],
    ["query", { query: "x".repeat(2001) }],
    ["pageSize", { query: "heron", pageSize: "10" }],
    ["pageSize", { query: "heron", pageSize: 1.5 }],
    ["pageSize", { query: "heron", pageSize: 0 }],
    ["cursor", { query: "heron", cursor: 10 }],
    ["cursor", { query: "heron", cursor: "nonsense!" }],
    ["cursor", { query: "heron", cursor: btoa("-1") }],
    ["cursor", { query: "heron", cursor: btoa("1e3") }],
    ["cursor", { query: "heron", cursor: btoa("9999") }],
    ["cursor", { query: "heron", cursor: btoa("1 OR 1=1") }],
    ["maxSnippetSize", { query: "heron", maxSnippetSize: "long" }],
    ["requestOptions", { query: "heron", requestOptions: "wiki" }],
    ["requestOptions.datasourcesFilter", { query: "heron", requestOptions: { datasourcesFilter: "wiki" } }],
  ])("are refused with a message that names the wrong member: %s in %j", async (member, body) => {
    const response = await search(token, body);
    expect(response.status).toBe(400);
    const { error, message } = await readRefusal(response);
    expect([error, message.split(" ")[0]]).toEqual(["bad_request", member]);
  });

  it.each([
    [400, "bad_request", "{", "application/json"],
    [400, "bad_request", "", "application/json"],
    [400, "bad_request", '["query"]', "application/json"],
    [400, "bad_request", '{"query":'.repeat(7000), "application/json"],
    [415, "unsupported_media_type", "query=heron", "application/x-www-form-urlencoded"],
    [415, "unsupported_media_type", '{"query":"heron"}', "text/plain"],
    [413, "request_too_large", `{"query":"${"x".repeat(65_536)}"}`, "application/json"],
  ])("get %i %s", async (status, error, body, contentType) => {
    const response = await post(body, contentType);
    expect([response.status, (await readRefusal(response)).error]).toEqual([status, error]);
  });

  it("don't include requests with unknown members, even ones with names of prototypes", async () => {
    const response = await post('{"query":"heron","__proto__":{"pageSize":1},"constructor":1,"unknown":[]}');
    expect(response.status).toBe(200);
    expect((await response.json<{ results: unknown[] }>()).results).toHaveLength(3);
  });
});
