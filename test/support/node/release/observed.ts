import { runAdmin } from "../../../../scripts/admin.ts";
import { dataTablesAfter } from "../../../../scripts/admin/schema-tables.ts";
import type { DeployedWorker } from "../deployed-worker.ts";
import type { Secrets } from "./filled-instance.ts";
import { InstanceRequests } from "./instance-requests.ts";

/** What two people find. The words are in different fields, in a form, in the glossary, in metadata, and nowhere. */
const QUERIES = [
  "heron",
  "handbook",
  "holiday",
  "PTO",
  "approved",
  "from:elin plan",
  '"paid time off"',
  "datasource:news",
  "zeppelin",
];

/** What an instance answers, in a form that can be compared. */
export interface Observed {
  readonly found: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** What `audit verify` says of the chain. */
  readonly audit: Readonly<Record<string, unknown>>;
  /** How many documents can be brought back. */
  readonly removed: unknown;
  /** The configuration as a file. */
  readonly exported: unknown;
}

/** Asks an instance for all that a person or an administrator can see of it. Changes nothing but its audit. */
export async function observe({ admin, baseUrl }: DeployedWorker, { people }: Secrets): Promise<Observed> {
  const instance = new InstanceRequests(baseUrl);
  const found: Record<string, Record<string, string[]>> = {};
  for (const [person, token] of Object.entries(people)) {
    found[person] = {};
    for (const query of QUERIES) found[person][query] = (await instance.found(token, query)).sort();
  }
  return {
    found,
    removed: await runAdmin(["documents", "removed", "acme"], admin),
    audit: await runAdmin(["audit", "verify", "acme"], admin),
    exported: await runAdmin(["export", "acme"], admin),
  };
}

/** Counts the rows of each table. */
export async function countRows(database: D1Database, schema: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of dataTablesAfter(schema)) {
    counts[name] = (await database.prepare(`SELECT count(*) AS n FROM ${name}`).first<number>("n")) ?? 0;
  }
  return counts;
}
