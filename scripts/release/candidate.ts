import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { statementsOf } from "../admin/schema-statements.ts";
import { lacking, tablesAfter } from "../admin/schema-tables.ts";
import type { Candidate, Component, SchemaChanges } from "./release-check.ts";

/** The part of a CycloneDX bill of materials that is read. */
interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses?: readonly {
      readonly license?: { readonly id?: string; readonly name?: string };
      readonly expression?: string;
    }[];
  }[];
}

const MANIFESTS = ["package.json", ...globSync("clients/*/package.json").toSorted()];

/** Reads what the checkout in the current folder would release. */
export function readCandidate(bill: string): Candidate {
  const versions = Object.fromEntries(MANIFESTS.map(versionOf));
  const { info } = JSON.parse(readFileSync("public/api-description.json", "utf8")) as { info: { version: string } };
  return {
    uncommitted: lines(git(".", "status", "--porcelain")).map((line) => line.slice(3)),
    versions,
    apiVersion: info.version,
    fixtureLacks: fixtureLacks(`test/fixtures/releases/${versions["gatehouse"]}/database.sql`),
    changelog: readFileSync("CHANGELOG.md", "utf8"),
    schema: readSchemaChanges("."),
    components: componentsOf(bill),
  };
}

/** Returns the bill of materials of what is shipped, in CycloneDX's JSON: every package that isn't only for development. */
export function billOfMaterials(): string {
  return execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], { encoding: "utf8" });
}

export function componentsOf(bill: string): readonly Component[] {
  const { components } = JSON.parse(bill) as Bill;
  return components.map(({ purl, licenses = [] }) => {
    const [{ license, expression } = {}] = licenses;
    return {
      name: decodeURIComponent(purl.replace("pkg:npm/", "")),
      licence: license?.id ?? expression ?? license?.name,
    };
  });
}

function fixtureLacks(file: string): readonly string[] | undefined {
  if (!existsSync(file)) return undefined;
  const made = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("CREATE "));
  const [wanted, found] = [
    tablesAfter(statementsOf("schema.sql", readFileSync("schema.sql", "utf8"))),
    tablesAfter(made),
  ];
  return [...new Set([...lacking(wanted, found), ...lacking(found, wanted)])];
}

function versionOf(path: string): [string, string] {
  const { name, version } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly name: string;
    readonly version: string;
  };
  return [name, version];
}

/** Compares the schema of a checkout with that of the newest release before it. */
export function readSchemaChanges(folder: string): SchemaChanges | undefined {
  const [since] = lines(git(folder, "tag", "--list", "v*", "--sort=-version:refname", "--merged"));
  if (since === undefined) return undefined;
  const changed = (filter: string, ...paths: readonly string[]) =>
    lines(git(folder, "diff", "--name-only", `--diff-filter=${filter}`, since, "--", ...paths));
  return {
    since,
    isOther: changed("M", "schema.sql").length > 0,
    stepsAdded: changed("A", "schema/*.sql"),
    stepsChanged: changed("MDR", "schema/*.sql", "test/fixtures/releases/*/*"),
    isObjectStepMissing:
      changed("M", "src/documents/schema.sql.ts").length > 0 &&
      changed("M", "src/documents/migrations.ts").length === 0,
  };
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: folder, encoding: "utf8" });
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
