import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockEntry>> };
// The packages in this repository, and the links to them, come with it.
const entries = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);

describe("package-lock.json", () => {
  it("links only packages that are in this repository", () => {
    const links = Object.values(packages).filter(({ link }) => link === true);
    expect(links.map(({ resolved }) => resolved).toSorted((one = "", other = "") => (one < other ? -1 : 1))).toEqual([
      "clients/push",
      "clients/typescript",
    ]);
  });

  it("has a hash for every package, of every platform", () => {
    const bare = entries.filter(([, entry]) => entry.integrity === undefined);
    expect(bare.map(([path]) => path)).toEqual([]);
    expect(entries.length).toBeGreaterThan(100);
  });

  it("has no hash weaker than SHA-512", () => {
    const hashes = entries.flatMap(([path, { integrity }]) => (integrity === undefined ? [] : [[path, integrity]]));
    expect(hashes.filter(([, hash]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(hash ?? ""))).toEqual([]);
  });

  it("names no registry", () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(text).not.toMatch(/registry|\.tgz/);
  });

  it("has one wrangler, one Miniflare and one workerd, those of the test runner", () => {
    for (const name of ["wrangler", "miniflare", "workerd"]) {
      const installed = entries.filter(([path]) => path.endsWith(`node_modules/${name}`)).map(([path]) => path);
      expect(installed).toEqual([`node_modules/${name}`]);
    }
  });
});
