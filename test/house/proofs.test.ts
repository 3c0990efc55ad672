import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const PAGE = readFileSync("docs/proofs.md", "utf8");

it("docs/proofs.md names only tests that exist, and at least one for every attack", () => {
  const named = [...PAGE.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(`test/${path}`))).toEqual([]);
  const [, section = ""] = PAGE.split("## Attacks that must not work again\n");
  const rows =
    section
      .split("\n## ")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2) ?? [];
  expect(rows.length).toBeGreaterThan(27);
  expect(rows.filter((row) => !/\.test\.ts`/.test(row))).toEqual([]);
});
