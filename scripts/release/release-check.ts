import { failed, type Finding, ok } from "#platform/finding.ts";

/** What a release is judged by. */
export interface Candidate {
  /** Files that differ from the last commit. */
  readonly uncommitted: readonly string[];
  /** The versions of the project and of its packages, by name. */
  readonly versions: Readonly<Record<string, string>>;
  readonly changelog: string;
  /** The version that the description of the APIs names: the major one of the release. */
  readonly apiVersion: string;
  /** The tables in which the fixture of this release differs from `schema.sql`; `undefined`: there is no fixture. */
  readonly fixtureLacks: readonly string[] | undefined;
  /** What changed in the schema since the last release; `undefined` before the first. */
  readonly schema: SchemaChanges | undefined;
  /** The packages that are shipped, with their licences as SPDX expressions. */
  readonly components: readonly Component[];
}

export interface SchemaChanges {
  readonly since: string;
  /** Whether `schema.sql` is another one. */
  readonly isOther: boolean;
  readonly stepsAdded: readonly string[];
  /** Steps and fixtures that were released, and are now different or gone. */
  readonly stepsChanged: readonly string[];
  /** Whether the tables of the objects are others, without a step of theirs. */
  readonly isObjectStepMissing: boolean;
}

export interface Component {
  readonly name: string;
  readonly licence: string | undefined;
}

/** Licences that allow to ship a package with ours, without conditions on our own code. */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Zlib",
]);

/** Packages whose manifest names no SPDX licence, with what their LICENSE file says. */
const READ_BY_HAND: Readonly<Record<string, string>> = { duck: "BSD-2-Clause" };

/** Checks whether a tree can be tagged as a release. */
export function checkRelease(candidate: Candidate): readonly Finding[] {
  return [
    checkTree(candidate),
    checkVersions(candidate),
    checkChangelog(candidate),
    checkSchema(candidate),
    checkFixture(candidate),
    checkLicences(candidate),
  ];
}

function checkTree({ uncommitted }: Candidate): Finding {
  if (uncommitted.length === 0) return ok("Tree", "Everything is committed.");
  return failed("Tree", `Not committed: ${uncommitted.join(", ")}.`, "Commit or remove it.");
}

function checkVersions({ versions, apiVersion }: Candidate): Finding {
  const [version = "", ...others] = new Set(Object.values(versions));
  const listed = Object.entries(versions).map(([name, each]) => `${name} ${each}`);
  const remedy = "Set the same version in every package.json, and run npm install.";
  if (others.length > 0) return failed("Versions", `They differ: ${listed.join(", ")}.`, remedy);
  if (version.split(".")[0] !== apiVersion) {
    const text = `The release is ${version}, and the APIs are described as version ${apiVersion}.`;
    return failed("Versions", text, "Set the major version in scripts/describe/openapi.ts, and run npm run describe.");
  }
  return ok("Versions", `Everything is ${version}.`);
}

/** The newest section must be the release's, with its date, and something in it. */
function checkChangelog({ changelog, versions }: Candidate): Finding {
  const [version = ""] = Object.values(versions);
  const [, heading = "", text = ""] = /^## (.*)\n([^]*?)(?=^## |$(?![^]))/m.exec(changelog) ?? [];
  const [named = "", date = ""] = heading.split(" ");
  const isDated = named === version && /^\(\d{4}-\d\d-\d\d\)$/.test(date);
  if (isDated && text.trim() !== "") return ok("Changelog", `It describes ${heading}.`);
  const remedy = `Give what changed the heading "## ${version} (<year>-<month>-<day>)".`;
  return failed("Changelog", `Its newest section is "${heading}".`, remedy);
}

function checkSchema({ schema }: Candidate): Finding {
  if (schema === undefined) return ok("Schema", "There is no earlier release to upgrade from.");
  const { since, isOther, stepsAdded, stepsChanged, isObjectStepMissing } = schema;
  if (stepsChanged.length > 0) {
    const changed = `Steps or fixtures that were released differ from those of ${since}: ${stepsChanged.join(", ")}.`;
    return failed("Schema", changed, "Restore them: databases have run them. Write a new step instead.");
  }
  if (isOther && stepsAdded.length === 0) {
    const remedy = "Write a step in schema/, as its README says.";
    return failed("Schema", `schema.sql differs from ${since}'s, and no step leads to it.`, remedy);
  }
  if (isObjectStepMissing) {
    const text = `The tables of the objects differ from ${since}'s, and no step leads to them.`;
    return failed("Schema", text, "Write a step in src/documents/migrations.ts.");
  }
  return ok("Schema", stepsAdded.length === 0 ? `As in ${since}.` : `New since ${since}: ${stepsAdded.join(", ")}.`);
}

function checkFixture({ fixtureLacks, versions }: Candidate): Finding {
  const [version = ""] = Object.values(versions);
  const remedy = `Run: npm run release -- --fixture ${version}`;
  if (fixtureLacks === undefined) {
    return failed("Fixture", "Later versions have nothing of this one to test upgrades with.", remedy);
  }
  if (fixtureLacks.length === 0) return ok("Fixture", "It has the tables of this release.");
  return failed("Fixture", `It was made before these changed: ${fixtureLacks.join(", ")}.`, remedy);
}

function checkLicences({ components }: Candidate): Finding {
  const others = components.filter(({ name, licence = READ_BY_HAND[name.replace(/@[^@]*$/, "")] }) => {
    return !isAllowed(licence ?? "");
  });
  if (others.length === 0) return ok("Licences", `All ${components.length} packages may be shipped.`);
  const named = others.map(({ name, licence = "none" }) => `${name} (${licence})`);
  return failed(
    "Licences",
    `Not known to be compatible: ${named.join(", ")}.`,
    "Replace the packages, or add the licence.",
  );
}

/** Judges an SPDX expression: of alternatives one, of several licences all must be allowed. */
function isAllowed(expression: string): boolean {
  const alternatives = expression.replaceAll(/[()]/g, "").split(" OR ");
  return alternatives.some((all) => all.split(" AND ").every((licence) => LICENCES.has(licence)));
}
