import { readFileSync } from "node:fs";
import type { ApiCommand, Input } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import type { PlannedChange } from "./declared/difference.ts";
import { makeChanges } from "./declared/making.ts";
import { type DeclaredState, exportState, planFor, requireDeclaredState } from "./declared/state.ts";
import { readStandardInput } from "./standard-input.ts";

export const declaringCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "api <instance> <method> <path>",
    purpose: "call the Admin API and print the answer",
    examples: ['api acme GET "/apps?state=waiting"'],
    options: { "--data <JSON>": "the body", "--data-stdin": "read the body from standard input" },
    printsFile: true,
    async run(input, api) {
      const data = input.flag("data-stdin") ? await readStandardInput() : input.option("data");
      const body = data === undefined ? undefined : parseJson(data, "--data");
      const path = input.word("path");
      if (!path.startsWith("/")) throw new CommandLineError(`<path> begins with a slash, such as /${path}`);
      const answer = await api.call(input.word("method").toUpperCase(), path, body);
      return { answer, lines: [JSON.stringify(answer, null, 2)] };
    },
  },
  {
    asks: "api",
    usage: "export <instance>",
    purpose:
      "print settings, single sign-on, identity providers, apps created by administrators, who may use them and what they may search, service accounts, transmitters, metadata groups, the glossary and roles as JSON, without secrets. Leaves out what is disabled, and names it on standard error",
    examples: ["export acme > acme.json"],
    printsFile: true,
    async run(_input, api) {
      const { state, leftOut } = await exportState(api);
      const notes = leftOut.map(({ name, reason }) => `Left out: ${name}, because ${reason}`);
      return { answer: state, lines: [JSON.stringify(state, null, 2)], notes };
    },
  },
  {
    asks: "api",
    usage: "plan <instance> <file>",
    purpose: "show what apply would change",
    examples: ["plan acme acme.json"],
    async run(input, api) {
      const plan = await planFor(api, readFile(input), secretOf);
      const lines = linesOf(plan);
      return { answer: { changes: lines }, lines: [...lines, countOf(plan.length, "to make")] };
    },
  },
  {
    asks: "api",
    usage: "apply <instance> <file>",
    purpose:
      "make those changes, after asking. Safe to repeat. What the file leaves out doesn't change, and nothing is deleted: a metadata group without one of its stored keys is refused. Changes that somebody else makes in the meantime are not overwritten",
    examples: ["apply acme acme.json --yes"],
    asksFirst: true,
    async run(input, api) {
      const plan = await planFor(api, readFile(input), secretOf);
      const lines = linesOf(plan);
      if (plan.length > 0) await input.confirm([`${api.instance} changes:`, ...lines].join("\n"));
      const { made, created, failure } = await makeChanges(api, plan);
      const secrets = created.map(({ id, secret }) => `client_id ${id}  client_secret ${secret}   (shown only once)`);
      return {
        answer: { changes: lines, made, created },
        lines: [...lines, ...secrets, countOf(made, "made")],
        failure,
      };
    },
  },
];

function linesOf(plan: readonly PlannedChange[]): string[] {
  return plan.flatMap(({ lines }) => lines);
}

function countOf(changes: number, what: string): string {
  return changes === 0 ? "Nothing to change." : `${changes} ${changes === 1 ? "change" : "changes"} ${what}.`;
}

function secretOf(variable: string): string | undefined {
  return process.env[variable];
}

function readFile(input: Input): DeclaredState {
  const path = input.word("file");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
  return requireDeclaredState(parseJson(text, path), path);
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${what} is not JSON`);
  }
}
