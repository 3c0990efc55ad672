import { readFileSync } from "node:fs";
import { type AdminApi, AdminApiRefused } from "./admin-api.ts";
import type { ApiCommand, Input } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import type { PlannedChange } from "./declared/difference.ts";
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
      "print settings, single sign-on, enabled identity providers, enabled apps created by administrators, metadata groups and roles as JSON, without secrets. Disabled ones are left out and named on standard error",
    examples: ["export acme > acme.json"],
    printsFile: true,
    async run(_input, api) {
      const { state, disabled } = await exportState(api);
      const notes = disabled.map((name) => `Left out, because it is disabled: ${name}`);
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
      "make those changes, after asking. Safe to repeat. What the file leaves out stays, and nothing is deleted: a metadata group that lacks a stored key is refused. What somebody changes between the plan and your answer is not overwritten",
    examples: ["apply acme acme.json --yes"],
    asksFirst: true,
    async run(input, api) {
      const plan = await planFor(api, readFile(input), secretOf);
      const lines = linesOf(plan);
      if (plan.length > 0) await input.confirm([`${api.instance} changes:`, ...lines].join("\n"));
      const { made, created, failure } = await make(api, plan);
      const secrets = created.map(({ id, secret }) => `client_id ${id}  client_secret ${secret}   (shown only once)`);
      return {
        answer: { changes: lines, made, created },
        lines: [...lines, ...secrets, countOf(made, "made")],
        failure,
      };
    },
  },
];

/** What came of a plan, up to the change that was refused; secrets are shown in any case. */
interface Made {
  readonly made: number;
  readonly created: readonly { readonly id: string; readonly secret: string }[];
  readonly failure?: string;
}

async function make(api: AdminApi, plan: readonly PlannedChange[]): Promise<Made> {
  const created: { id: string; secret: string }[] = [];
  for (const [made, { method, path, body, version, lines }] of plan.entries()) {
    try {
      const { secret, app } = await api.call<{ secret?: string; app?: { id: string } }>(method, path, body, version);
      if (secret !== undefined) created.push({ id: app?.id ?? "", secret });
    } catch (error) {
      if (!(error instanceof AdminApiRefused)) throw error;
      const reason =
        error.status === 412 ? "Somebody has changed it since the plan was made: run plan again" : error.message;
      return {
        made,
        created,
        failure: `${made} of ${plan.length} changes were made. Refused: ${lines.join("; ")}. ${reason}`,
      };
    }
  }
  return { made: plan.length, created };
}

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
