import { parseArgs } from "node:util";
import { UsageError } from "./context.ts";

type OptionTypes = Readonly<Record<string, { type: "string" | "boolean"; multiple?: boolean }>>;

/** The words and options of a command. */
export interface Arguments {
  /** @throws {UsageError} when there is no such word */
  word(index: number, name: string): string;
  readonly rest: readonly string[];
  option(name: string): string | undefined;
  /** @throws {UsageError} when the option is missing */
  required(name: string): string;
  all(name: string): readonly string[];
  flag(name: string): boolean;
}

/** @throws {UsageError} for an option that the command does not have */
export function parseArguments(args: readonly string[], options: OptionTypes): Arguments {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}. See: npm run admin -- help`);
  }
  const { values, positionals } = parsed;
  const option = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  return {
    word: (index, name) => positionals[index] ?? missing(`<${name}>`),
    rest: positionals,
    option,
    required: (name) => option(name) ?? missing(`--${name}`),
    all: (name) => (Array.isArray(values[name]) ? (values[name] as string[]) : []),
    flag: (name) => values[name] === true,
  };
}

/**
 * A secret, out of an environment variable or standard input: on the command line it would stand in the process list and the
 * shell's history.
 *
 * @throws {UsageError}
 */
export async function readSecret(args: Arguments, name: string): Promise<string> {
  const variable = args.option(`${name}-from-env`);
  if (variable !== undefined) {
    return process.env[variable] || missing(`the environment variable ${variable}`);
  }
  if (args.flag(`${name}-stdin`)) return readStandardInput();
  return missing(`--${name}-from-env <variable> or --${name}-stdin`);
}

/** All of standard input, without the white space around it. */
export async function readStandardInput(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text.trim();
}

/** @throws {UsageError} where it is no `<claim>=<value>` */
export function parseClaim(pair: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new UsageError(`${pair} is not <claim>=<value>`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

function missing(what: string): never {
  throw new UsageError(`${what} is missing. See: npm run admin -- help`);
}
