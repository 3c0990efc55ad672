import { readdirSync, readFileSync } from "node:fs";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import type { Members } from "#platform/described-members.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { describe, expect, it } from "vitest";

const CONSOLE = readdirSync("src/admin-console", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readFileSync(`src/admin-console/${file}`, "utf8"))
  .join("\n");

/** Returns the members that forms of the console ask for, in the calls of `fieldsOf` with this constant. */
function askedFor(constant: string): string[] {
  const calls = [...CONSOLE.matchAll(new RegExp(String.raw`fieldsOf\(${constant}, \[([^\]]*)\]`, "g"))];
  return calls.flatMap(([, names = ""]) => [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name));
}

function withField(members: Members): string[] {
  return Object.entries(members).flatMap(([name, { field }]) => (field === undefined ? [] : [name]));
}

describe("the members of nouns", () => {
  it("are each asked for by one form of the console, if they have a field", () => {
    expect(askedFor("SETTING_MEMBERS").toSorted()).toEqual(withField(SETTING_MEMBERS).toSorted());
    expect(askedFor("ISSUER_MEMBERS").toSorted()).toEqual(withField(ISSUER_MEMBERS).toSorted());
  });
});
