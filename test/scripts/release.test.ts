import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { componentsOf, readSchemaChanges } from "../../scripts/release/candidate.ts";
import { type Candidate, checkRelease } from "../../scripts/release/release-check.ts";

const READY: Candidate = {
  uncommitted: [],
  versions: { gatehouse: "1.0.0", "gatehouse-client": "1.0.0" },
  changelog: "# Changelog\n\n## 1.0.0 (2026-12-01)\n\n- The first release.\n\n## 0.9.0 (2026-11-01)\n\n- Earlier.\n",
  apiVersion: "1",
  fixtureLacks: [],
  schema: undefined,
  components: [{ name: "hono@4.13.19", licence: "MIT" }],
};

/** Returns the checks that a candidate fails. */
function failures(changes: Partial<Candidate>): string[] {
  const findings = checkRelease({ ...READY, ...changes });
  return findings.flatMap(({ check, verdict }) => (verdict === "failed" ? [check] : []));
}

describe("the check before a release", () => {
  it("accepts a clean tree with one version, its changelog and known licences", () => {
    expect(failures({})).toEqual([]);
  });

  it("refuses what is not committed, and versions that differ", () => {
    expect(failures({ uncommitted: ["src/app.ts"] })).toEqual(["Tree"]);
    expect(failures({ versions: { gatehouse: "1.0.0", "gatehouse-push": "1.0.1" } })).toEqual(["Versions"]);
    expect(failures({ apiVersion: "2" })).toEqual(["Versions"]);
  });

  it("refuses a release without a fixture, or with one of other tables", () => {
    expect(failures({ fixtureLacks: undefined })).toEqual(["Fixture"]);
    expect(failures({ fixtureLacks: ["table grants"] })).toEqual(["Fixture"]);
  });

  it.each([
    ["# Changelog\n\n## Unreleased\n\n- Something.\n"],
    ["# Changelog\n\n## 1.0.0\n\n- No date.\n"],
    ["# Changelog\n\n## 1.0.1 (2026-12-01)\n\n- Another version.\n"],
    ["# Changelog\n\n## 1.0.0 (2026-12-01)\n\n## 0.9.0 (2026-11-01)\n\n- Nothing new.\n"],
    ["# Changelog\n"],
  ])("refuses a changelog whose newest section isn't this release's: %j", (changelog) => {
    expect(failures({ changelog })).toEqual(["Changelog"]);
  });

  it.each([
    ["MIT", []],
    ["(MIT OR GPL-3.0-or-later)", []],
    ["(MIT AND Zlib)", []],
    ["(MIT AND GPL-3.0-or-later)", ["Licences"]],
    ["GPL-3.0-or-later", ["Licences"]],
    [undefined, ["Licences"]],
  ])("judges the licence %s of a package", (licence, failed) => {
    expect(failures({ components: [{ name: "some@1.0.0", licence }] })).toEqual(failed);
  });

  it("reads packages and licences from a bill of materials", () => {
    const bill = {
      components: [
        { name: "a", version: "1.0.0", purl: "pkg:npm/%40scope/a@1.0.0", licenses: [{ license: { id: "MIT" } }] },
        { name: "b", version: "2.0.0", purl: "pkg:npm/b@2.0.0", licenses: [{ expression: "(MIT OR ISC)" }] },
        { name: "c", version: "3.0.0", purl: "pkg:npm/c@3.0.0" },
      ],
    };
    expect(componentsOf(JSON.stringify(bill))).toEqual([
      { name: "@scope/a@1.0.0", licence: "MIT" },
      { name: "b@2.0.0", licence: "(MIT OR ISC)" },
      { name: "c@3.0.0", licence: undefined },
    ]);
  });
});

describe("the schema of a release", () => {
  let folder: string;
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "pipe" });
  const commit = () => {
    git("add", "-A");
    git("-c", "user.name=x", "-c", "user.email=x@acme.example", "commit", "-qm", "x", "--no-gpg-sign");
  };
  const schemaFailures = () => failures({ schema: readSchemaChanges(folder) });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-release-"));
    git("init", "-q");
    await mkdir(join(folder, "schema"));
    await writeFile(join(folder, "schema.sql"), "CREATE TABLE a (id INTEGER);\n");
    await writeFile(join(folder, "schema", "0002-old.sql"), "SELECT 1;\n");
    commit();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is new before the first tag", () => {
    expect(readSchemaChanges(folder)).toBeUndefined();
  });

  it("needs a step if schema.sql changed since the tag", async () => {
    git("tag", "v1.0.0");
    expect(schemaFailures()).toEqual([]);
    await writeFile(join(folder, "schema.sql"), "CREATE TABLE a (id INTEGER, b TEXT);\n");
    commit();
    expect(schemaFailures()).toEqual(["Schema"]);
    await writeFile(join(folder, "schema", "0003-b.sql"), "ALTER TABLE a ADD COLUMN b TEXT;\n");
    commit();
    expect(schemaFailures()).toEqual([]);
  });

  it("needs a step of the objects if their tables changed", async () => {
    const [tables, steps] = ["schema.sql.ts", "migrations.ts"].map((file) => join(folder, "src/documents", file));
    await mkdir(join(folder, "src/documents"), { recursive: true });
    for (const file of [tables, steps]) await writeFile(String(file), "1\n");
    commit();
    git("tag", "v1.0.0");
    await writeFile(String(tables), "2\n");
    expect(schemaFailures()).toEqual(["Schema"]);
    await writeFile(String(steps), "2\n");
    expect(schemaFailures()).toEqual([]);
  });

  it("keeps every step that was released as it was", async () => {
    git("tag", "v1.0.0");
    await writeFile(join(folder, "schema", "0002-old.sql"), "SELECT 2;\n");
    commit();
    expect(schemaFailures()).toEqual(["Schema"]);
  });
});
