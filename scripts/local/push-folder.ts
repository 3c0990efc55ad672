import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseOptions } from "../../clients/push/options.ts";
import { RULES_FILE } from "../../clients/push/permissions.ts";
import { run } from "../../clients/push/run.ts";
import { typed } from "./acme.ts";
import { PlainError } from "./plain-error.ts";

/** The folders of the sample organisation. Each is a datasource. */
export const SAMPLE: readonly string[] = ["sample/acme/handbook", "sample/acme/engineering", "sample/acme/sales"];

/** A local instance that documents are pushed to. */
export interface PushTarget {
  /** The origin that people use. Documents open there. */
  readonly origin: string;
  /** A token of the Indexing API whose scope covers the folder's datasource. */
  readonly token: string;
  /** Sends requests for the origin to the Worker. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Pushes a folder, as `npm run push` does. The instance's only people are those of its sign-in. So everybody sees the documents,
 * unless the folder has rules.
 *
 * @throws {PlainError} if the folder can't be pushed
 */
export async function pushFolder(
  folder: string,
  { origin, token, fetch }: PushTarget,
  print: (line: string) => void = console.log,
): Promise<void> {
  const words = [folder, "--to", origin, ...(hasRules(folder) ? [] : ["--everyone"])];
  print(`$ npm run push -- ${typed(words)}`);
  try {
    const options = parseOptions(words, { GATEHOUSE_TOKEN: token });
    if (!options) return;
    await run({ ...options, service: { url: origin, token, fetch } }, (report) => print(report.replace(/^/gm, "  ")));
  } catch (error) {
    throw new PlainError((error as Error).message);
  }
}

/** Whether a file in the folder says who may see what. */
export function hasRules(folder: string): boolean {
  return existsSync(join(folder, RULES_FILE));
}
