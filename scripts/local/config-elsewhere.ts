import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Adapts the text of `wrangler.toml` for another folder: it still runs this checkout's Worker and serves its static assets.
 */
export function configElsewhere(config: string): string {
  return config
    .replace(/^main = "(.*)"$/m, (_line, path: string) => `main = ${JSON.stringify(join(ROOT, path))}`)
    .replace(
      /^(directory|cwd) = "(.*)"$/gm,
      (_line, name: string, path: string) => `${name} = ${JSON.stringify(join(ROOT, path))}`,
    );
}
