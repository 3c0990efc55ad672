import { INDEXING_BASES } from "#indexing-api/bases.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { servicesOf } from "#services.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";
import { routes } from "../support/routes.ts";
import { countedDatabase, noCost } from "../support/counted-database.ts";
import { fillTables } from "../support/full-tables.ts";
import { stopCounting } from "../support/rate-limits.ts";
import { boundOf, EARLIER_REFUSALS, statedAnswer, statedCost } from "../support/stated-limits.ts";
import { removeIssuers } from "../support/test-issuer.ts";
import { IDENTIFIERS, type Identifier, type Kind } from "./identifiers.ts";
import { type Case, casesOf, strayEntries } from "./requests.ts";
import { dumpOf, makeSide, restore, type Side, tablesOfDatabase, WITHOUT_INSTANCE_ID } from "./sides.ts";

/** Paths whose parameter is a name of the protocol, the same for every instance. */
const OF_THE_PROTOCOL = /^\/scim\/v2\/(ResourceTypes|Schemas)\/:id$/;

/** Tables whose rows no request names, such as counts, or tables that are read as a whole. */
const NAMED_BY_NOBODY = [
  "alerts",
  "app_approvals",
  "app_requests",
  "audit_deliveries",
  "document_moves",
  "failures",
  "glossaries",
  "people_counts",
  "policy_changes",
  "unfound_words",
  "usage_counts",
];

let acme: Side;
let other: Side;

/** Row counts of the instance's tables that can grow long. */
let rows: ReadonlyMap<string, number>;

/** Cost of the current request. */
let cost = noCost();

beforeAll(async () => {
  const database = env.DB;
  const counted = countedDatabase(
    () => database,
    () => cost,
  );
  Object.assign(env, { DB: counted });
  acme = await makeSide("acme");
  other = await makeSide("other");
  rows = await fillTables(acme.instance.id, (await makeInstance("crowded")).id);
  // Refreshes the snapshots, so that no later request has to read what has changed so far.
  const { policySnapshots } = servicesOf(env);
  for (const { instance } of [acme, other]) {
    policySnapshots.expire(instance.name);
    await policySnapshots.of(instance.name, () => undefined);
  }
});

// One person sends all forms within a minute, which is more than the rate limit allows. A 429 would hide every other response.
beforeEach(() => {
  stopCounting("RATE_LIMIT_300");
});

/** Sends a request, checks its cost, and returns the response without the values sent and the parts that always change. */
async function answerOf(route: string, one: Case, values: readonly string[]): Promise<unknown> {
  await acme.administrator.csrfToken();
  cost = noCost();
  const response = await one.ask(acme, values);
  const { statements, rowsRead, rowsWritten } = cost;
  const stated = statedCost(route);
  const earlier = response.status < 400 ? { statements: 0, rowsRead: 0, rowsWritten: 0 } : EARLIER_REFUSALS;
  expect(statements - earlier.statements, `statements of ${route} (test/support/route-limits.md)`).toBeLessThanOrEqual(
    stated.statements,
  );
  expect(rowsRead - earlier.rowsRead, `rows read by ${route}`).toBeLessThanOrEqual(boundOf(stated.rowsRead, rows));
  expect(rowsWritten - earlier.rowsWritten, `rows written by ${route}`).toBeLessThanOrEqual(
    boundOf(stated.rowsWritten, rows),
  );
  const body = await response.arrayBuffer();
  expect(body.byteLength, `bytes of the answer of ${route}`).toBeLessThanOrEqual(boundOf(statedAnswer(route), rows));
  const headers = [...response.headers].filter(([name]) => !/^(x-request-id|date|content-length)$/.test(name));
  return plain({ status: response.status, headers, body: new TextDecoder().decode(body) }, values);
}

function plain(answer: unknown, values: readonly string[]): string {
  // Replaced before the values, because a short value can occur in a random id.
  let text = JSON.stringify(answer).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<request>");
  for (const value of values.filter((each) => each !== "")) {
    for (const spelt of [value, encodeURIComponent(value), new URLSearchParams({ v: value }).toString().slice(2)]) {
      text = text.replaceAll(spelt, "<value>");
    }
  }
  return (
    text
      .replaceAll(/http:\/\/(other|nowhere)\.localhost/g, "<host>")
      .replaceAll(/[A-Za-z0-9_-]{40,}/g, "<secret>")
      .replaceAll(/(name=\\"form_id\\" value=\\")[^\\]+/g, "$1<form>")
      // Also the times of two tokens on one page, one of which was made a second later.
      .replaceAll(/((?:TimeMillis|createdAt|changedAt|(?:iat|exp)&quot;)\W+)\d+/g, "$1<time>")
  );
}

/** Routes per test. They share two dumps of the instance, because a dump takes longer than a request. */
const TOGETHER = 8;

function together<Route extends { readonly name: string }>(each: readonly Route[]) {
  return Array.from({ length: Math.ceil(each.length / TOGETHER) }, (_, at) => {
    const some = each.slice(at * TOGETHER, (at + 1) * TOGETHER);
    return { names: some.map(({ name }) => name).join(", "), routes: some };
  });
}

const all = routes().map((route) => ({ name: `${route.method} ${route.path}`, cases: casesOf(route) }));

describe("a request with an identifier of another instance", () => {
  it("is tested for every route, every path parameter and every table", async () => {
    expect(strayEntries(routes())).toEqual([]);
    const named = routes().filter(
      ({ path }) => path.includes(":") && !path.startsWith(INDEXING_BASES[1]) && !OF_THE_PROTOCOL.test(path),
    );
    const unplaced = named.filter((route) => casesOf(route).every(({ kind }) => isCredential(kind)));
    expect(unplaced).toEqual([]);
    const used = new Set(all.flatMap(({ cases }) => cases.map(({ kind }) => kind)));
    expect(Object.keys(IDENTIFIERS).filter((kind) => !used.has(kind as Kind))).toEqual([]);
    const reached = new Set(Object.values(IDENTIFIERS as Record<string, Identifier>).flatMap(({ tables }) => tables));
    const tables = await tablesOfDatabase();
    expect(tables.filter(({ name, isByInstance }) => !isByInstance && !(name in WITHOUT_INSTANCE_ID))).toEqual([]);
    const ofInstances = tables.filter(({ isByInstance }) => isByInstance).map(({ name }) => name);
    expect(ofInstances.filter((name) => !reached.has(name)).sort()).toEqual(NAMED_BY_NOBODY);
  });

  it.each(together(all.filter(({ cases }) => cases.length > 0)))(
    "gets the same response as an identifier that never existed, changes nothing there, and stays in its limits: $names",
    async ({ routes: asked }) => {
      const tried = [];
      for (const { name, cases } of asked) {
        const values = [];
        for (const one of cases) {
          const { make, invent }: Identifier = IDENTIFIERS[one.kind];
          const foreign = await make(other);
          values.push({ one, foreign, invented: await invent(foreign) });
        }
        tried.push({ name, values });
      }
      const before = await dumpOf(other.instance);
      for (const { name, values } of tried) {
        const answers = [];
        for (const { one, foreign } of values)
          answers.push({ name, kind: one.kind, answer: await answerOf(name, one, foreign) });
        const unknown = [];
        for (const { one, invented } of values)
          unknown.push({ name, kind: one.kind, answer: await answerOf(name, one, invented) });
        expect(answers).toEqual(unknown);
        // The instance's own identifier must get another response, or the comparison above would prove nothing.
        for (const [at, { one }] of values.entries()) {
          const own = await answerOf(name, one, await IDENTIFIERS[one.kind].make(acme));
          if (one.alike === undefined) expect({ name, kind: one.kind, answer: own }).not.toEqual(unknown[at]);
          await restore(acme);
        }
      }
      expect(await dumpOf(other.instance)).toEqual(before);
      await removeIssuers(other.instance);
    },
  );
});

function isCredential(kind: Kind): boolean {
  return ["session", "CSRF token", "documents token", "metadata token"].includes(kind);
}
