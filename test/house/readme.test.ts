import { readFileSync } from "node:fs";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { SCOPES } from "#protocol/scopes.ts";
import { expect, it } from "vitest";

const readme = readFileSync("README.md", "utf8");

it("the README names every endpoint of the authorization server, and every scope", () => {
  const [, table = ""] = readme.split("\n## Endpoints\n");
  const named = (words: readonly string[]) => words.filter((word) => table.includes(`\`${word}`));
  expect(named(Object.values(ENDPOINTS))).toEqual(Object.values(ENDPOINTS));
  expect(named(SCOPES)).toEqual([...SCOPES]);
});
