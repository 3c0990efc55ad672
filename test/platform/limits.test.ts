import { SCHEMA } from "#documents/schema.sql.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { routes } from "../support/routes.ts";
import { isFor, rowsByRoute, STATED_LIMITS, statedAnswer, statedCost } from "../support/stated-limits.ts";

/** Source files, each read only when needed, because few have a constant that the page states. */
const SOURCES = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default" });

/** Returns the value of a constant that is a number or a product of numbers. */
async function constant(reference: string): Promise<number> {
  const [path = "", name = ""] = reference.split("#");
  const definition = new RegExp(`^(?:(?:export )?const ${name} = |  ${name}: )([\\d_* ]+)[;,]`, "m");
  const [, value = ""] = definition.exec((await SOURCES[`../../src/${path}`]?.()) ?? "") ?? [];
  return value === ""
    ? NaN
    : value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

/** Matches a number that names its constant: `1000 (room/file.ts#NAME)`. */
const STATED = /(\d[\d,]*)[^|(\n]*? \(`([\w./-]+#\w+)`\)/g;

describe("the stated limits", () => {
  it("states each constant with its value in the code", async () => {
    const stated = [...STATED_LIMITS.matchAll(STATED)].map(([, value = "", reference = ""]) => [
      reference,
      Number(value.replaceAll(",", "")),
    ]);
    expect(stated.length).toBeGreaterThan(20);
    const actual = stated.map(async ([reference]) => [reference, await constant(String(reference))]);
    expect(stated).toEqual(await Promise.all(actual));
  });

  it("states a cost and a maximum response size for each route, and names no others", () => {
    const all = routes().map(({ method, path }) => `${method} ${path}`);
    for (const route of all) {
      expect([route, statedCost(route).statements, statedAnswer(route).constant]).toEqual([
        route,
        expect.toSatisfy((statements: number) => statements > 0),
        expect.toSatisfy((bytes: number) => bytes > 0),
      ]);
    }
    const rows = [...rowsByRoute("Costs"), ...rowsByRoute("Responses")].map(([row = ""]) => row);
    expect(rows.filter((row) => !all.some((route) => isFor(row, route)))).toEqual([]);
  });

  it("has a complete row for every table, with an existing room", () => {
    const made = (statements: readonly string[]) =>
      statements.flatMap((statement) => /CREATE (?:VIRTUAL )?TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? []);
    const rows = [
      ...rowsByRoute("Tables of the database"),
      ...rowsByRoute("Tables of an instance's documents").map(([name, ...cells]) => [name, "documents", ...cells]),
    ];
    expect(new Set(rows.map(([name]) => name))).toEqual(new Set([...made(env.SCHEMA), ...made(SCHEMA)]));
    expect(rows).toHaveLength(made(env.SCHEMA).length + made(SCHEMA).length);
    for (const [name, room, ...cells] of rows) {
      const isRoom = room === "scripts" || Object.keys(SOURCES).some((path) => path.startsWith(`../../src/${room}/`));
      expect({ name, isRoom, empty: cells.filter((cell) => cell === "") }).toEqual({ name, isRoom: true, empty: [] });
    }
  });
});
