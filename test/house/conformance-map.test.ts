import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("docs/conformance.md names every file of test/conformance/", () => {
  const page = readFileSync("docs/conformance.md", "utf8");
  const files = readdirSync("test/conformance").map((file) => `conformance/${file}`);
  expect(files.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);
});
