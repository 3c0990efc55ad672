import { Chat } from "#client-api/chat/chat.ts";
import { Search } from "#client-api/search/search.ts";
import { Keyring } from "#crypto/keyring.ts";
import { putDocument } from "#documents/write/documents.ts";
import { parseDocuments } from "#indexing-api/documents/document.ts";
import { parseSettings } from "#settings/settings.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { datasourceOf } from "../../clients/push/options.ts";
import { QUESTIONS } from "../../scripts/demo/questions.ts";
import { people } from "../../scripts/local/people.ts";
import { pushFolder, SAMPLE } from "../../scripts/local/push-folder.ts";
import { ServiceInMemory } from "../push/service.ts";
import { timeIs } from "../support/time.ts";
import { World } from "./world.ts";

const NOW = Date.parse("2026-11-28") / 1000;

const world = new World();
const entries = await pushed();
const { documents } = parseDocuments({ entries, at: (index) => `documents[${index}]` }, () => undefined);
for (const document of documents) putDocument(world.store, document, NOW, 0);

const seerOf = (sub: string) => {
  const { email = "", groups = [] } = people.find((person) => person.sub === sub) ?? {};
  return { email, directoryGroups: [...groups] };
};
const search = new Search(
  { find: async (_instance, asked, seer) => world.finder.find(asked, seer) },
  { seerOf: async (_policy, { personId }) => seerOf(personId) },
  new Keyring(`test:${Buffer.alloc(32).toString("base64url")}`),
);
beforeEach(() => timeIs(() => NOW));
const acme = {
  instanceId: 1,
  settings: parseSettings({ searchLanguages: ["en", "de"] }),
  appContent: new Map(),
  glossary: [],
};
const as = (sub: string) => ({ personId: sub, apps: [] });
const chat = new Chat(search, null);

const pathOf = ({ datasource, externalId }: { datasource: string; externalId: string }) =>
  `${datasource}/${externalId}`;

/** Returns the sample's documents as `npm start` pushes them. */
async function pushed(): Promise<object[]> {
  const all: object[] = [];
  for (const folder of SAMPLE) {
    const service = new ServiceInMemory();
    await pushFolder(folder, { origin: "http://localhost:8787", token: "none", fetch: service.fetch }, () => undefined);
    for (const document of service.documents.values()) all.push({ ...document, datasource: datasourceOf(folder) });
  }
  return all;
}

/** Returns the paths of everything that a person can find, sorted. */
function visibleTo(sub: string): string[] {
  const datasources = new Set(documents.map(({ datasource }) => datasource));
  return [...datasources]
    .flatMap((datasource) =>
      world.all(seerOf(sub), { query: `datasource:${datasource}`, pageSize: 100 }).map((id) => `${datasource}/${id}`),
    )
    .sort();
}

/** What everybody may see. */
const OPEN = /^(?:handbook\/(?!finance\/|private\/)|engineering\/releases\/|sales\/case-studies\/)/;

describe("the sample organisation", () => {
  it.each([
    ["ada", [/^engineering\/security\//]],
    ["ben", [/^engineering\/(?!security\/)/]],
    ["carla", [/^handbook\/finance\/(?!board-minutes)/, /^sales\/(?:pricing\/|renewals-)/]],
    ["deniz", [/^engineering\/(?!security\/)/, /^handbook\/private\/deniz-/]],
    ["elin", [/^engineering\//, /^handbook\/finance\//, /^handbook\/private\/elin-/, /^sales\//]],
    ["farid", [/^handbook\/private\/farid-/]],
    ["greta", [/^sales\//]],
  ])("shows %s what everybody may see, and otherwise only what is theirs", (sub, own) => {
    const expected = documents.map(pathOf).filter((path) => [OPEN, ...own].some((pattern) => pattern.test(path)));
    expect(visibleTo(sub)).toEqual(expected.sort());
  });

  it.each([
    ["farid", "What is our vacation policy?", "handbook/time-off/vacation-policy.md", "28 days of paid vacation"],
    [
      "ben",
      "How long is parental leave?",
      "handbook/time-off/parental-leave.md",
      "20 weeks of parental leave on full pay",
    ],
    ["ben", "How do I submit expenses?", "handbook/money/expenses.md", "in Tally within 30 days"],
    ["farid", "Can I work from abroad?", "handbook/work/remote-work.md", "up to 20 working days a year"],
    ["ben", "What do I do if I lose my passkey?", "handbook/security/passwords-and-passkeys.md", "Use your second one"],
    ["ben", "Was ist mit Resturlaub?", "handbook/time-off/urlaubsregelung-muenchen.md", "fünf Tage Resturlaub"],
    [
      "ben",
      "How do I rotate the signing key?",
      "engineering/runbooks/rotate-the-signing-key.md",
      "frostctl keys rotate signing",
    ],
    [
      "carla",
      "How do I rotate the signing key?",
      "handbook/security/signing-and-encryption-keys.md",
      "The platform team rotates",
    ],
    ["ben", "How do I fail over the database?", "engineering/runbooks/database-failover.md", "promotes the replica"],
    ["ben", "INC-2026-014", "engineering/incidents/INC-2026-014-late-alerts.md", "212 alerts of 38 customers"],
    [
      "carla",
      "Who decides about discounts above 20 %?",
      "sales/pricing/discount-policy.md",
      "decided by the CFO, Priya Nair",
    ],
    [
      "ben",
      "Who decides about discounts above 20 %?",
      "handbook/company/who-decides-what.md",
      "open to sales, finance and leadership",
    ],
    [
      "carla",
      "What is the travel budget for 2026?",
      "handbook/finance/budget-2026.xlsx#3",
      "Total travel budget 2026; Year: 420000",
    ],
    ["ben", "What is the travel budget for 2026?", "handbook/money/travel-policy.md", "Ask your team lead"],
    [
      "farid",
      "How many sessions of psychotherapy are covered?",
      "handbook/people/benefits-2026.pdf",
      "up to ten sessions of psychotherapy",
    ],
    [
      "elin",
      "Did the board approve a second supplier of radio modules?",
      "handbook/finance/board-minutes-2026-09.docx",
      "The board approves a second supplier",
    ],
    [
      "carla",
      "Which exchange rate from GBP to EUR do we assume?",
      "handbook/finance/budget-2026.xlsx#4",
      "Exchange rate GBP to EUR; Value: 1.16",
    ],
    ["greta", "Why is BrightMarket at risk?", "sales/customers/brightmarket.md", "INC-2026-014 spoiled goods"],
    [
      "elin",
      "What is project Heron?",
      "handbook/private/elin-acquisition-notes.md",
      "The code name stands for the acquisition",
    ],
  ])("answers %s, who asks: %s", async (sub, question, path, words) => {
    const { documents: found } = await search.search(acme, as(sub), { query: question });
    expect(found.map(pathOf)[0]).toBe(path);
    const [answer] = await chat.answer(acme, as(sub), question);
    expect(answer?.text).toContain(words);
  });

  it("quotes the row of the price list first, whatever else is written about the gateway", async () => {
    const [answer] = await chat.answer(acme, as("greta"), "How much does the G4 cost?");
    expect(answer?.text).toContain(
      "item: Gateway G4; unit: each; gbp: 249; eur: 289; remark: G5 from April 2027 (Price list 2026) [1]",
    );
  });

  it("says in one sentence that nothing is known about what no document names", async () => {
    const [answer, ...others] = await chat.answer(acme, as("greta"), "How much does the G9 gateway cost?");
    expect([answer?.text, others]).toEqual([
      "I found nothing about “G9” in the documents that you can see. Try other words.",
      [],
    ]);
  });

  it.each(QUESTIONS)("answers both people of the demonstration, who ask: %s", async (question) => {
    for (const sub of ["ben", "carla"]) {
      const answers = await chat.answer(acme, as(sub), question);
      expect(answers.every(({ passages }) => passages.length > 0)).toBe(true);
    }
  });

  it.each(["ada", "ben", "carla", "deniz", "farid", "greta"])("tells %s nothing of project Heron", async (sub) => {
    const answer = await chat.answer(acme, as(sub), "What is project Heron?");
    expect(answer.map(({ text }) => text).join("")).not.toMatch(/utrecht|acquisition|23 people/i);
  });
});
