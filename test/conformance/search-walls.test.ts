import { beforeAll, describe, expect, it } from "vitest";
import { toolAnswer } from "../support/mcp.ts";
import { draft, type DraftDocument, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

/** Enough for several pages. test/documents/ tests searches of more documents than are scored exactly. */
const VISIBLE = 150;
const REQUEST = 100;

const PROBES = [
  "xy",
  "xyl",
  "xylo",
  "xyloph",
  "zorb",
  "zorbin",
  "zo",
  "xylo census",
  "census zorb",
  "alder birch",
  "note",
  '"xylo0"',
  "-xylo0 census",
];

let ben: string;
let pipeline: Pipeline;

async function indexAll(target: Pipeline, documents: readonly DraftDocument[]): Promise<void> {
  for (let from = 0; from < documents.length; from += REQUEST) {
    await target.index(...documents.slice(from, from + REQUEST));
  }
}

/** Returns everything that the first two pages say, except the ids of the request and the cursors, which are new each time. */
async function answerTo(query: string, filter: Readonly<Record<string, unknown>> = {}) {
  const requestOptions = { facetBucketSize: 20, responseHints: ["RESULTS", "FACET_RESULTS"], ...filter };
  const pageOf = async (cursor?: string) => {
    const answer = await searchAnswer(ben, { query, pageSize: 5, requestOptions, cursor });
    const { results, facetResults, hasMoreResults, metadata } = answer;
    return { said: { results, facetResults, hasMoreResults, metadata }, cursor: answer.cursor };
  };
  const { said, cursor } = await pageOf();
  return { ...said, second: cursor === undefined ? null : (await pageOf(cursor)).said };
}

/**
 * Returns everything that the Client API and /mcp say about the probes: among all documents, and among the few of one datasource.
 */
async function everythingSaid() {
  return Promise.all(
    PROBES.map(async (query) => {
      const { next_cursor, ...byMcp } = await toolAnswer<Record<string, unknown>>(ben, "search", { query });
      const few = await answerTo(query, { datasourcesFilter: ["notes"] });
      return { query, all: await answerTo(query), few, byMcp, isMoreByMcp: next_cursor !== undefined };
    }),
  );
}

/** Makes documents with more words of each beginning than an unfinished word is completed to. */
const planted = (changes: Readonly<Record<string, unknown>>) =>
  Array.from({ length: 60 }, (_, at) =>
    draft(`planted-${at}`, { title: `xylo${at} zorbin${at}`, objectType: "Planted", tags: [`zorb${at}`], ...changes }),
  );

beforeAll(async () => {
  const instance = await makeInstance();
  ben = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  pipeline = await Pipeline.of(instance);
  // Hidden words enter the vocabulary first, where the most frequent ones are.
  await indexAll(pipeline, planted({ permissions: { allowedUsers: [{ email: "zoe@acme.example" }] } }));
  await indexAll(
    pipeline,
    Array.from({ length: VISIBLE }, (_, at) => draft(`page-${at}`, { title: `Census ${at}` })),
  );
  // The rarer word decides the order: one note is about alders, and the others about birches.
  await pipeline.index(
    ...["Alder", "Birch", "Birch", "Birch", "Birch", "Birch"].map((tree, at) =>
      draft(`note-${at}`, { title: `${tree} note`, datasource: "notes", objectType: "Note" }),
    ),
  );
}, 120_000);

describe("words of documents that a person may not see", () => {
  it.each(PROBES)("don't appear in the response to %s", async (query) => {
    const text = JSON.stringify(await answerTo(query));
    expect(text).not.toContain("planted");
    expect(text).not.toContain("Planted");
    expect(text).not.toMatch(/xylo\d+ zorbin/);
  });

  it("change no response, order, count or next page when they are indexed", async () => {
    const before = await everythingSaid();
    expect(before.find(({ query }) => query === "alder birch")?.few.results[0]?.title).toBe("Alder note");
    const hidden = Array.from({ length: 60 }, (_, at) =>
      draft(`secret-${at}`, {
        title: `Alder note xylo${at} zorbin${at}`,
        datasource: "notes",
        objectType: "Secret",
        body: { textContent: `An alder, xyloph${at}` },
        author: { name: "Zoe", email: "zoe@acme.example" },
        tags: [`zorb${at}`],
        permissions: { allowedUsers: [{ email: "zoe@acme.example" }] },
      }),
    );
    await indexAll(pipeline, hidden);
    expect(await everythingSaid()).toEqual(before);
    // As soon as the person may see one of them, they do.
    await pipeline.index(draft("secret-0", { title: "Alder note", datasource: "notes" }));
    expect(await everythingSaid()).not.toEqual(before);
  });

  it("change no response when another instance indexes them", async () => {
    const before = await everythingSaid();
    const origin = "http://other.localhost";
    const theirs = await Pipeline.of(await makeInstance("other"), "documents:global_scope", origin);
    await indexAll(theirs, planted({}));
    expect(await everythingSaid()).toEqual(before);
  });

  it("don't displace visible words as completions of an unfinished word", async () => {
    await pipeline.index(draft("instrument", { title: "Xylophone" }));
    const { results } = await answerTo("xyl");
    expect(results.map(({ title }) => title)).toEqual(["Xylophone"]);
  });
});
