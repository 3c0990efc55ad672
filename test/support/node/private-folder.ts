import { configElsewhere } from "../../../scripts/local/config-elsewhere.ts";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder with the project's `wrangler.toml` and its own secrets. wrangler keeps its database there too. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-test-"));
  const config = await readFile("wrangler.toml", "utf8");
  await writeFile(join(folder, "wrangler.toml"), configElsewhere(config));
  const masterKeys = `test:${randomBytes(32).toString("base64url")}`;
  await writeFile(join(folder, ".dev.vars"), `LOCAL_DEVELOPMENT="true"\nMASTER_KEYS="${masterKeys}"\n`);
  return folder;
}
