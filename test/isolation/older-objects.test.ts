import { beforeAll, beforeEach, expect, it } from "vitest";
import { StorageUnavailable } from "#platform/d1.ts";
import { servicesOf } from "#services.ts";
import { movedWithoutSign } from "../support/admin-calls.ts";
import { env } from "../support/isolate.ts";
import { stopCounting } from "../support/rate-limits.ts";
import { routes } from "../support/routes.ts";
import { send } from "../support/world.ts";
import { IDENTIFIERS, type Identifier } from "./identifiers.ts";
import { casesOf } from "./requests.ts";
import { makeSide, type Side } from "./sides.ts";

/** Calls that need the documents' object. Others may. */
const NEEDING = [
  "POST /rest/api/v1/search",
  "POST /rest/api/v1/getdocuments",
  "POST /rest/api/v1/chat",
  ...[
    "indexdocuments",
    "bulkindexdocuments",
    "bulkindexusers",
    "updatepermissions",
    "deletedocument",
    "indexgroup",
  ].map((call) => `POST /rest/api/index/${call}`),
];

/** The calls that objects lack; `all`: every one. */
let lacking: readonly string[] | "all" = [];
let side: Side;

beforeAll(async () => {
  const objects = env.DOCUMENTS;
  // An object of another class has none of the calls.
  const without = (name: string) => env.TEST_DATABASES.getByName(name);
  const getByName = (name: string) =>
    new Proxy(objects.getByName(name), {
      get: (object, call) =>
        Reflect.get(lacking === "all" || lacking.includes(String(call)) ? without(name) : object, call) as unknown,
    });
  Object.assign(env, { DOCUMENTS: { getByName } });
  side = await makeSide("acme");
});

beforeEach(() => {
  lacking = [];
});

/** Expects a request to be refused until the object has the release that it needs. */
async function answeredLater(response: Response): Promise<void> {
  await response.arrayBuffer();
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
}

it("answers every request with 503 and a time to try again if objects of another release lack its call, and none with 500", async () => {
  const tried: { readonly name: string; readonly ask: () => Promise<Response> }[] = [];
  for (const route of routes()) {
    const name = `${route.method} ${route.path}`;
    // The others differ only in the identifier, which each takes before it calls the object.
    for (const one of casesOf(route).slice(-1)) {
      const { make }: Identifier = IDENTIFIERS[one.kind];
      const values = await make(side);
      tried.push({ name, ask: () => one.ask(side, values) });
    }
    if (route.method !== "GET" || route.path.includes(":")) continue;
    const url = side.origin + route.path;
    if (route.path.startsWith("/admin")) tried.push({ name, ask: () => side.administrator.get(route.path) });
    if (route.path.includes("/api/admin/")) {
      tried.push({ name, ask: () => send(url, { headers: { Authorization: `Bearer ${side.admin}` } }) });
    }
  }
  lacking = "all";
  const unavailable = new Set<string>();
  for (const { name, ask } of tried) {
    stopCounting("RATE_LIMIT_300");
    await side.administrator.csrfToken();
    const response = await ask();
    if (response.status < 500) {
      await response.arrayBuffer();
      continue;
    }
    unavailable.add(name);
    await answeredLater(response);
  }
  expect(NEEDING.filter((name) => !unavailable.has(name))).toEqual([]);
});

it.each(["transferState", "tally"])("refuses to decide about a move for now if an object lacks %s", async (call) => {
  lacking = [call];
  const { documents } = servicesOf(env).administrationOf(side.instance, "test");
  await expect(documents.move("shards:2")).rejects.toThrow(StorageUnavailable);
});

it.each(["transferState", "hold"])("refuses to restore the placement for now if an object lacks %s", async (call) => {
  await movedWithoutSign(side.instance);
  lacking = [call];
  const { documents } = servicesOf(env).administrationOf(side.instance, "test");
  await expect(documents.restorePlacement()).rejects.toThrow(StorageUnavailable);
});
