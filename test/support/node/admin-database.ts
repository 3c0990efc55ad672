import { randomBytes } from "node:crypto";
import type { Bindings } from "#platform/bindings.ts";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { memoryCounters } from "../memory-bindings.ts";
import { BatchedDatabase, type StatementResult } from "../batched-database.ts";
import type { AdminContext } from "../../../scripts/admin/context.ts";
import { servicesOf } from "#services.ts";
import { workerInProcess } from "./worker-in-process.ts";

/** Enough for the test files of one process. */
const PLACES = Array.from({ length: 40 }, (_none, index) => ({ database: `DB${index}`, cache: `CACHE${index}` }));

/**
 * Runs statements in one batch, and responds with D1's result or the reason why D1 refused them. See {@link relayedDatabase}.
 */
export const RELAY = `export default {
  async fetch(request, env) {
    const { database, statements } = await request.json();
    const prepared = statements.map(({ text, values }) => env[database].prepare(text).bind(...values));
    return Response.json(await env[database].batch(prepared).catch(({ message }) => ({ message })));
  },
};`;

const notHere = () => {
  throw new Error("there are no documents and no assets here");
};

/** Bindings that the Worker requires, and that commands in these tests don't reach. */
const UNUSED: Pick<Bindings, "ASSETS" | "DOCUMENTS"> = {
  ASSETS: { fetch: notHere },
  DOCUMENTS: { getByName: notHere } as unknown as DurableObjectNamespace,
};

let runtime: Miniflare | undefined;
let taken = 0;

/**
 * Opens an empty D1 database for the caller alone. All databases of a process are in one runtime, and a batch is one request to
 * it. With Miniflare's own relay of D1, each prepared statement and each value is a request that blocks the process.
 */
export function openD1(): D1Database {
  return open().database;
}

/** The context that admin commands get in tests. */
export interface TestAdmin extends AdminContext {
  readonly bindings: Bindings;
}

export const newMasterKeys = () => `test:${randomBytes(32).toString("base64url")}`;

/** Opens a database for the caller alone, with its own secrets, and its Worker in this process. */
export async function openAdmin(masterKeys = newMasterKeys()): Promise<TestAdmin> {
  const { database, cache } = open();
  const partly: Partial<Bindings> = {
    DB: database,
    CACHE: (await cache()) as unknown as KVNamespace,
    ...memoryCounters(),
    ...UNUSED,
    SERVICE_NAME: "Gatehouse",
    INSTANCE_HOST: "{instance}-be.example.com",
    LOCAL_DEVELOPMENT: "true",
    MASTER_KEYS: masterKeys,
  };
  const bindings = partly as Bindings;
  const openDatabase = () =>
    Promise.resolve({ bindings, services: servicesOf(bindings), folder: undefined, close: () => Promise.resolve() });
  return {
    bindings,
    print: () => undefined,
    complain: () => undefined,
    placeOf: () => ({ address: "http://{instance}.localhost", masterKeys, openDatabase }),
    send: workerInProcess(bindings),
  };
}

function open() {
  runtime ??= new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: RELAY,
      d1Databases: PLACES.map(({ database }) => database),
      kvNamespaces: PLACES.map(({ cache }) => cache),
      cf: false,
    }),
  );
  const place = PLACES[taken++];
  if (!place) throw new Error("more databases than places");
  const here = runtime;
  return {
    database: relayedDatabase(here, place.database) as unknown as D1Database,
    cache: () => here.getKVNamespace(place.cache),
  };
}

/** Returns a database of a runtime in which {@link RELAY} responds at http://relay. */
export function relayedDatabase(inRuntime: Miniflare, database: string): BatchedDatabase {
  return new BatchedDatabase(async (statements) => {
    const body = JSON.stringify({ database, statements });
    const response = await inRuntime.dispatchFetch("http://relay", { method: "POST", body });
    const answer = (await response.json()) as StatementResult[] | { readonly message: string };
    if (Array.isArray(answer)) return answer;
    throw new Error(answer.message);
  }, bindable);
}

/** @throws {TypeError} for a value that D1 refuses, or that JSON would change, usually into NULL */
function bindable(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
  throw new TypeError(`this database takes no ${typeof value}: D1 refuses it, or this relay cannot carry it`);
}
