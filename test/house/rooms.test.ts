import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ROOMS_IN_ORDER } from "../../oxlint.config.ts";

interface Import {
  readonly file: string;
  readonly target: string;
  readonly from: string;
  readonly to: string;
}

/** Every import from one room into another, of a value or a type. The files beside the rooms compose them, and may import all. */
function importsBetweenRooms(): Import[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => /\/.*\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const from = roomOf(file);
    const targets = readFileSync(`src/${file}`, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"#([^"]+)"/g);
    return [...targets]
      .map(([, target = ""]) => ({ file, target, from, to: roomOf(target) }))
      .filter(({ to }) => to !== from);
  });
}

function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

/** A circle of rooms, as one walks it; `undefined` where there is none. */
function circleIn(imports: readonly Import[]): string[] | undefined {
  const done = new Set<string>();
  const walk = (room: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(room)) return [...path.slice(path.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const { to } of imports.filter(({ from }) => from === room)) {
      const circle = walk(to, [...path, room]);
      if (circle) return circle;
    }
    done.add(room);
    return undefined;
  };
  return imports.map(({ from }) => walk(from, [])).find((circle) => circle !== undefined);
}

const places = new Map(ROOMS_IN_ORDER.flatMap((line, at) => line.map((room) => [room, at] as const)));

/** Whether an import goes against the order; what has no place stands behind everything. */
function isUpward({ from, to }: Import): boolean {
  return (places.get(from) ?? Infinity) < (places.get(to) ?? Infinity);
}

describe("the order of the rooms, types included", () => {
  const imports = importsBetweenRooms();
  const told = ({ file, target }: Import) => `${file} imports ${target}`;

  it("gives every room a place", () => {
    const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map(({ name }) => name).filter((name) => !places.has(name))).toEqual([]);
    expect(imports.length).toBeGreaterThan(100);
  });

  it("is followed by every import", () => {
    expect(imports.filter(isUpward).map(told)).toEqual([]);
  });

  it("has no circle", () => {
    expect(circleIn(imports)).toBeUndefined();
  });
});
