import { chmod, mkdir, mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { configElsewhere } from "../local/config-elsewhere.ts";
import { PlainError } from "../local/plain-error.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Edits of `wrangler.toml` that a deployer makes before the first command, by the name of the setting. */
const WRITTEN_BY_HAND: Readonly<Record<string, (config: string) => string>> = {
  INSTANCE_HOST: (config) => config,
  routes: (config) => config.replace(/^# (\[\[routes\]\]|pattern = .*|zone_name = .*)$/gm, "$1"),
  namespace_id: (config) => config.replace(/namespace_id = "10/g, 'namespace_id = "20'),
};

/** Settings that the deployer copies from a command's output. */
const COPIED = ["database_id", "id"];

/** The programs in the commands. The stand-in replaces each, and runs whatever can be run here. */
const PROGRAMS = ["npx", "npm", "curl"];

/**
 * A deployer's checkout as far as the commands use it: `wrangler.toml`, secrets, and a database that plays the remote one.
 */
export interface DeploymentFolder {
  readonly path: string;
  /** The folder to put first in PATH. */
  readonly programs: string;
  /** The file with one line of JSON for each command that was run or played. */
  readonly journal: string;
}

/** @throws {PlainError} for a setting of `wrangler.toml` that the rehearsal does not know how to replace */
export async function makeDeploymentFolder(settings: readonly string[]): Promise<DeploymentFolder> {
  const path = await mkdtemp(join(tmpdir(), "gatehouse-deployment-"));
  let config = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  for (const setting of settings) {
    const write = WRITTEN_BY_HAND[setting] ?? (COPIED.includes(setting) ? (text: string) => text : undefined);
    if (!write) throw new PlainError(`The rehearsal does not know what a deployer writes for ${setting}`);
    config = write(config);
  }
  await writeFile(join(path, "wrangler.toml"), configElsewhere(config));
  const programs = join(path, "programs");
  await mkdir(programs);
  const standIn = fileURLToPath(new URL("./stand-in.ts", import.meta.url));
  for (const program of PROGRAMS) {
    const file = join(programs, program);
    await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${standIn}" ${program} "$@"\n`);
    await chmod(file, 0o755);
  }
  return { path, programs, journal: resolve(path, "journal.jsonl") };
}

/** A pattern for lines of `wrangler.toml`, and their replacement. */
type Setting = readonly [pattern: RegExp, line: string];

/**
 * Replaces lines of the folder's `wrangler.toml` in one step. A running Worker reads the file whenever it changes, and if it
 * changes twice within a few milliseconds, wrangler misses the second change and all later ones.
 */
export async function setInConfig(folder: string, ...settings: readonly Setting[]): Promise<void> {
  const file = join(folder, "wrangler.toml");
  let config = await readFile(file, "utf8");
  for (const [pattern, line] of settings) {
    if (config.search(pattern) < 0) throw new PlainError(`wrangler.toml has no line like ${pattern.source}`);
    config = config.replace(pattern, line);
  }
  await writeFile(`${file}.new`, config);
  await rename(`${file}.new`, file);
}

/** Makes the folder's Worker run the bundle instead of the source. */
export async function useBundle(folder: string): Promise<void> {
  await setInConfig(
    folder,
    [/^main = .*$/m, 'main = "bundle/index.js"\nno_bundle = true'],
    [/^(minify|upload_source_maps) = true\n/gm, ""],
  );
}
