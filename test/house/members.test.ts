import { readdirSync, readFileSync } from "node:fs";
import { APP_MEMBERS } from "#clients/app-members.ts";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import type { Members } from "#platform/described-members.ts";
import { ACCOUNT_MEMBERS, WORKLOAD_MEMBERS } from "#service-accounts/service-account-members.ts";
import { TRANSMITTER_MEMBERS } from "#signals/transmitter-members.ts";
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
    expect(askedFor("ACCOUNT_MEMBERS").toSorted()).toEqual(withField(ACCOUNT_MEMBERS).toSorted());
    expect(askedFor("WORKLOAD_MEMBERS").toSorted()).toEqual(withField(WORKLOAD_MEMBERS).toSorted());
    expect(askedFor("TRANSMITTER_MEMBERS").toSorted()).toEqual(withField(TRANSMITTER_MEMBERS).toSorted());
    expect(askedFor("APP_MEMBERS").toSorted()).toEqual(withField(APP_MEMBERS).toSorted());
    expect(askedFor("ISSUER_MEMBERS").toSorted()).toEqual(withField(ISSUER_MEMBERS).toSorted());
  });
});
