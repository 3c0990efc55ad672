import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { linkToApi } from "./api-link.ts";
import { type Arguments, parseArguments, readStandardInput } from "./arguments.ts";
import type { ApiCommand } from "./command.ts";
import { UsageError } from "./context.ts";
import { type DeclaredState, exportState, planFor } from "./declared-state.ts";

const URL_OPTION = { url: { type: "string" } } as const;

/** Commands that ask the Admin API of a running Worker, here or elsewhere. */
export const declaringCommands: readonly ApiCommand[] = [
  {
    name: "api",
    asksApi: true,
    usage: "<instance> <method> <path> [--data <JSON> | --data-stdin] [--url <address>]",
    purpose: "call the Admin API, such as: api acme GET /apps?state=waiting",
    async run(words, { print }) {
      const args = parseArguments(words, {
        ...URL_OPTION,
        data: { type: "string" },
        "data-stdin": { type: "boolean" },
      });
      const data = args.flag("data-stdin") ? await readStandardInput() : args.option("data");
      const body = data === undefined ? undefined : parseJson(data, "--data");
      const answer = await link(args)(args.word(1, "method").toUpperCase(), args.word(2, "path"), body);
      print(JSON.stringify(answer, null, 2));
      return { answer };
    },
  },
  {
    name: "export",
    asksApi: true,
    usage: "<instance> [--url <address>]",
    purpose:
      "print settings, single sign-on, enabled issuers and apps, and groups of metadata as JSON, for plan and apply",
    async run(words, { print }) {
      const { state, disabled } = await exportState(link(parseArguments(words, URL_OPTION)));
      print(JSON.stringify(state, null, 2));
      // Standard output is the file.
      for (const name of disabled) console.error(`Left out, because it is disabled: ${name}`);
      return { state };
    },
  },
  {
    name: "plan",
    asksApi: true,
    usage: "<instance> <file> [--url <address>]",
    purpose: "show what apply would change",
    async run(words, { print }) {
      const args = parseArguments(words, URL_OPTION);
      const plan = await planFor(link(args), readFile(args), (variable) => process.env[variable]);
      for (const line of plan.flatMap(({ lines }) => lines)) print(line);
      print(`${plan.length} changes.`);
      return { changes: plan.length };
    },
  },
  {
    name: "apply",
    asksApi: true,
    usage: "<instance> <file> [--yes] [--url <address>]",
    purpose: "make an instance what a file says; what the file leaves out stays, and nothing is deleted",
    async run(words, { print }) {
      const args = parseArguments(words, { ...URL_OPTION, yes: { type: "boolean" } });
      const call = link(args);
      const plan = await planFor(call, readFile(args), (variable) => process.env[variable]);
      for (const line of plan.flatMap(({ lines }) => lines)) print(line);
      if (plan.length > 0 && !args.flag("yes")) await requireConsent();
      for (const { method, path, body } of plan) {
        const { secret, app } = (await call(method, path, body)) as { secret?: string; app?: { id: string } };
        if (secret !== undefined) print(`client_id ${app?.id ?? ""}  client_secret ${secret}   (shown this once)`);
      }
      print(`${plan.length} changes made.`);
      return { changes: plan.length };
    },
  },
];

function link(args: Arguments) {
  return linkToApi(args.word(0, "instance"), args.option("url"));
}

function readFile(args: Arguments): DeclaredState {
  const path = args.word(1, "file");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
  return parseJson(text, path) as DeclaredState;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${what} is not JSON`);
  }
}

async function requireConsent(): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError("Nothing was changed. To apply without being asked, add --yes");
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question("Apply these changes? (yes/no) ");
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("Nothing was changed");
}
