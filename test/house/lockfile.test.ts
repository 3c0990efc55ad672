import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockEntry>> };
const entries = Object.entries(packages).filter(([path]) => path !== "");

/** Checks whether a package runs on what CI and most servers use: x64 or arm64, Linux, glibc. */
function isOfUsualPlatform({ os = ["linux"], cpu = ["x64"], libc = ["glibc"] }: LockEntry): boolean {
  return os.includes("linux") && libc.includes("glibc") && cpu.some((name) => name === "x64" || name === "arm64");
}

/**
 * Checks whether a package is a development tool's binary for another platform. Some registries don't carry these, and then npm
 * writes the entry without a hash. No such binary is part of the Worker.
 */
function isForeignProgram(entry: LockEntry): boolean {
  return entry.dev === true && entry.optional === true && !isOfUsualPlatform(entry);
}

describe("package-lock.json", () => {
  it("has a hash for every package, except development tools' binaries for other platforms", () => {
    const bare = entries.filter(([, entry]) => entry.integrity === undefined && !isForeignProgram(entry));
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
