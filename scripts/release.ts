/**
 * `npm run release`: checks whether this tree can be tagged, and writes what belongs to a release into `.artifacts/`: the bill of
 * materials (CycloneDX) and the list of licences. `npm run release -- --check` writes nothing. It doesn't run the tests.
 * `npm run release -- --fixture 1.0.0` writes what the release stores, for the tests of upgrades.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { linesOf } from "./admin/finding-lines.ts";
import { billOfMaterials, readCandidate } from "./release/candidate.ts";
import { checkRelease } from "./release/release-check.ts";

const [, fixture] = process.argv.join(" ").split(" --fixture ");
if (fixture !== undefined) {
  const script = "test/support/node/release/make-fixture.ts";
  process.exit(spawnSync(process.execPath, [script, fixture], { stdio: ["inherit", "ignore", "inherit"] }).status ?? 1);
}

const bill = billOfMaterials();
const candidate = readCandidate(bill);
const findings = checkRelease(candidate);
for (const line of findings.flatMap(linesOf)) console.log(line);
const failures = findings.filter(({ verdict }) => verdict === "failed").length;
if (failures > 0) {
  console.error(`${failures} of the checks failed: this tree is no release`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
  const [version = ""] = Object.values(candidate.versions);
  const licences = candidate.components.map(({ name, licence }) => `${name}\t${licence}`);
  mkdirSync(".artifacts", { recursive: true });
  writeFileSync(`.artifacts/gatehouse-${version}.cdx.json`, bill);
  writeFileSync(`.artifacts/gatehouse-${version}-licences.txt`, `${licences.join("\n")}\n`);
  console.log(`Written to .artifacts/. Now: git tag -s v${version}`);
}
