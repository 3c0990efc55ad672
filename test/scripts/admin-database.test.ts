import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "#platform/configuration.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { openDatabase } from "../../scripts/admin/database.ts";
import { configElsewhere } from "../../scripts/local/config-elsewhere.ts";
import { makeAcme } from "../../scripts/local/acme.ts";
import { PlainError } from "../../scripts/local/plain-error.ts";
import { newMasterKeys, openD1 } from "../support/node/admin-database.ts";

describe("the D1 stand-in for tests in Node", () => {
  const database = openD1();

  it.each([undefined, NaN, Infinity, new Uint8Array(1), {}])(
    "refuses to bind %s, which would be stored as something else",
    (value) => {
      expect(() => database.prepare("SELECT ?1").bind(value)).toThrow(TypeError);
    },
  );

  it("returns the first row, or one column of it", async () => {
    const statement = database.prepare("SELECT ?1 AS word, ?2 AS none").bind("one", null);
    expect(await statement.first()).toEqual({ word: "one", none: null });
    expect(await statement.first("word")).toBe("one");
    await expect(statement.first("other")).rejects.toThrow("other");
    expect(await database.prepare("SELECT 1 AS word WHERE false").first("word")).toBeNull();
  });

  it("runs a batch as one transaction, with several statements in a text, and counts changes as D1 does", async () => {
    await database.exec("CREATE TABLE t (a UNIQUE, b); INSERT INTO t VALUES (1, x'0102'), (2, NULL)");
    const insert = (value: number) => database.prepare("INSERT INTO t (a) VALUES (?1)").bind(value);
    await expect(database.batch([insert(3), insert(1)])).rejects.toThrow("UNIQUE");
    const { results, meta } = await database.prepare("UPDATE t SET a = a + 10 RETURNING a, b").all();
    expect({ results, changes: meta.changes }).toEqual({
      results: [
        { a: 11, b: [1, 2] },
        { a: 12, b: null },
      ],
      changes: 2,
    });
  });

  it("refuses more parameters than D1 takes", async () => {
    const many = database.prepare("SELECT 1").bind(...Array<number>(101).fill(1));
    await expect(many.all()).rejects.toThrow("too many parameters");
  });
});

describe("the configuration that commands read before they open a database", () => {
  let folder: string;
  let config: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-configuration-"));
    config = configElsewhere(await readFile("wrangler.toml", "utf8"));
    await writeFile(join(folder, ".dev.vars"), `LOCAL_DEVELOPMENT="true"\nMASTER_KEYS="${newMasterKeys()}"\n`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const open = async (changed: string) => {
    await writeFile(join(folder, "wrangler.toml"), changed);
    return openDatabase({ remote: false, masterKeys: newMasterKeys(), folder });
  };

  it.each([
    ["a name without a word", (text: string) => text.replace('"Gatehouse"', '"検索"'), /SERVICE_NAME must contain/],
    ["no pattern of hosts", (text: string) => text.replace(/^INSTANCE_HOST = .*$/m, ""), /Set INSTANCE_HOST/],
    [
      "a missing counter",
      (text: string) => text.replace('"RATE_LIMIT_60"', '"RATE_LIMIT_6"'),
      /The binding RATE_LIMIT_60 is missing/,
    ],
    ["a model without Workers AI", (text: string) => text.replace("[vars]", '[vars]\nCHAT_MODEL = "m"'), /binding AI/],
  ])("is refused with %s, before a deployment and at the start", async (_what, change, sentence) => {
    const changed = change(config);
    const failure: unknown = await open(changed).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(explainFailure(failure)).toMatch(sentence);
    const started: unknown = await makeAcme({ folder, print: () => undefined }).catch((error: unknown) => error);
    expect(started).toBeInstanceOf(PlainError);
    expect((started as PlainError).message).toBe((failure as ConfigurationError).message);
  });
});
