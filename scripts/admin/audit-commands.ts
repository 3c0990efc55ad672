import type { ApiCommand } from "./command.ts";
import { givenOptions } from "./option-values.ts";
import { table, time } from "./table.ts";

interface Entry {
  readonly sequence: number;
  readonly at: number;
  readonly actor: string;
  readonly actorKind: "person" | "token" | null;
  readonly actorName: string | null;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hash: string | null;
}

/** A verified part of the chain. */
interface Part {
  readonly isWhole: boolean;
  readonly message: string;
  readonly entries: number;
  /** Where the next part starts; `null` after the last one. */
  readonly next: number | null;
}

export const auditCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "audit list <instance>",
    purpose: "list the newest audit entries",
    examples: ["audit list acme --event client_ --limit 20"],
    options: {
      "--event <event>": "an event, or the beginning of its name",
      "--limit <number>": "how many, at most 500; 50 by default",
    },
    async run(input, api) {
      const parameters = new URLSearchParams({ limit: "50", ...givenOptions(input, ["limit", "event"]) });
      const answer = await api.get<{ readonly items: readonly Entry[] }>(`/audit?${parameters.toString()}`);
      const rows = answer.items.map((entry) => [
        String(entry.sequence),
        time(entry.at),
        whoOf(entry),
        entry.event,
        JSON.stringify(entry.detail),
      ]);
      return { answer, lines: table("entries", ["entry", "at", "who", "event", "detail"], rows) };
    },
  },
  {
    asks: "api",
    usage: "audit export <instance>",
    purpose: "export the audit as JSON lines, oldest first",
    examples: ["audit export acme > audit.jsonl"],
    printsFile: true,
    run: (_input, api) =>
      Promise.resolve({ answer: {}, lines: linesOf(api.items<Entry>("/audit", { sort: "sequence" })) }),
  },
  {
    asks: "api",
    usage: "audit verify <instance>",
    purpose: "verify the hash chain. Exits 1 if an entry was changed or is missing",
    examples: ["audit verify acme"],
    async run(_input, api) {
      let entries = 0;
      let part: Part = { isWhole: true, message: "", entries: 0, next: 0 };
      while (part.next !== null) {
        part = await api.get<Part>(`/audit/verification?after=${part.next}`);
        entries += part.entries;
      }
      const { isWhole, message } = part;
      const answer = { isWhole, message, entries };
      if (!isWhole) return { answer, lines: [], failure: `The audit of ${api.instance} is not intact: ${message}` };
      const said = entries === part.entries ? message : `${entries} entries verified. The last of them: ${message}`;
      return { answer, lines: [`${api.instance}: ${said}.`] };
    },
  },
];

async function* linesOf(entries: AsyncIterable<Entry>): AsyncGenerator<string> {
  for await (const entry of entries) yield JSON.stringify(entry);
}

/** Returns who did something. A token's name is anybody's choice, so it never stands alone, as a person's email does. */
function whoOf({ actor, actorKind, actorName }: Entry): string {
  if (actorName === null) return actor;
  return actorKind === "person" ? actorName : `${actorKind} “${actorName}”`;
}
