import { readdir, readFile } from "node:fs/promises";
import { StatementDivider, statementsOf } from "./schema-statements.ts";

/** The project's own folder, regardless of where a command is run. */
const ROOT = new URL("../../", import.meta.url);

/** The change from the previous version to this one. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  /** The oldest code that can serve the tables afterwards, by the version that it knows. */
  readonly oldestReader: number;
  readonly statements: readonly string[];
}

/** How a database gets its tables. */
export interface Schema {
  /** The version that {@link whole} creates. */
  readonly newest: number;
  /** Everything, for an empty database. */
  readonly whole: readonly string[];
  /** The steps in order, beginning with version 2. */
  readonly steps: readonly SchemaStep[];
  /** The first released version; absent until there is a first step. */
  readonly released?: readonly string[] | undefined;
}

/**
 * Reads `schema.sql` and the steps of `schema/`.
 *
 * @param root the folder with both
 * @throws for a statement that does not run, for a gap or duplicate in the steps' numbers, and if the version that they start
 * from is missing
 */
export async function readSchema(root = ROOT): Promise<Schema> {
  const read = (path: string) => readFile(new URL(path, root), "utf8");
  const names = (await readdir(new URL("schema/", root))).filter((name) => name.endsWith(".sql")).sort();
  const misplaced = names.find((name, index) => Number(name.slice(0, 4)) !== index + 1 || !/^\d{4}-/.test(name));
  if (misplaced !== undefined) {
    throw new Error(`schema/${misplaced} is out of order: files are 0001-…, 0002-…, without a gap`);
  }
  const numbered: SchemaStep[] = [];
  const divider = new StatementDivider();
  try {
    for (const [index, name] of names.entries()) {
      const text = await read(`schema/${name}`);
      const version = index + 1;
      const oldestReader = version === 1 ? 1 : oldestReaderOf(name, version, text);
      numbered.push({ version, name, oldestReader, statements: divider.statementsOf(`schema/${name}`, text) });
    }
  } finally {
    divider.close();
  }
  const [released, ...steps] = numbered;
  return {
    newest: steps.at(-1)?.version ?? 1,
    whole: statementsOf("schema.sql", await read("schema.sql")),
    steps,
    released: released?.statements,
  };
}

/** Returns a schema as it was at an earlier version. */
export function schemaAt(schema: Schema, version: number): Schema {
  if (version === schema.newest) return schema;
  const steps = schema.steps.filter((step) => step.version <= version);
  return {
    newest: version,
    whole: [...(schema.released ?? []), ...steps.flatMap(({ statements }) => statements)],
    steps,
  };
}

/** @throws unless a step begins with a line that names its oldest reader */
function oldestReaderOf(name: string, version: number, text: string): number {
  const oldestReader = Number(/^-- Oldest reader: (\d+)$/m.exec(text)?.[1]);
  if (oldestReader >= 1 && oldestReader <= version) return oldestReader;
  throw new Error(
    `schema/${name} must say which code can serve its tables: a line "-- Oldest reader: 1", or up to ${version}`,
  );
}

/** Returns the statement that records the newest version of a schema, or that of a step. */
export function recordOf(schema: Schema, step?: SchemaStep, now = 0): string {
  const version = step?.version ?? schema.newest;
  const oldestReader = step?.oldestReader ?? Math.max(1, ...schema.steps.map((each) => each.oldestReader));
  return `INSERT INTO schema_versions (version, oldest_reader, applied_at) VALUES (${version}, ${oldestReader}, ${now})`;
}
