import { randomBytes } from "node:crypto";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Bindings } from "#platform/bindings.ts";
import { memoryCache, memoryCounters } from "../memory-bindings.ts";
import { BatchedDatabase, type BoundStatement } from "../batched-database.ts";
import type { AdminContext } from "../../../scripts/admin/context.ts";
import { servicesOf } from "#services.ts";
import { workerInProcess } from "./worker-in-process.ts";

const notHere = () => {
  throw new Error("there are no documents and no assets here");
};

/** Bindings that the Worker requires, and that commands in these tests don't reach. */
const UNUSED: Pick<Bindings, "ASSETS" | "DOCUMENTS"> = {
  ASSETS: { fetch: notHere },
  DOCUMENTS: { getByName: notHere } as unknown as DurableObjectNamespace,
};

/** D1's limits of a statement, beyond which it refuses one. */
const PARAMETERS_MAX = 100;
const STATEMENT_BYTES_MAX = 100_000;

/**
 * Opens an empty database for the caller alone: Node's SQLite, in memory. Miniflare's D1 costs three times as much. The upgrade of
 * a released instance backs up and restores one in D1.
 */
export function openD1(): D1Database {
  const sqlite = new DatabaseSync(":memory:");
  const run = ({ text, values }: BoundStatement) => {
    if (values.length > PARAMETERS_MAX || Buffer.byteLength(text) > STATEMENT_BYTES_MAX) {
      throw new Error("D1_ERROR: the statement is too long, or has too many parameters");
    }
    const changesBefore = totalChanges(sqlite);
    const statement = sqlite.prepare(text);
    let rows: Record<string, unknown>[] = [];
    // One text can have several statements if they take no values.
    if (values.length === 0 && statement.columns().length === 0) sqlite.exec(text);
    else rows = statement.all(...(values as SQLInputValue[]));
    return { results: rows.map(withoutBlobs), meta: { changes: totalChanges(sqlite) - changesBefore } };
  };
  const batch = (statements: readonly BoundStatement[]) => {
    sqlite.exec("BEGIN");
    try {
      const results = statements.map(run);
      sqlite.exec("COMMIT");
      return results;
    } catch (error) {
      sqlite.exec("ROLLBACK");
      throw error;
    }
  };
  return new BatchedDatabase(async (statements) => batch(statements), bindable) as unknown as D1Database;
}

function totalChanges(sqlite: DatabaseSync): number {
  return Number(sqlite.prepare("SELECT total_changes() AS n").get()?.["n"]);
}

/** D1 returns the bytes of a blob as an array. */
function withoutBlobs(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row);
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value]));
}

/** The context that admin commands get in tests. */
export interface TestAdmin extends AdminContext {
  readonly bindings: Bindings;
}

export const newMasterKeys = () => `test:${randomBytes(32).toString("base64url")}`;

/** Opens a database for the caller alone, with its own secrets, and its Worker in this process. */
export function openAdmin(masterKeys = newMasterKeys()): TestAdmin {
  const partly: Partial<Bindings> = {
    DB: openD1(),
    CACHE: memoryCache(),
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

/** @throws {TypeError} for a value that D1 refuses, or that the tests' databases would store as something else */
export function bindable(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  if (value === null || typeof value === "string" || Number.isFinite(value)) return value;
  throw new TypeError(`this database takes no ${typeof value}`);
}
