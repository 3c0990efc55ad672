import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import german from "../../public/messages/de.json" with { type: "json" };

/** Reads people from tokens that apps send: only programs see its refusals. */
const FOR_PROGRAMS = "src/single-sign-on/external-identity.ts";

/** Source of the refusals that people see on pages. Refusals of developers' mistakes are quoted in English. */
const FOR_PEOPLE = globSync("src/{single-sign-on,session}/*.{ts,tsx}", { exclude: [FOR_PROGRAMS] }).concat(
  "src/authorization-server/consent/consent.ts",
  "src/authorization-server/authorization/authorize.ts",
);

/** Returns the reasons of refusals with their own description, in addition to the text of their error code. */
function reasonsIn(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const written = text.matchAll(/reason: "(\w+)",(?:\s+about: [^\n]+,|\s+connection: \w+,)?\s+description/g);
  const passed = text.matchAll(/\b(?:unavailable|unusable|refused)\(\s*"(\w+)"/g);
  return [...written, ...passed].map(([, reason = ""]) => reason);
}

describe("refusals that people see on pages", () => {
  it("have a German text for each reason", () => {
    const reasons = [...new Set(FOR_PEOPLE.flatMap(reasonsIn))];
    expect(reasons.length).toBeGreaterThan(25);
    expect(reasons.filter((reason) => !Object.hasOwn(german.refusals, reason))).toEqual([]);
  });
});
