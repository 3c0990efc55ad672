import { SCHEMA } from "#documents/schema.sql.ts";
import { RATE_LIMITS } from "#platform/rate-limits.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { routes } from "../support/routes.ts";
import { isFor, rowsFor, statedAnswer, statedLimits } from "../support/stated-limits.ts";
import page from "../../docs/limits.md?raw";

/** Read when they are asked for: few of them have a constant that is stated. */
const SOURCES = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default" });

/** The value of a constant that is a number or a product of numbers. */
async function constant(reference: string): Promise<number> {
  const [path = "", name = ""] = reference.split("#");
  const definition = new RegExp(`^(?:(?:export )?const ${name} = |  ${name}: )([\\d_* ]+)[;,]`, "m");
  const [, value = ""] = definition.exec((await SOURCES[`../../src/${path}`]?.()) ?? "") ?? [];
  return value === ""
    ? NaN
    : value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

/** Every number of a page that names its constant: `1000 (room/file.ts#NAME)`. */
const STATED = /(\d[\d,]*)[^|(\n]*? \(`([\w./-]+#\w+)`\)/g;

describe("docs/limits.md", () => {
  it("states each constant as the code has it", async () => {
    const stated = [...page.matchAll(STATED)].map(([, value = "", reference = ""]) => [
      reference,
      Number(value.replaceAll(",", "")),
    ]);
    expect(stated.length).toBeGreaterThan(20);
    const actual = stated.map(async ([reference]) => [reference, await constant(String(reference))]);
    expect(stated).toEqual(await Promise.all(actual));
  });

  it("has a row for every route, and none for another", () => {
    const rows = statedLimits("Endpoints").map(([route = ""]) => route);
    const all = routes().map(({ method, path }) => `${method} ${path}`);
    expect(all.filter((route) => rowsFor(route).length !== 1)).toEqual([]);
    expect(rows.filter((row) => !all.some((route) => isFor(row, route)))).toEqual([]);
  });

  it("states how many bytes each route answers at most", () => {
    expect(routes().map(({ method, path }) => statedAnswer(`${method} ${path}`).constant)).not.toContain(0);
  });

  it("states how much of a body each route that has one reads, and by which limit it is counted", () => {
    const works = new Set<string>(RATE_LIMITS.map(({ work }) => work));
    for (const [route = "", body = "", , rate = "", statements = ""] of statedLimits("Endpoints")) {
      const isStated = /^`(POST|PUT|PATCH)/.test(route) ? /#\w+`\)$|^not read$/.test(body) : body === "none";
      expect({ route, isStated, statements }).toEqual({
        route,
        isStated: true,
        statements: expect.stringMatching(/^\d+$/),
      });
      expect({ route, known: rate.split(", ").every((work) => works.has(work) || work === "none") }).toEqual({
        route,
        known: true,
      });
    }
  });

  it("has a row for every table, with its room, its bound and its sweep", () => {
    const made = (statements: readonly string[]) =>
      statements.flatMap((statement) => /CREATE (?:VIRTUAL )?TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? []);
    const rows = [...statedLimits("Tables of the database"), ...statedLimits("Tables of an instance's documents")];
    expect(new Set(rows.map(([name]) => name))).toEqual(new Set([...made(env.SCHEMA), ...made(SCHEMA)]));
    expect(rows).toHaveLength(made(env.SCHEMA).length + made(SCHEMA).length);
    for (const [name, room, ...cells] of rows) {
      const isRoom = room === "scripts" || Object.keys(SOURCES).some((path) => path.startsWith(`../../src/${room}/`));
      expect({ name, isRoom, empty: cells.filter((cell) => cell === "") }).toEqual({ name, isRoom: true, empty: [] });
    }
  });
});
