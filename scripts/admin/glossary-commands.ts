import { readFileSync } from "node:fs";
import { type GlossaryEntry, inWords, requireEntries } from "#glossary/glossary.ts";
import { fromCsv, toCsv } from "#glossary/glossary-csv.ts";
import type { ApiCommand } from "./command.ts";
import { accepted } from "./declared/difference.ts";
import { planGlossary } from "./declared/glossary.ts";
import { UsageError } from "./failures.ts";

export const glossaryCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "glossary export <instance>",
    purpose: "print what words are also called in search, as CSV: term, meaning, both or one way, language",
    examples: ["glossary export acme > glossary.csv"],
    printsFile: true,
    async run(_input, api) {
      const answer = await api.get<{ readonly entries: readonly GlossaryEntry[] }>("/glossary");
      return { answer, lines: [toCsv(answer.entries).trimEnd()] };
    },
  },
  {
    asks: "api",
    usage: "glossary import <instance> <file>",
    purpose: "replace it with the entries of a CSV file, after asking",
    examples: ["glossary import acme glossary.csv"],
    asksFirst: true,
    async run(input, api) {
      const file = input.word("file");
      const entries = accepted(file, () => requireEntries(fromCsv(read(file))));
      const [change] = await planGlossary(api, { entries });
      if (change) {
        await input.confirm([`${api.instance} changes:`, ...change.lines].join("\n"));
        await api.call(change.method, change.path, change.body, change.version);
      }
      const lines = change?.lines ?? ["Nothing to change."];
      return { answer: { entries: entries.map(inWords), changes: change?.lines ?? [] }, lines };
    },
  },
];

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read`);
  }
}
