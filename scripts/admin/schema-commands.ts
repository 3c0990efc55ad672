import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./context.ts";
import { readSchema } from "./schema-files.ts";
import { applySchema, readStatus } from "./schema-versions.ts";

export const schemaCommands: readonly Command[] = [
  {
    name: "schema apply",
    usage: "",
    purpose: "create the tables, or upgrade them to the newest version; safe to repeat",
    async run(words, { bindings, print }) {
      parseArguments(words, {});
      const schema = await readSchema();
      const { applied } = await applySchema(bindings.DB, schema, Math.floor(Date.now() / 1000));
      const { lacks } = await readStatus(bindings.DB, schema);
      if (lacks.length > 0)
        throw new UsageError(`The database says version ${schema.newest}, but ${differenceOf(lacks)}`);
      print(
        applied.length === 0
          ? `The tables are at version ${schema.newest}. Nothing to do.`
          : `The tables are at version ${schema.newest}.`,
      );
      return { version: schema.newest, applied };
    },
  },
  {
    name: "schema status",
    usage: "",
    purpose: "show the version of the tables, and any that differ from the schema; changes nothing",
    async run(words, { bindings, print }) {
      parseArguments(words, {});
      const schema = await readSchema();
      const { version, lacks } = await readStatus(bindings.DB, schema);
      print(lineOf(version, schema.newest));
      if (lacks.length > 0) print(`But ${differenceOf(lacks)}`);
      return { version, newest: schema.newest, lacks };
    },
  },
];

function lineOf(version: number | null, newest: number): string {
  if (version === null) return "The database is empty. Run: npm run admin -- schema apply";
  if (version < newest) return `Version ${version}; the newest is ${newest}. Run: npm run admin -- schema apply`;
  return `Version ${version}, the newest.`;
}

function differenceOf(lacks: readonly string[]): string {
  return `missing or different: ${lacks.join(", ")}. To recreate a local database, run npm start -- --fresh`;
}
