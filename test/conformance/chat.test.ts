import { beforeAll, describe, expect, it } from "vitest";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, send } from "../support/world.ts";

interface ChatAnswer {
  readonly messages: {
    readonly author: string;
    readonly messageType: string;
    readonly messageId: string;
    readonly fragments: { readonly text: string }[];
    readonly citations: { readonly sourceDocument: { readonly id: string } }[];
  }[];
  readonly chatId: string;
}

let ben: string;
let searchOnly: string;

function chat(token: string, body: unknown): Promise<Response> {
  return send("/rest/api/v1/chat", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
}

const userMessage = (text: string) => ({ author: "USER", messageType: "CONTENT", fragments: [{ text }] });

async function ask(text: string, more: object = {}): Promise<ChatAnswer> {
  const response = await chat(ben, { messages: [userMessage(text)], ...more });
  if (response.status !== 200) throw new Error(`chat answered ${response.status}: ${await response.text()}`);
  return response.json<ChatAnswer>();
}

const cited = (answer: ChatAnswer) => answer.messages[0]?.citations.map(({ sourceDocument }) => sourceDocument.id);
const textOf = (answer: ChatAnswer) => answer.messages[0]?.fragments.map(({ text }) => text).join("");

beforeAll(async () => {
  const instance = await makeInstance();
  ben = await issueClientApiToken(instance, "ben@acme.example", "CHAT");
  searchOnly = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  const body = (textContent: string) => ({ body: { mimeType: "text/plain", textContent } });
  await (await Pipeline.of(instance)).index(
    draft("rotation", { title: "Rotating pipeline tokens", ...body("To rotate a token, call rotatetoken.") }),
    draft("holidays", { title: "Holidays", ...body("The office is closed on public holidays.") }),
    draft("salaries", { title: "Salaries", ...body("Salaries rotate quietly."), permissions: {} }),
  );
});

describe("chat (wire contract, POST /chat)", () => {
  it("answers a question in plain words with a passage and the document that it is from", async () => {
    const answer = await ask("How do I rotate a token of my pipeline?");
    expect(cited(answer)).toEqual(["wiki:rotation"]);
    expect(textOf(answer)).toContain("call rotatetoken");
    expect(answer.messages[0]).toMatchObject({ author: "GLEAN_AI", messageType: "CONTENT" });
  });

  it("finds documents that have most of the words, where none has all", async () => {
    expect(cited(await ask("holidays office unheardof"))).toEqual(["wiki:holidays"]);
  });

  it("says so where nothing is found, and cites nothing", async () => {
    const answer = await ask("zeppelin");
    expect(cited(answer)).toEqual([]);
    expect(textOf(answer)).toMatch(/found nothing/);
  });

  it("knows nothing of documents that the person may not see", async () => {
    expect(await ask("salaries")).toEqual({ ...(await ask("zeppelin")), ...anyIds() });
  });

  it("answers the newest message of the person, which comes first", async () => {
    const messages = [userMessage("holidays"), { author: "GLEAN_AI", fragments: [] }, userMessage("rotate token")];
    const response = await chat(ben, { messages, chatId: "my chat" });
    const answer = await response.json<ChatAnswer>();
    expect([cited(answer), answer.chatId]).toEqual([["wiki:holidays"], "my chat"]);
  });

  it("takes a question as words: quotes, operators and column names ask for nothing else", async () => {
    for (const text of [
      'salaries") OR acl:(p1',
      "acl : p1 OR salaries",
      '"-salaries* NEAR(a b)',
      "datasource:wiki salaries",
    ]) {
      expect(cited(await ask(text))).not.toContain("wiki:salaries");
    }
  });

  it("streams one answer a line, as plain text, whose fragments are the whole", async () => {
    const response = await chat(ben, { messages: [userMessage("rotate holidays")], stream: true });
    expect(response.headers.get("Content-Type")).toMatch(/^text\/plain\b/);
    const lines = (await response.text()).trimEnd().split("\n");
    const answers = lines.map((line) => JSON.parse(line) as ChatAnswer);
    expect(answers.length).toBeGreaterThan(1);
    expect(new Set(answers.map((answer) => answer.messages[0]?.messageId)).size).toBe(1);
    expect(answers.map(textOf).join("")).toBe(textOf(await ask("rotate holidays")));
  });

  it.each([
    ["no messages", {}],
    ["an empty list", { messages: [] }],
    ["no message of the person", { messages: [{ author: "GLEAN_AI", fragments: [{ text: "x" }] }] }],
    ["a message without text", { messages: [{ author: "USER", fragments: [] }] }],
    ["blanks alone", { messages: [userMessage("  ")] }],
    ["an unknown author", { messages: [{ author: "SYSTEM", fragments: [{ text: "x" }] }] }],
    ["stream as a text", { messages: [userMessage("x")], stream: "true" }],
  ])("refuses %s", async (_what, body) => {
    const response = await chat(ben, body);
    expect([response.status, (await readRefusal(response)).error]).toEqual([400, "bad_request"]);
  });

  it("refuses a question of more than 10,000 characters, in one fragment or many, and names its member", async () => {
    const question = (...lengths: number[]) => ({
      messages: [{ author: "USER", fragments: lengths.map((length) => ({ text: "ab ".repeat(length / 3) })) }],
    });
    expect((await chat(ben, question(3000, 3000, 3000))).status).toBe(200);
    for (const long of [question(6000, 6000), question(...Array.from({ length: 100 }, () => 9000)), question(12_000)]) {
      const response = await chat(ben, long);
      const { error, message } = await readRefusal(response);
      expect([response.status, error]).toEqual([400, "bad_request"]);
      expect(message).toMatch(/^messages/);
    }
  });

  it("reads past words that nobody says, however long they are", async () => {
    const endless = Array.from("abcdefgh", (letter) => letter.repeat(1200)).join(" ");
    expect(cited(await ask(`${endless} rotate token`))).toEqual(["wiki:rotation"]);
    expect(cited(await ask(endless))).toEqual([]);
    const long = Array.from("abcdef", (letter) => letter.repeat(200)).join(" ");
    expect(cited(await ask(long))).toEqual([]);
  });

  it("needs the scope CHAT", async () => {
    const response = await chat(searchOnly, { messages: [userMessage("holidays")] });
    expect(response.status).toBe(403);
    expect(readChallenge(response)).toMatchObject({ error: "insufficient_scope", scope: "CHAT" });
  });
});

/** What differs between two answers that say the same. */
function anyIds() {
  const messages = [
    expect.objectContaining({ citations: [], fragments: [{ text: expect.stringMatching(/nothing/) }] }),
  ];
  return { messages, chatId: expect.any(String), backendTimeMillis: expect.any(Number) };
}
