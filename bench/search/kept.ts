import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const IS_WRITTEN = "written";

/** A database that a bench keeps for its next runs, with what was measured while it was written. */
export class KeptDatabase {
  readonly folder: string;

  /**
   * @param writers files and folders that decide what the database contains; if one of them changes, it is written anew
   */
  constructor(name: string, documents: number, writers: readonly string[]) {
    this.folder = resolve(".artifacts", name, `${documents}-${hashOf(writers)}`);
  }

  get isWritten(): boolean {
    return existsSync(join(this.folder, IS_WRITTEN));
  }

  keep(measured: string): void {
    writeFileSync(join(this.folder, IS_WRITTEN), measured);
  }

  /** What was passed to {@link keep}. */
  get measured(): string {
    return readFileSync(join(this.folder, IS_WRITTEN), "utf8");
  }
}

const hashes = new Map<string, string>();

/**
 * Hashes the files once per run. If they changed while a large database is written, its next steps would otherwise get an empty
 * one.
 */
function hashOf(writers: readonly string[]): string {
  const key = writers.join(" ");
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for (const file of writers.flatMap(filesIn)) hash.update(readFileSync(file));
  const short = hash.digest("hex").slice(0, 12);
  hashes.set(key, short);
  return short;
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
