import { beforeAll, describe, expect, it } from "vitest";
import { draft, type DraftDocument, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

/** More documents than a search scores exactly for one person, so that completions are chosen from the vocabulary. */
const VISIBLE = 3100;
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

/** Returns everything that a response says, except the ids of the request. */
async function answerTo(query: string) {
  const body = {
    query,
    pageSize: 5,
    requestOptions: { facetBucketSize: 20, responseHints: ["RESULTS", "FACET_RESULTS"] },
  };
  const { results, facetResults, hasMoreResults, metadata } = await searchAnswer(ben, body);
  return { results, facetResults, hasMoreResults, metadata };
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
}, 120_000);

describe("words of documents that a person may not see", () => {
  it.each(PROBES)("don't appear in the response to %s", async (query) => {
    const text = JSON.stringify(await answerTo(query));
    expect(text).not.toContain("planted");
    expect(text).not.toContain("Planted");
    expect(text).not.toMatch(/xylo\d+ zorbin/);
  });

  it("change no response when another instance indexes them", async () => {
    const before = await Promise.all(PROBES.map(answerTo));
    const origin = "http://other.localhost";
    const theirs = await Pipeline.of(await makeInstance("other"), "documents:global_scope", origin);
    await indexAll(theirs, planted({}));
    expect(await Promise.all(PROBES.map(answerTo))).toEqual(before);
  });

  it("don't displace visible words as completions of an unfinished word", async () => {
    await pipeline.index(draft("instrument", { title: "Xylophone" }));
    const { results } = await answerTo("xyl");
    expect(results.map(({ title }) => title)).toEqual(["Xylophone"]);
  });
});
