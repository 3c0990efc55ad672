import { beforeAll, describe, expect, it } from "vitest";
import { env, genuine } from "../support/isolate.ts";

/** D1, and the stand-in that the other tests use. */
const BOTH = () => [genuine.DB, env.DB] as const;

type Statement = readonly [sql: string, ...values: unknown[]];

beforeAll(async () => {
  for (const database of BOTH()) {
    await database
      .prepare("CREATE TABLE birds (name TEXT PRIMARY KEY, weight REAL NOT NULL, flies INTEGER, song BLOB)")
      .run();
    await database
      .prepare(
        "CREATE TABLE nests (bird TEXT REFERENCES birds ON DELETE CASCADE, place TEXT UNIQUE, eggs INTEGER CHECK (eggs < 9))",
      )
      .run();
    await database.prepare("CREATE INDEX nests_by_bird ON nests (bird)").run();
    await database
      .prepare(
        "CREATE TRIGGER lay AFTER INSERT ON nests BEGIN UPDATE birds SET weight = weight - 1 WHERE name = NEW.bird; END",
      )
      .run();
  }
});

/** Returns the parts of a batch's result, or of its error, that other code depends on. */
async function outcomeOf(database: D1Database, statements: readonly Statement[]): Promise<unknown> {
  try {
    const prepared = statements.map(([sql, ...values]) => {
      const statement = database.prepare(sql);
      return values.length === 0 ? statement : statement.bind(...values);
    });
    const [only, ...others] = prepared;
    const answers = only && others.length === 0 ? [await only.all()] : await database.batch(prepared);
    return answers.map(({ success, results, meta: { changes, rows_read, rows_written } }) => ({
      success,
      results,
      meta: { changes, rows_read, rows_written },
    }));
  } catch (error) {
    return error instanceof Error ? { message: error.message } : error;
  }
}

const HERON = ["heron", 1500.5, true, new Uint8Array([1, 2, 255])] as const;
const ADD = "INSERT INTO birds (name, weight, flies, song) VALUES (?1, ?2, ?3, ?4)";

/** Run in this order: each case uses the rows that earlier cases left. */
const CASES: readonly (readonly [what: string, ...statements: Statement[]])[] = [
  ["a row of every kind of value", [ADD, ...HERON]],
  ["the same row again", [ADD, ...HERON]],
  ["a row with NULL", [ADD, "emu", 36_000, false, null]],
  ["a row without what it needs", [ADD, "owl", null, null, null]],
  ["reading all of it", ["SELECT * FROM birds ORDER BY name"]],
  ["reading nothing", ["SELECT * FROM birds WHERE name = ?1", "dodo"]],
  ["two columns of one name", ["SELECT name, weight AS name FROM birds ORDER BY weight"]],
  ["large and small numbers", ["SELECT ?1 AS a, ?2 AS b, ?3 AS c, 9007199254740993 AS d", 2 ** 53, -0.5, 1e300]],
  ["what is no number", ["SELECT ?1 AS a, ?2 AS b", NaN, -Infinity]],
  ["text beyond ASCII, and an empty one", ["SELECT ?1 AS a, ?2 AS b, length(?1) AS c", "Zugvögel 🦆\u0000end", ""]],
  ["a long text, and long bytes", ["SELECT ?1 AS a, length(?2) AS b", "ä".repeat(900_000), new Uint8Array(200_000)]],
  ["JSON", ["SELECT value ->> 'a' AS a FROM json_each(?1)", '[{"a":1},{"a":"x"},{"a":null}]']],
  ["a trigger's work", ["INSERT INTO nests VALUES ('heron', 'reed', 4)"]],
  ["a check that fails", ["INSERT INTO nests VALUES ('emu', 'sand', 12)"]],
  ["a parent that is missing", ["INSERT INTO nests VALUES ('dodo', 'isle', 1)"]],
  [
    "a conflict that is resolved",
    ["INSERT INTO nests VALUES ('emu', 'reed', 5) ON CONFLICT DO UPDATE SET eggs = 5 RETURNING *"],
  ],
  ["a change of nothing", ["UPDATE birds SET weight = 1 WHERE name = 'dodo'"]],
  ["a change with an index", ["UPDATE nests SET bird = 'emu' WHERE place = ?1 RETURNING bird, eggs", "reed"]],
  ["a batch", ["SELECT count(*) AS n FROM birds"], [ADD, "owl", 600, true, null], ["SELECT count(*) AS n FROM birds"]],
  [
    "a batch that fails at its end",
    [ADD, "jay", 170, true, null],
    ["DELETE FROM birds"],
    ["INSERT INTO nests VALUES (1)"],
  ],
  ["what it left", ["SELECT name FROM birds ORDER BY 1"]],
  ["a batch whose statements see each other", ["UPDATE birds SET flies = 2"], ["SELECT sum(flies) AS n FROM birds"]],
  ["a cascade", ["DELETE FROM birds WHERE name = 'emu'"], ["SELECT count(*) AS n FROM nests"]],
  ["too few values", ["SELECT ?1, ?2", 1]],
  ["too many values", ["SELECT ?1", 1, 2]],
  ["no such table", ["SELECT * FROM fish"]],
  ["no such column", ["SELECT fins FROM birds"]],
  ["no SQL", ["SELEKT 1"]],
  ["undefined", ["SELECT ?1", undefined]],
  ["an object", ["SELECT ?1", {}]],
  ["a large integer", ["SELECT ?1", 1n]],
  [
    "more values than there may be",
    [`SELECT ${Array.from({ length: 101 }, (_none, at) => `?${at + 1}`).join()}`, ...Array(101).fill(1)],
  ],
  ["a pattern that is too long", ["SELECT 'a' LIKE ?1", "a%".repeat(60)]],
  ["a transaction of its own", ["BEGIN"]],
  ["a pragma that is not allowed", ["PRAGMA journal_mode = OFF"]],
];

describe.skipIf(env.DATABASE === "d1")("the database of the tests", () => {
  it.each(CASES.map(([what, ...statements]) => ({ what, statements })))(
    "gives the same results as D1: $what",
    async ({ statements }) => {
      const [real, own] = await Promise.all(BOTH().map((database) => outcomeOf(database, statements)));
      expect(own).toEqual(real);
    },
  );

  it("returns the first row, and a column of it, as D1 does", async () => {
    for (const column of [undefined, "name", "fins"]) {
      const first = (database: D1Database) => {
        const statement = database.prepare("SELECT name FROM birds ORDER BY name");
        return (column === undefined ? statement.first() : statement.first(column)).catch(String);
      };
      const [real, own] = await Promise.all(BOTH().map(first));
      expect(own).toEqual(real);
    }
  });
});
