import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSchemaChanges } from "../../scripts/release/candidate.ts";
import { checkRelease } from "../../scripts/release/release-check.ts";

/** What these tests don't look at. */
const REST = {
  uncommitted: [],
  versions: { gatehouse: "1.0.0" },
  changelog: "",
  apiVersion: "1",
  fixtureLacks: [],
  components: [],
};

describe("the schema of a release", { timeout: 60_000 }, () => {
  let folder: string;
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "pipe" });
  const commit = () => {
    git("add", "-A");
    git("-c", "user.name=x", "-c", "user.email=x@acme.example", "commit", "-qm", "x", "--no-gpg-sign");
  };
  const schemaFailures = () =>
    checkRelease({ ...REST, schema: readSchemaChanges(folder) }).flatMap(({ check, verdict }) =>
      verdict === "failed" && check === "Schema" ? [check] : [],
    );

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
