import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const SECTIONS = ["Context", "Decision", "Consequences", "Alternatives considered"];

const RECORDS = readdirSync("docs/decisions")
  .filter((file) => /^\d{4}-/.test(file))
  .map((file) => ({ file, text: readFileSync(`docs/decisions/${file}`, "utf8") }));

describe("docs/decisions", () => {
  it("has a status and the usual sections, in order, in every record", () => {
    expect(RECORDS.length).toBeGreaterThan(20);
    const sections = RECORDS.map(({ file, text }) => [
      file,
      [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
    ]);
    expect(sections).toEqual(RECORDS.map(({ file }) => [file, SECTIONS]));
    expect(RECORDS.filter(({ text }) => !/^# \d{4} .+\n\nStatus: \w+\./.test(text)).map(({ file }) => file)).toEqual(
      [],
    );
  });

  it("lists every record with its title, and no other", () => {
    const listed = [...readFileSync("docs/decisions/README.md", "utf8").matchAll(/^\| \[(.+)\]\((.+)\) \|/gm)];
    const titles = RECORDS.map(({ file, text }) => [file, /^# (.+)$/m.exec(text)?.[1]]);
    expect(listed.map(([, title, file]) => [file, title])).toEqual(titles);
  });
});
