import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OCSF_EVENTS } from "#audit/ocsf.ts";

it("docs/audit.md lists every event of the audit exactly once", () => {
  const [, section = ""] = /\n## Recorded events\n(.*?)\n## /s.exec(readFileSync("docs/audit.md", "utf8")) ?? [];
  const firstCells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  const documented = firstCells.flatMap((cell) => cell.split(", ").map((name) => name.replaceAll("`", "")));
  expect(documented.toSorted()).toEqual(OCSF_EVENTS.toSorted());
});
