import type { DatabaseCommand } from "./command.ts";
import { readSchema } from "./schema-files.ts";
import { applySchema, readStatus } from "./schema-versions.ts";

export const schemaCommands: readonly DatabaseCommand[] = [
  {
    asks: "database",
    usage: "schema apply",
    purpose: "create the tables, or upgrade them to the current version. Safe to repeat",
    examples: ["schema apply --remote"],
    async run(_input, { bindings }) {
      const schema = await readSchema();
      const { applied } = await applySchema(bindings.DB, schema, Math.floor(Date.now() / 1000));
      const { version, lacks } = await readStatus(bindings.DB, schema);
      const failure = `The database is at version ${version}, but ${differenceOf(lacks)}`;
      const done = `The tables are at version ${version}.`;
      return {
        answer: { version, applied },
        lines: lacks.length > 0 ? [] : [applied.length === 0 ? `${done} Nothing to do.` : done],
        failure: lacks.length > 0 ? failure : undefined,
      };
    },
  },
  {
    asks: "database",
    usage: "schema status",
    purpose: "show the version of the tables, and any table that differs from the schema",
    examples: ["schema status --remote"],
    async run(_input, { bindings }) {
      const schema = await readSchema();
      const { version, lacks } = await readStatus(bindings.DB, schema);
      const lines = [lineOf(version, schema.newest), ...(lacks.length > 0 ? [`But ${differenceOf(lacks)}`] : [])];
      return { answer: { version, newest: schema.newest, lacks }, lines };
    },
  },
];

function lineOf(version: number | null, newest: number): string {
  if (version === null) return "The database is empty. Run: npm run admin -- schema apply";
  if (version < newest) return `Version ${version}; the newest is ${newest}. Run: npm run admin -- schema apply`;
  if (version > newest) return `Version ${version}, newer than this code, which knows ${newest} and can serve it.`;
  return `Version ${version}, the newest.`;
}

function differenceOf(lacks: readonly string[]): string {
  return `these are missing or differ: ${lacks.join(", ")}. To recreate a local database, run npm start -- --fresh`;
}
