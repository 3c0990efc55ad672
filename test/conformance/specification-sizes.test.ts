import { beforeAll, describe, expect, it } from "vitest";
import { search } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, send } from "../support/world.ts";

let token: string;

beforeAll(async () => {
  const instance = await makeInstance();
  token = await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "CHAT");
  const pipeline = await Pipeline.of(instance);
  for (const part of [0, 1]) {
    const documents = Array.from({ length: 60 }, (_, at) => draft(`plover ${part * 60 + at}`));
    await pipeline.index(...documents);
  }
});

/** JSON texts of numbers that are no size. */
const NONSENSE = ["0", "-1", "1.5", '"ten"', "NaN", "1e999", "true", "null", "[10]"];

const post = (path: string, body: string) =>
  send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body,
  });

describe("pageSize: the number of results wanted", () => {
  it("is the number of results, and then the response doesn't repeat it", async () => {
    for (const pageSize of [1, 7, 100]) {
      const { results, metadata } = await searchAnswer(token, { query: "plover", pageSize });
      expect([results.length, metadata]).toEqual([pageSize, { searchedQuery: "plover" }]);
    }
  });

  it("is answered with what was used if it is more than the limit", async () => {
    for (const pageSize of [101, 1000, 1e15]) {
      const { results, metadata } = await searchAnswer(token, { query: "plover", pageSize });
      expect([results.length, metadata]).toEqual([100, { searchedQuery: "plover", pageSize: 100 }]);
    }
    const nothing = await searchAnswer(token, { query: "zeppelin", pageSize: 200 });
    expect(nothing.metadata).toMatchObject({ pageSize: 100 });
  });

  it("is refused with 400, which names it, if it is nonsense", async () => {
    for (const value of NONSENSE) {
      const response = await post("/rest/api/v1/search", `{"query":"plover","pageSize":${value}}`);
      expect(response.status, value).toBe(400);
      const { error, message } = await readRefusal(response);
      expect(error).toBe("bad_request");
      if (value !== "NaN") expect(message, value).toMatch(/^pageSize /);
    }
  });
});

describe("other sizes of requests", () => {
  it("are refused with 400, which names them, if they are nonsense", async () => {
    const nonsense = NONSENSE.filter((value) => value !== "NaN");
    const bodies = nonsense.flatMap((value) => [
      ["/rest/api/v1/search", "maxSnippetSize", `{"query":"plover","maxSnippetSize":${value}}`],
      ["/rest/api/v1/search", "timeoutMillis", `{"query":"plover","timeoutMillis":${value}}`],
      ["/rest/api/v1/chat", "timeoutMillis", `{"messages":[{"fragments":[{"text":"x"}]}],"timeoutMillis":${value}}`],
      // 0 is no nonsense here: clients that must fill it in send it if they want no facets.
      ...(value === "0"
        ? []
        : [
            [
              "/rest/api/v1/search",
              "requestOptions.facetBucketSize",
              `{"query":"plover","requestOptions":{"facetBucketSize":${value}}}`,
            ],
          ]),
    ]);
    for (const [path = "", member = "", body = ""] of bodies) {
      const response = await post(path, body);
      expect(response.status, body).toBe(400);
      expect((await readRefusal(response)).message, body).toMatch(new RegExp(`^${member} `));
    }
  });

  it("are answered with what was used if they are beyond a limit", async () => {
    const requestOptions = { facetBucketSize: 796_474 };
    const large = await searchAnswer(token, { query: "plover", maxSnippetSize: 100_000, requestOptions });
    expect(large.metadata).toEqual({ searchedQuery: "plover", maxSnippetSize: 2000, facetBucketSize: 100 });
    expect((await searchAnswer(token, { query: "plover", maxSnippetSize: 1 })).metadata).toMatchObject({
      maxSnippetSize: 40,
    });
    const withoutFacets = { facetBucketSize: 796_474, responseHints: ["RESULTS"] };
    const unused = await searchAnswer(token, { query: "plover", requestOptions: withoutFacets });
    expect(unused.metadata).toEqual({ searchedQuery: "plover" });
    expect((await search(token, { query: "plover", requestOptions: { facetBucketSize: 0 } })).status).toBe(200);
  });
});
