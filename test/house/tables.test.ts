import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/**
 * The tables of D1 and the room that owns each, or the folder of commands. Only its owner's files name a table; other rooms use what these files export, such as
 * a statement or a condition of a `*.sql.ts`.
 */
const TABLES_OF: Readonly<Record<string, readonly string[]>> = {
  "app-access": ["app_rules"],
  glossary: ["glossaries", "unfound_words"],
  audit: ["audit", "audit_deliveries"],
  "authorization-requests": ["authorization_requests"],
  "authorization-server": ["signing_keys"],
  branding: ["logos"],
  clients: ["app_approvals", "app_requests", "clients"],
  "connection-attempts": ["connection_steps"],
  "custom-metadata": ["metadata_groups", "metadata_keys"],
  doctor: ["alerts"],
  directories: ["directory_groups", "directory_members", "directory_users"],
  documents: ["document_moves"],
  grants: ["grants"],
  instance: ["instances", "policy_changes", "schema_versions"],
  issuers: ["external_issuers"],
  maintenance: ["maintenance_runs"],
  "master-keys": ["master_keys"],
  people: ["linked_accounts", "people", "people_counts"],
  "service-accounts": ["service_accounts"],
  "service-tokens": ["service_token_origins", "service_token_secrets", "service_tokens"],
  session: ["session_sign_ins", "sessions"],
  signals: ["signal_transmitters"],
  "spent-ids": ["spent_ids"],
  usage: ["failures", "usage_counts"],
};

/**
 * What rooms read of other rooms' tables without asking them: a join that no export would make shorter, or one that still has to
 * move. This list may only become shorter.
 */
const READS: Readonly<Record<string, readonly string[]>> = {
  "app-access": ["clients", "external_issuers"],
  audit: ["grants", "instances", "people"],
  "authorization-requests": ["people"],
  "authorization-server": ["instances"],
  clients: ["authorization_requests", "grants", "service_accounts"],
  directories: ["people"],
  documents: ["instances"],
  grants: ["authorization_requests", "clients", "people", "policy_changes"],
  instance: ["app_rules", "clients", "external_issuers", "grants", "people", "service_tokens", "signing_keys"],
  "master-keys": ["audit_deliveries", "grants", "instances", "signing_keys"],
  people: [
    "directory_groups",
    "directory_members",
    "directory_users",
    "grants",
    "instances",
    "service_token_origins",
    "service_token_secrets",
    "service_tokens",
    "sessions",
  ],
  "service-accounts": ["clients", "grants", "people"],
  "service-tokens": ["people"],
  session: ["people"],
  signals: ["grants", "sessions"],
  "spent-ids": ["people"],
};

/** What rooms write in other rooms' tables. Each has to move to the owner. This list may only become shorter. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  documents: ["instances"],
  "master-keys": ["signing_keys"],
  people: ["directory_members", "directory_users", "service_token_secrets", "service_tokens", "sessions"],
  signals: ["authorization_requests", "sessions"],
};

const OWNERS = new Map(Object.entries(TABLES_OF).flatMap(([room, tables]) => tables.map((table) => [table, room])));

/** Returns what each room does with tables of others: `room: table`. The documents object has a database of its own. */
function borrowed(): { reads: string[]; writes: string[]; named: Set<string> } {
  const [reads, writes, named] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const files = globSync("src/**/*.{ts,tsx}").filter((file) => !/^src\/documents\/.*(?<!\.d1)\.tsx?$/.test(file));
  // Only a command reads and writes them.
  for (const file of [...files, ...globSync("scripts/admin/master-keys/*.ts")]) {
    const [, room = ""] = /^(?:src|scripts\/admin)\/([^/]+)/.exec(file) ?? [];
    const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    // A table may also be named in a statement by a word of the code.
    const byWord = code.includes("DELETE FROM ${") ? writes : reads;
    for (const [, verb = "", table = "", word = ""] of code.matchAll(
      /\b(DELETE FROM|INTO|UPDATE|FROM|JOIN|deletionOf\()\s*"?(\w+)|(?<=[[(, ]")(\w+)(?="[\]),])/g,
    )) {
      const owner = OWNERS.get(table || word);
      if (owner === undefined || (word !== "" && !/\.(d1|sql)\.ts$/.test(file))) continue;
      named.add(table || word);
      const kind = word === "" ? (/^(FROM|JOIN)$/.test(verb) ? reads : writes) : byWord;
      if (owner !== room) kind.add(`${room}: ${table || word}`);
    }
  }
  return { reads: [...reads].sort(), writes: [...writes].sort(), named };
}

const flat = (lists: typeof READS) =>
  Object.entries(lists)
    .flatMap(([room, tables]) => tables.map((table) => `${room}: ${table}`))
    .sort();

describe("the tables of D1", () => {
  const { reads, writes, named } = borrowed();

  it("each have one room that owns them", () => {
    const made = [...readFileSync("schema.sql", "utf8").matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)/gm)].map(
      ([, table = ""]) => table,
    );
    expect([...OWNERS.keys()].sort()).toEqual(made.sort());
    expect([...OWNERS.keys()].filter((table) => !named.has(table))).toEqual([]);
  });

  it("are written only by their owner's statements", () => {
    expect(writes).toEqual(flat(WRITES));
  });

  it("are read only by their owner's statements", () => {
    expect(reads).toEqual(flat(READS));
  });
});
