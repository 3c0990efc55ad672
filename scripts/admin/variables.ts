import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** Returns the variables of a `.dev.vars`; none if there is no such file. */
export function readVariables(file: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(readText(file));
}

/** Returns the text of a file; none if there is no such file. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
