import { csvLine } from "#platform/csv.ts";
import { describe, expect, it } from "vitest";

describe("a line of a CSV file (RFC 4180)", () => {
  it("quotes a field that contains a comma, a quote or a line break", () => {
    expect(csvLine([1, "a,b", 'say "x"', "two\nlines", "plain"])).toBe('1,"a,b","say ""x""","two\nlines",plain\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])("can't start a formula: %j", (text) => {
    expect(
      csvLine([text])
        .replace(/^"/, "")
        .startsWith(`'${text.charAt(0)}`),
    ).toBe(true);
  });

  it.each(["App;=1+1", 'App", ";=1+1', "App\t@SUM(A1)", "App\n-1", "App;;＝1"])(
    "can't start a formula if a spreadsheet splits it at semicolons, tabs or line breaks: %j",
    (text) => {
      for (const cell of csvLine([7, text]).split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^"*[=+\-@＝＋－＠]/);
    },
  );
});
