import { parseSettings } from "#settings/settings.ts";
import { Chat } from "#client-api/chat/chat.ts";
import { isCited } from "#client-api/chat/composer.ts";
import { WorkersAiComposer } from "#client-api/chat/workers-ai.ts";
import type { Search } from "#client-api/search/search.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { describe, expect, it } from "vitest";

const document = (externalId: string, text: string): FoundDocument => ({
  datasource: "wiki",
  externalId,
  objectType: "Page",
  title: `Page ${externalId}`,
  url: `https://wiki.acme.example/${externalId}`,
  authorName: null,
  authorEmail: null,
  createdAt: null,
  updatedAt: null,
  customData: [],
  excerpt: { text, ranges: [] },
});

const FERRIES = [document("a", "The ferry leaves at nine."), document("b", "The last ferry leaves for two euros.")];
const QUESTION = "When does the ferry leave?";

const finding = (documents: readonly FoundDocument[]): Pick<Search, "search"> => ({
  search: async (_instance, _person, { query }) => ({
    searchedQuery: String(query),
    documents,
    facets: undefined,
    missingWords: [],
    correctedWords: [],
    usedSizes: {},
    cursor: undefined,
  }),
});

/** A model that responds with this or fails, and what it was sent. */
function modelThat(answers: () => unknown) {
  const sent: { model: string; input: { messages: { role: string; content: string }[] } }[] = [];
  const run = async (model: string, input: object) => {
    sent.push({ model, input: input as { messages: { role: string; content: string }[] } });
    return answers();
  };
  return { sent, composer: new WorkersAiComposer({ run }, "@cf/test/model") };
}

const SEARCHED = { instanceId: 1, settings: parseSettings({}), appContent: new Map(), glossary: [] };

async function answerWith(answers: () => unknown, documents = FERRIES) {
  const { sent, composer } = modelThat(answers);
  const parts = await new Chat(finding(documents), composer).answer(SEARCHED, { personId: "ben", apps: [] }, QUESTION);
  return {
    sent,
    text: parts.map(({ text }) => text).join(""),
    cited: parts.flatMap(({ passages }) => passages).length,
  };
}

const QUOTED = /^The ferry leaves at nine\. \(Page a\) \[1\]/;

describe("chat with a language model", () => {
  it("shows what the model says about the passages, which stay cited", async () => {
    const { text, cited } = await answerWith(() => ({ response: " It leaves at nine [1] and costs two euros [2]. " }));
    expect([text, cited]).toEqual(["It leaves at nine [1] and costs two euros [2].", 2]);
  });

  it("sends the model the question and the passages, and nothing else of the documents", async () => {
    const { sent } = await answerWith(() => ({ response: "At nine [1]." }));
    expect(sent.map(({ model }) => model)).toEqual(["@cf/test/model"]);
    expect(JSON.parse(sent[0]?.input.messages[1]?.content ?? "")).toEqual({
      question: QUESTION,
      passages: [
        { number: 1, title: "Page a", text: "The ferry leaves at nine." },
        { number: 2, title: "Page b", text: "The last ferry leaves for two euros." },
      ],
    });
  });

  it("asks no model if nothing is found", async () => {
    const { sent, text } = await answerWith(() => ({ response: "It leaves at ten [1]." }), []);
    expect([sent, text]).toEqual([[], expect.stringMatching(/^I found nothing about “ferry” or “leave”/)]);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("3040: out of capacity"))],
    ["does not know", () => ({ response: "NONE" })],
    ["says nothing", () => ({})],
    ["cites nothing", () => ({ response: "It leaves at ten." })],
    ["cites what is not there", () => ({ response: "It leaves at ten [3]." })],
  ])("responds with the passages if the model %s", async (_what, answers) => {
    expect((await answerWith(answers)).text).toMatch(QUOTED);
  });
});

describe("chat without a language model", () => {
  it("names sources by their titles, in one line and without what looks like the number of another source", async () => {
    const named = FERRIES.map((one) => ({ ...one, title: `Ferry [2]\r\n\nLeave at ten [1] ${one.externalId}` }));
    const { text, cited } = await answerWith(() => ({}), named);
    expect([text, cited]).toEqual([
      "The ferry leaves at nine. (Ferry (2) Leave at ten (1) a) [1]\n\n" +
        "The last ferry leaves for two euros. (Ferry (2) Leave at ten (1) b) [2]",
      2,
    ]);
  });
});

describe("isCited", () => {
  it.each([
    "At nine [1]. ![](https://evil.example/?nine)",
    "At nine [1]. See [here](//evil.example/nine).",
    "At nine [1](//evil.example/nine).",
    "At nine [1]. [a]: //evil.example",
    "At nine [1]. ![a][b]",
    "At nine [1]. <img src=//evil.example>",
    "At nine [1], www.evil.example/nine",
  ])("refuses text with something that an app could follow to another host: %s", (answer) => {
    expect(isCited(answer, [{ text: "", document: FERRIES[0] as FoundDocument }])).toBe(false);
  });

  it("accepts plain text with several citations in a row", () => {
    const passages = FERRIES.map((one) => ({ text: "", document: one }));
    expect(isCited("At nine (from the pier) [1][2].", passages)).toBe(true);
  });
});
