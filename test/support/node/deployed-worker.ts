import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Bindings } from "#platform/bindings.ts";
import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { servicesOf } from "#services.ts";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { requestWorker } from "../../../scripts/admin/worker-request.ts";
import { BatchedDatabase, type StatementResult } from "../batched-database.ts";
import { bindable, type TestAdmin } from "./admin-database.ts";
import type { BundledWorker } from "./bundled-worker.ts";

/** A running Worker, and the context of commands on its database. */
export interface DeployedWorker {
  readonly baseUrl: string;
  readonly admin: TestAdmin;
}

const HOST = "127.0.0.1";

/**
 * Runs statements in one batch, and responds with D1's result or the reason why D1 refused them. With Miniflare's own relay of D1,
 * each prepared statement and each value is a request that blocks the process.
 */
const RELAY = `export default {
  async fetch(request, env) {
    const { database, statements } = await request.json();
    const prepared = statements.map(({ text, values }) => env[database].prepare(text).bind(...values));
    return Response.json(await env[database].batch(prepared).catch(({ message }) => ({ message })));
  },
};`;

/** New, empty deployments, by name: Workers in one workerd, without `wrangler dev`. */
export interface Deployments<Name extends string> {
  readonly of: Readonly<Record<Name, DeployedWorker>>;
  stop(): Promise<void>;
}

/**
 * Starts a Worker for each name, with its own database and documents. All have the same master keys.
 *
 * @param folder where to keep the databases and documents; absent: nowhere
 * @param port of the first Worker, which then serves the static files too; absent: any, without these
 * @param log the file for lines that they log; absent: the terminal
 */
export async function deployWorkers<Name extends string>(
  worker: BundledWorker,
  masterKeys: string,
  names: readonly Name[],
  { folder, port, log }: { readonly folder?: string; readonly port?: number; readonly log?: string } = {},
): Promise<Deployments<Name>> {
  const variables = {
    SERVICE_NAME: "Gatehouse",
    INSTANCE_HOST: "{instance}-be.example.com",
    LOCAL_DEVELOPMENT: "true",
    MASTER_KEYS: masterKeys,
  };
  const simple = { limit: 1e9, period: 60 } as const;
  const relay = { name: "relay", modules: true as const, script: RELAY, d1Databases: [...names] };
  const files =
    port === undefined
      ? { serviceBindings: { ASSETS: { disk: { path: "public" } } } }
      : { assets: { directory: resolve("public"), binding: "ASSETS", routerConfig: { has_user_worker: true } } };
  const workers = names.map((name, at) => ({
    name,
    modules: true as const,
    ...worker,
    bindings: variables,
    d1Databases: { DB: name },
    kvNamespaces: { CACHE: name },
    ...files,
    durableObjects: { DOCUMENTS: { className: "DocumentsObject", useSQLite: true } },
    ratelimits: Object.fromEntries(
      RATE_LIMIT_BINDINGS.map((binding) => [binding, { namespace_id: `${name} ${binding}`, simple }]),
    ),
    unsafeDirectSockets: [{ host: HOST, port: at === 0 ? (port ?? 0) : 0 }],
  }));
  // The first Worker responds at http://relay.
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      cf: false,
      workers: [relay, ...workers],
      ...(folder === undefined ? {} : { resourcePersistencePath: folder }),
      ...(log === undefined ? {} : { handleStructuredLogs: ({ message }) => appendFileSync(log, `${message}\n`) }),
    }),
  );
  await runtime.ready;
  const deployed = names.map(async (name) => {
    const direct = await runtime.unsafeGetDirectURL(name);
    const partly: Partial<Bindings> = { DB: relayedDatabase(runtime, name) as unknown as D1Database, ...variables };
    const bindings = partly as Bindings;
    const openDatabase = () =>
      Promise.resolve({ bindings, services: servicesOf(bindings), folder: undefined, close: () => Promise.resolve() });
    const address = `http://{instance}.localhost:${direct.port}`;
    const admin: TestAdmin = {
      bindings,
      print: () => undefined,
      complain: () => undefined,
      placeOf: () => ({ address, masterKeys, openDatabase }),
      send: requestWorker,
    };
    return [name, { baseUrl: `http://localhost:${direct.port}`, admin }] as const;
  });
  const of = Object.fromEntries(await Promise.all(deployed)) as Record<Name, DeployedWorker>;
  return { of, stop: () => runtime.dispose() };
}

/** Returns a database of a runtime in which {@link RELAY} responds at http://relay. */
function relayedDatabase(inRuntime: Miniflare, database: string): BatchedDatabase {
  return new BatchedDatabase(async (statements) => {
    const body = JSON.stringify({ database, statements });
    const response = await inRuntime.dispatchFetch("http://relay", { method: "POST", body });
    const answer = (await response.json()) as StatementResult[] | { readonly message: string };
    if (Array.isArray(answer)) return answer;
    throw new Error(answer.message);
  }, bindable);
}
