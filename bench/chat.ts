/**
 * `npm run bench:chat`: asks the chat judged questions about the sample and the documentation in `node_modules`, and counts
 * whether the first passage answers. With `-- --list`, it shows the answers that are wrong.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Chat } from "#client-api/chat/chat.ts";
import { Search } from "#client-api/search/search.ts";
import { Keyring } from "#crypto/keyring.ts";
import { applyChanges } from "#documents/apply.ts";
import { Finder } from "#documents/find/find.ts";
import { parseDocuments } from "#indexing-api/documents/document.ts";
import { parseSettings } from "#settings/settings.ts";
import { datasourceOf } from "../clients/push/options.ts";
import { pushFolder, SAMPLE } from "../scripts/local/push-folder.ts";
import { SqliteStore } from "../test/support/node/sqlite-store.ts";
import { ServiceInMemory } from "../test/push/service.ts";
import { HELD_OUT, type JudgedQuestion, TUNED } from "./chat/questions.ts";

const permissions = { allowAnonymousAccess: true };
const NOW = Date.parse("2026-11-28") / 1000;

const store = new SqliteStore();
const finder = new Finder(store);
const entries = [...(await sampleDocuments()), ...packageDocuments()];
const { documents } = parseDocuments({ entries, at: (index) => `documents[${index}]` }, () => undefined);
const changes = documents.map((document) => ({ act: "put", document }) as const);
store.transaction(() => applyChanges(store, changes, NOW));
const search = new Search(
  { find: async (_instance, asked, seer) => finder.find(asked, seer) },
  { seerOf: async () => ({ email: "ada@acme.example", directoryGroups: [] }) },
  new Keyring(`test:${Buffer.alloc(32).toString("base64url")}`),
);
const chat = new Chat(search, null);
const searched = {
  instanceId: 1,
  settings: parseSettings({ searchLanguages: ["en", "de"] }),
  glossary: [],
  appContent: new Map(),
};
const isListing = process.argv.includes("--list");

console.log(`${documents.length} documents

| questions | first passage answers | another passage | none | without passages | unanswerable, admitted | ms a question |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |`);
console.log(await judge("tuned", TUNED));
console.log(await judge("held out", HELD_OUT));

async function judge(name: string, questions: readonly JudgedQuestion[]): Promise<string> {
  const counts = { first: 0, other: 0, none: 0, empty: 0, admitted: 0 };
  const begin = performance.now();
  for (const [text, answer] of questions) {
    const parts = await chat.answer(searched, { personId: "ada", apps: [] }, text);
    const passages = parts.flatMap((part) => part.passages.map((passage) => passage.text));
    const at = passages.findIndex((passage) => answer?.test(passage));
    if (answer === null) counts.admitted += passages.length === 0 ? 1 : 0;
    else if (passages.length === 0) counts.empty += 1;
    else counts[at === 0 ? "first" : at > 0 ? "other" : "none"] += 1;
    const isRight = answer === null ? passages.length === 0 : at === 0;
    if (isListing && !isRight) console.log(`\n? ${text}\n${parts.map((part) => part.text).join("")}\n`);
  }
  const answerable = questions.filter(([, answer]) => answer !== null).length;
  const milliseconds = (performance.now() - begin) / questions.length;
  const { first, other, none, empty, admitted } = counts;
  return `| ${name}, ${answerable} | ${first} | ${other} | ${none} | ${empty} | ${admitted} of ${questions.length - answerable} | ${milliseconds.toFixed(0)} |`;
}

/** Returns the sample's documents as `npm start` pushes them, but visible to everybody. */
async function sampleDocuments(): Promise<object[]> {
  const all: object[] = [];
  for (const folder of SAMPLE) {
    const service = new ServiceInMemory();
    await pushFolder(folder, { origin: "http://localhost:8787", token: "none", fetch: service.fetch }, () => undefined);
    for (const document of service.documents.values()) {
      all.push({ ...document, datasource: datasourceOf(folder), permissions });
    }
  }
  return all;
}

/** Returns the documentation in English that packages bring along, once each. */
function packageDocuments(): object[] {
  const known = new Set<string>();
  return readdirSync("node_modules", { recursive: true, encoding: "utf8" })
    .filter(
      (path) =>
        /\.md$/i.test(path) && !/(?:change|history|license|\.[a-z]{2}(?:-[A-Z]{2})?\.md$|\/node_modules\/)/i.test(path),
    )
    .sort()
    .flatMap((path) => {
      const textContent = readFileSync(`node_modules/${path}`, "utf8");
      const isKnown = known.has(textContent);
      known.add(textContent);
      const heading = /^# +(.*\p{L}{2}.*)$/mu
        .exec(textContent)?.[1]
        ?.replace(/!?\[([^\]]*)\]\([^)]*\)|[*`_]|<[^>]*>/g, "$1");
      const title = heading?.trim() || path.replace(/\/readme\.md$/i, "");
      const viewURL = `https://packages.example/${path}`;
      const body = { mimeType: "text/markdown", textContent };
      return isKnown || textContent.trim() === ""
        ? []
        : [{ datasource: "npm", objectType: "Page", id: path, title, viewURL, body, permissions }];
    });
}
