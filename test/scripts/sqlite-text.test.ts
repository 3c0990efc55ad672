import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { databaseOf, textOf } from "../support/node/release/sqlite-text.ts";

it("a database as SQL makes the same one again, with its index, its values and its triggers", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`
    CREATE TABLE a (id INTEGER PRIMARY KEY, b, -- a comment; with a semicolon
      c BLOB, UNIQUE (b));
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1);
    CREATE INDEX by_c ON a (c);
    CREATE TRIGGER added AFTER INSERT ON a BEGIN INSERT INTO words (rowid, text) VALUES (new.id, new.b); END;
    INSERT INTO a (b, c) VALUES ('it''s\na heron', x'00ff'), (9007199254740993, NULL), (1.0, zeroblob(20000)), (1e300, x'')`);
  const text = textOf(database);
  expect(text.length).toBeLessThan(2000);
  const again = databaseOf(text);
  expect(textOf(again)).toBe(text);
  expect(again.prepare("SELECT rowid FROM words('heron')").all()).toEqual([{ rowid: 1 }]);
  expect(again.prepare("SELECT typeof(b) AS type, length(c) AS bytes FROM a ORDER BY id").all()).toEqual([
    { type: "text", bytes: 2 },
    { type: "integer", bytes: null },
    { type: "real", bytes: 20_000 },
    { type: "real", bytes: 0 },
  ]);
});
