import { readdir, readFile } from "node:fs/promises";

/** The project's own files, wherever a command is run. */
const ROOT = new URL("../../", import.meta.url);

/** What leads from the version before to this one. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/** How a database gets its tables. */
export interface Schema {
  /** The version that {@link whole} makes. */
  readonly newest: number;
  /** Everything, for a database that has nothing. */
  readonly whole: readonly string[];
  /** Beginning with version 2, in order. */
  readonly steps: readonly SchemaStep[];
  /** The first released version; there is none before the first step. */
  readonly released?: readonly string[] | undefined;
}

/**
 * Reads `schema.sql` and the steps of `schema/`.
 *
 * @param root where they are
 * @throws where the steps' numbers have a gap or a double, or the version that they start from is not kept
 */
export async function readSchema(root = ROOT): Promise<Schema> {
  // Loaded late, as in database.ts.
  const { unstable_splitSqlQuery: splitSqlQuery } = await import("wrangler");
  const read = async (path: string) => splitSqlQuery(await readFile(new URL(path, root), "utf8"));
  const files = (await readdir(new URL("schema/", root))).filter((name) => name.endsWith(".sql")).sort();
  const numbered = await Promise.all(
    files.map(async (name) => ({ version: Number(name.slice(0, 4)), name, statements: await read(`schema/${name}`) })),
  );
  const misplaced = numbered.find(({ version, name }, index) => version !== index + 1 || !/^\d{4}-/.test(name));
  if (misplaced) throw new Error(`schema/${misplaced.name} is out of order: files are 0001-…, 0002-…, without a gap`);
  const [released, ...steps] = numbered;
  return {
    newest: steps.at(-1)?.version ?? 1,
    whole: await read("schema.sql"),
    steps,
    released: released?.statements,
  };
}
