import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Secrets } from "./filled-instance.ts";
import type { Observed } from "./observed.ts";
import { databaseOf } from "./sqlite-text.ts";

/** Where the runtime stores the two databases of an instance. */
export const STORED = { database: "d1/*/*.sqlite", documents: "do/*/*.sqlite" } as const;

/** What a release wrote about an instance that it filled. */
export interface Recorded {
  readonly masterKeys: string;
  readonly secrets: Secrets;
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  readonly observed: Observed;
  /** The files of the runtime with the databases. */
  readonly files: Readonly<Record<keyof typeof STORED, string>>;
}

/** Makes the databases of a release in a folder, in which a deployment then finds them. */
export async function unpackRelease(fixture: string, folder: string): Promise<Recorded> {
  const recorded = JSON.parse(readFileSync(join(fixture, "recorded.json"), "utf8")) as Recorded;
  for (const [name, file] of Object.entries(recorded.files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    databaseOf(readFileSync(join(fixture, `${name}.sql`), "utf8"), join(folder, file)).close();
  }
  return recorded;
}
