import { describe, expect, it } from "vitest";
import { componentsOf } from "../../scripts/release/candidate.ts";
import { type Candidate, checkRelease } from "../../scripts/release/release-check.ts";

const READY: Candidate = {
  uncommitted: [],
  versions: { gatehouse: "1.0.0", "gatehouse-client": "1.0.0" },
  changelog: "# Changelog\n\n## 1.0.0 (2026-12-01)\n\n- The first release.\n\n## 0.9.0 (2026-11-01)\n\n- Earlier.\n",
  apiVersion: "1",
  fixtureLacks: [],
  schema: undefined,
  components: [{ name: "hono@4.13.19", licence: "MIT" }],
};

/** Returns the checks that a candidate fails. */
function failures(changes: Partial<Candidate>): string[] {
  const findings = checkRelease({ ...READY, ...changes });
  return findings.flatMap(({ check, verdict }) => (verdict === "failed" ? [check] : []));
}

describe("the check before a release", () => {
  it("accepts a clean tree with one version, its changelog and known licences", () => {
    expect(failures({})).toEqual([]);
  });

  it("refuses what is not committed, and versions that differ", () => {
    expect(failures({ uncommitted: ["src/app.ts"] })).toEqual(["Tree"]);
    expect(failures({ versions: { gatehouse: "1.0.0", "gatehouse-push": "1.0.1" } })).toEqual(["Versions"]);
    expect(failures({ apiVersion: "2" })).toEqual(["Versions"]);
  });

  it("refuses a release without a fixture, or with one of other tables", () => {
    expect(failures({ fixtureLacks: undefined })).toEqual(["Fixture"]);
    expect(failures({ fixtureLacks: ["table grants"] })).toEqual(["Fixture"]);
  });

  it.each([
    ["# Changelog\n\n## Unreleased\n\n- Something.\n"],
    ["# Changelog\n\n## 1.0.0\n\n- No date.\n"],
    ["# Changelog\n\n## 1.0.1 (2026-12-01)\n\n- Another version.\n"],
    ["# Changelog\n\n## 1.0.0 (2026-12-01)\n\n## 0.9.0 (2026-11-01)\n\n- Nothing new.\n"],
    ["# Changelog\n"],
  ])("refuses a changelog whose newest section isn't this release's: %j", (changelog) => {
    expect(failures({ changelog })).toEqual(["Changelog"]);
  });

  it.each([
    ["MIT", []],
    ["(MIT OR GPL-3.0-or-later)", []],
    ["(MIT AND Zlib)", []],
    ["(MIT AND GPL-3.0-or-later)", ["Licences"]],
    ["GPL-3.0-or-later", ["Licences"]],
    [undefined, ["Licences"]],
  ])("judges the licence %s of a package", (licence, failed) => {
    expect(failures({ components: [{ name: "some@1.0.0", licence }] })).toEqual(failed);
  });

  it("reads packages and licences from a bill of materials", () => {
    const bill = {
      components: [
        { name: "a", version: "1.0.0", purl: "pkg:npm/%40scope/a@1.0.0", licenses: [{ license: { id: "MIT" } }] },
        { name: "b", version: "2.0.0", purl: "pkg:npm/b@2.0.0", licenses: [{ expression: "(MIT OR ISC)" }] },
        { name: "c", version: "3.0.0", purl: "pkg:npm/c@3.0.0" },
      ],
    };
    expect(componentsOf(JSON.stringify(bill))).toEqual([
      { name: "@scope/a@1.0.0", licence: "MIT" },
      { name: "b@2.0.0", licence: "(MIT OR ISC)" },
      { name: "c@3.0.0", licence: undefined },
    ]);
  });
});
