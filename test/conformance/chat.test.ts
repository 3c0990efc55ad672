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
    readonly citations: { readonly sourceDocument: { readonly id: string; readonly url: string } }[];
  }[];
  readonly chatId: string;
}

let ben: string;
let searchOnly: string;
let pipeline: Pipeline;

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
const textOf = (answer: ChatAnswer) => answer.messages[0]?.fragments.map(({ text }) => text).join("") ?? "";
/** Returns an answer's text and citations, without its ids and its time. */
const said = (answer: ChatAnswer) => [textOf(answer), cited(answer)];

const plain = (textContent: string) => ({ body: { mimeType: "text/plain", textContent } });

const ROTATION = `Tokens of pipelines
A pipeline writes documents with a token of its own. Each token has a name. How do I rotate a token?
Call rotatetoken, and write the new secret to your pipeline within an hour. The old one ends then.`;

beforeAll(async () => {
  const instance = await makeInstance();
  ben = await issueClientApiToken(instance, "ben@acme.example", "CHAT");
  searchOnly = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  pipeline = await Pipeline.of(instance);
  await pipeline.index(
    draft("rotation", { title: "Rotating pipeline tokens", ...plain(ROTATION) }),
    draft("holidays", { title: "Holidays", ...plain("The office is closed on public holidays.") }),
    draft("denmark", {
      title: "Travel to Denmark",
      ...plain(
        "Copenhagen has an airport. Employees who travel to Denmark are paid 80 euros a day. Trains are paid as well.",
      ),
    }),
    draft("travel", {
      title: "Travel expenses",
      ...plain("We like trains. Travel is paid by the day, and euros are sent to employees every May."),
    }),
    draft("cabins", {
      title: "Cabins",
      body: {
        mimeType: "text/html",
        textContent: '<p>Cabins are blue.</p><h2 id="heat">Heating</h2><p>Ovens burn peat.</p>',
      },
    }),
    draft("leave", { title: "Leave", ...plain("New hires have 25 days of paid time off.") }),
    draft("salaries", { title: "Salaries", ...plain("Salaries rotate quietly."), permissions: {} }),
  );
});

describe("chat (wire contract, POST /chat)", () => {
  it("starts with the sentence that answers the question, and names the document that it is from", async () => {
    const answer = await ask("How many euros a day are employees paid who travel to Denmark?");
    expect(textOf(answer)).toMatch(
      /^Employees who travel to Denmark are paid 80 euros a day\..*\(Travel to Denmark\) \[1\]/,
    );
    expect(answer.messages[0]).toMatchObject({ author: "GATEHOUSE_AI", messageType: "CONTENT" });
  });

  it("answers from several documents, and cites each one after its passage", async () => {
    const [message] = (await ask("Compare holidays with Copenhagen")).messages;
    const sources = message?.citations.map(({ sourceDocument }) => sourceDocument.id);
    expect(sources).toEqual(["wiki:denmark", "wiki:holidays"]);
    expect(message?.fragments.map(({ text }) => /\[(\d)\]$/.exec(text)?.[1])).toEqual(["1", "2"]);
  });

  it("answers with what a document calls by another name that the glossary knows", async () => {
    expect(said(await ask("How much PTO do new hires have?"))).toEqual([
      "New hires have 25 days of paid time off. (Leave) [1]",
      ["wiki:leave"],
    ]);
  });

  it("opens the section of the passage with a citation's URL", async () => {
    const [message] = (await ask("What do ovens in cabins burn?")).messages;
    expect(message?.citations[0]?.sourceDocument.url).toBe("https://wiki.acme.example/cabins#heat");
  });

  it("answers a question that a document asks with the text that follows it there", async () => {
    const answer = await ask("How do I rotate a token of my pipeline?");
    expect(textOf(answer)).toMatch(/^Call rotatetoken/);
    expect(new Set(cited(answer))).toEqual(new Set(["wiki:rotation"]));
  });

  it("says in one sentence what no document has, and quotes nothing instead", async () => {
    const answer = await ask("holidays office unheardof");
    expect(said(answer)).toEqual([
      "I found nothing about “unheardof” in the documents that you can see. Try other words.",
      [],
    ]);
  });

  it("says that no document has all of the words, if each has only one of them", async () => {
    const answer = await ask("holidays in Denmark");
    expect(said(answer)).toEqual([
      "I found nothing about “holidays” and “Denmark” together in the documents that you can see. Try other words.",
      [],
    ]);
  });

  it("says that it found nothing, names the words of the question, and cites nothing", async () => {
    const answer = await ask("What is the colour of the zeppelin?");
    expect(cited(answer)).toEqual([]);
    expect(textOf(answer)).toMatch(/^I found nothing about “colour” or “zeppelin” in the documents that you can see\./);
  });

  it("cites no passage that shares only filler words, or one word of many, with the question", async () => {
    const strangers = ["Please tell me how we like zeppelins", "Which zeppelin captains paid harbour dues twice?"];
    for (const question of strangers) {
      const answer = await ask(question);
      expect(cited(answer)).toEqual([]);
      expect(textOf(answer)).toMatch(/^I found nothing about .*zeppelin/i);
    }
  });

  it("says that it can't tell what to look for if a question names nothing", async () => {
    const answer = await ask("What is it?");
    expect(cited(answer)).toEqual([]);
    expect(textOf(answer)).toMatch(/^I can't tell what to look for/);
  });

  it("answers the same whether documents are hidden from the person or don't exist", async () => {
    const questions = ["salaries", "zeppelin captains", "When do employees travel to Denmark?", "rotate token secret"];
    const before = await Promise.all(questions.map((question) => ask(question)));
    const hidden = Array.from({ length: 12 }, (_, at) =>
      draft(`hidden ${at}`, {
        title: `Zeppelin captains travel to Denmark ${at}`,
        ...plain("Salaries of zeppelin captains: employees rotate the secret token when they travel to Denmark."),
        permissions: { allowedUsers: [{ email: "carla@acme.example" }] },
      }),
    );
    await pipeline.index(...hidden);
    const after = await Promise.all(questions.map((question) => ask(question)));
    expect(after.map(said)).toEqual(before.map(said));
    expect(said(after[0] as ChatAnswer)[0]).toMatch(/^I found nothing about “salaries”/);
  });

  it("answers the person's newest message, which is the first in the list", async () => {
    const messages = [userMessage("holidays"), { author: "GATEHOUSE_AI", fragments: [] }, userMessage("rotate token")];
    const response = await chat(ben, { messages, chatId: "my chat" });
    const answer = await response.json<ChatAnswer>();
    expect([cited(answer), answer.chatId]).toEqual([["wiki:holidays"], "my chat"]);
  });

  it("treats a question as plain words: quotes, operators and column names find no hidden document", async () => {
    for (const text of [
      'salaries") OR acl:(p1',
      "acl : p1 OR salaries",
      '"-salaries* NEAR(a b)',
      "datasource:wiki salaries",
    ]) {
      expect(cited(await ask(text))).not.toContain("wiki:salaries");
    }
  });

  it("streams one JSON object per line as plain text, whose fragments add up to the whole answer", async () => {
    const response = await chat(ben, { messages: [userMessage("Compare rotation and holidays")], stream: true });
    expect(response.headers.get("Content-Type")).toMatch(/^text\/plain\b/);
    const lines = (await response.text()).trimEnd().split("\n");
    const answers = lines.map((line) => JSON.parse(line) as ChatAnswer);
    expect(answers.length).toBeGreaterThan(1);
    expect(new Set(answers.map((answer) => answer.messages[0]?.messageId)).size).toBe(1);
    expect(answers.map(textOf).join("")).toBe(textOf(await ask("Compare rotation and holidays")));
  });

  it.each([
    ["no messages", {}],
    ["an empty list", { messages: [] }],
    ["no message of the person", { messages: [{ author: "GATEHOUSE_AI", fragments: [{ text: "x" }] }] }],
    ["a message without text", { messages: [{ author: "USER", fragments: [] }] }],
    ["blanks alone", { messages: [userMessage("  ")] }],
    ["an author that is no text", { messages: [{ author: 7, fragments: [{ text: "x" }] }] }],
    ["stream as a text", { messages: [userMessage("x")], stream: "true" }],
  ])("refuses a request with %s", async (_what, body) => {
    const response = await chat(ben, body);
    expect([response.status, (await readRefusal(response)).error]).toEqual([400, "bad_request"]);
  });

  it("refuses a question of more than 10,000 characters, in one fragment or many, and names the field messages", async () => {
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

  it("searches by the longest words if a question is as long as a page", async () => {
    const chatter = Array.from({ length: 1500 }, (_, at) => `w${at}`).join(" ");
    expect(textOf(await ask(`${chatter} rotatetoken pipeline documents`))).not.toMatch(/rotatetoken|pipeline/);
  });

  it("finds nothing about words that no document has, however long they are", async () => {
    const endless = Array.from("abcdefgh", (letter) => letter.repeat(1200)).join(" ");
    expect(cited(await ask(`${endless} rotate token`))).toEqual([]);
    const long = Array.from("abcdef", (letter) => letter.repeat(200)).join(" ");
    expect(cited(await ask(long))).toEqual([]);
  });

  it("needs the scope CHAT", async () => {
    const response = await chat(searchOnly, { messages: [userMessage("holidays")] });
    expect(response.status).toBe(403);
    expect(readChallenge(response)).toMatchObject({ error: "insufficient_scope", scope: "CHAT" });
  });
});
