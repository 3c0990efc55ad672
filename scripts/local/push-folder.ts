import { existsSync } from "node:fs";
import { join } from "node:path";
import { datasourceOf, parseOptions } from "../../clients/push/options.ts";
import { RULES_FILE } from "../../clients/push/permissions.ts";
import { run } from "../../clients/push/run.ts";
import { PlainError } from "./plain-error.ts";

/**
 * Prepares to push a folder to the local instance, whose only people are those of its sign-in. So everybody sees the documents, unless
 * the folder has rules.
 *
 * @throws {PlainError} if the folder can't be pushed
 */
export function localPush(folder: string, baseUrl: string) {
  const hasRules = existsSync(join(folder, RULES_FILE));
  const datasource = datasourceOf(folder);
  return {
    datasource,
    /** Pushes it. @returns what can be searched */
    async run(token: string): Promise<string> {
      const words = [folder, "--to", baseUrl, ...(hasRules ? [] : ["--everyone"])];
      try {
        const options = parseOptions(words, { GATEHOUSE_TOKEN: token });
        if (options) await run(options);
      } catch (error) {
        throw new PlainError((error as Error).message);
      }
      const who = hasRules ? `${RULES_FILE} in it says who sees what` : "everybody who signs in sees them";
      return `The documents of ${folder} can be searched: ${who}.`;
    },
  };
}
