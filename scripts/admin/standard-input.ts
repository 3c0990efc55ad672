import type { Input, OptionTexts } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";

/** The options that {@link readSecret} reads. */
export function secretOptions(name: string, what: string): OptionTexts {
  return {
    [`--${name}-from-env <variable>`]: `the environment variable that holds ${what}`,
    [`--${name}-stdin`]: `read ${what} from standard input`,
  };
}

/**
 * Reads a secret from an environment variable or standard input. On the command line it would show in the process list and stay
 * in the shell's history.
 *
 * @throws {UsageError} if it is in neither
 */
export async function readSecret(input: Input, name: string): Promise<string> {
  const variable = input.option(`${name}-from-env`);
  if (variable !== undefined) {
    const secret = process.env[variable];
    if (secret) return secret;
    throw new UsageError(`The environment variable ${variable} is empty (--${name}-from-env)`);
  }
  if (input.flag(`${name}-stdin`)) return readStandardInput();
  throw new CommandLineError(`Add --${name}-from-env <variable> or --${name}-stdin`);
}

/** Reads all of standard input, without leading and trailing white space. */
export async function readStandardInput(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text.trim();
}
