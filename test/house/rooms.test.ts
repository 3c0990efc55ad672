import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOMS_IN_ORDER } from "../../oxlint.config.ts";

interface Import {
  readonly from: string;
  readonly to: string;
}

interface RoomImport extends Import {
  readonly file: string;
  readonly target: string;
}

/** Returns the modules that a file imports, for values or types. */
function targetsIn(path: string): string[] {
  const imports = readFileSync(path, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g);
  return [...imports].map(([, target = ""]) => target);
}

/** Returns every import from one room into another, of a value or a type. Files outside the rooms may import all of them. */
function importsBetweenRooms(): RoomImport[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => /\/.*\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const from = roomOf(file);
    return targetsIn(`src/${file}`)
      .filter((target) => target.startsWith("#"))
      .map((target) => ({ file, target, from, to: roomOf(target.slice(1)) }))
      .filter(({ to }) => to !== from);
  });
}

/** Returns every import from one file of the project into another. */
function importsBetweenFiles(): Import[] {
  return globSync("{src,scripts,bench,test}/**/*.{ts,tsx}").flatMap((from) =>
    targetsIn(from)
      .filter((target) => /^[#.]/.test(target))
      .map((target) => ({ from, to: target.startsWith("#") ? `src/${target.slice(1)}` : join(dirname(from), target) })),
  );
}

function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

/** Returns the path of a circular import, or `undefined` if there is none. */
function circleIn(imports: readonly Import[]): string[] | undefined {
  const importsOf = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const walk = (place: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(place)) return [...path.slice(path.indexOf(place)), place];
    if (done.has(place)) return undefined;
    for (const { to } of importsOf.get(place) ?? []) {
      const circle = walk(to, [...path, place]);
      if (circle) return circle;
    }
    done.add(place);
    return undefined;
  };
  return imports.map(({ from }) => walk(from, [])).find((circle) => circle !== undefined);
}

const places = new Map(ROOMS_IN_ORDER.flatMap((line, at) => line.map((room) => [room, at] as const)));

/** Checks whether an import goes against the order. A room without a place comes after all others. */
function isUpward({ from, to }: RoomImport): boolean {
  return (places.get(from) ?? Infinity) < (places.get(to) ?? Infinity);
}

describe("the order of the rooms, types included", () => {
  const imports = importsBetweenRooms();
  const told = ({ file, target }: RoomImport) => `${file} imports ${target}`;

  it("gives every room a place", () => {
    const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map(({ name }) => name).filter((name) => !places.has(name))).toEqual([]);
    expect(imports.length).toBeGreaterThan(100);
  });

  it("is kept by every import", () => {
    expect(imports.filter(isUpward).map(told)).toEqual([]);
  });

  it("has no circular imports", () => {
    expect(circleIn(imports)).toBeUndefined();
  });
});

describe("the imports of files, types included", () => {
  const imports = importsBetweenFiles();

  it("are found in every folder", () => {
    for (const folder of ["src", "scripts", "bench", "test"]) {
      expect(imports.filter(({ to }) => to.startsWith(`${folder}/`)).length).toBeGreaterThan(20);
    }
  });

  it("are never circular", () => {
    expect(circleIn(imports)).toBeUndefined();
  });
});
