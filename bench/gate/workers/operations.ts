import type { Bindings } from "#platform/bindings.ts";
import type { Operations } from "../messages.ts";

/** What this isolate has done so far. */
export const operations: Operations = {
  renewals: 0,
  storage: 0,
  fetches: 0,
  verifications: 0,
  objectCalls: 0,
  rowsRead: 0,
  rowsWritten: 0,
  shadowRows: 0,
  alarms: 0,
  alarmsSet: 0,
  lines: 0,
};

/**
 * Matches the statements that renew the policy snapshot: the first one of a whole snapshot's batch, and the query for changes
 * since the last.
 */
const RENEWS = /\bFROM instances WHERE name = \?1$|\bFROM policy_changes\b[^]* LIMIT \d+$/;

const ACTS = new Set(["first", "all", "run", "raw", "exec", "get", "put", "list", "delete", "getWithMetadata"]);

const genuine = new WeakMap<object, D1PreparedStatement>();
const renewing = new WeakSet<object>();

/** Returns bindings whose calls of D1 and KV are counted. */
export function countedBindings(bindings: Bindings): Bindings {
  return { ...bindings, DB: countedDatabase(bindings.DB), CACHE: counted(bindings.CACHE) };
}

/** Counts the calls of every object's methods. */
export function countedObjects(objects: Bindings["DOCUMENTS"]): Bindings["DOCUMENTS"] {
  const countedObject = (object: object) =>
    intercepted(object, (_name, call) => {
      operations.objectCalls += 1;
      return call();
    });
  return intercepted(objects, (name, call) => {
    const given = call();
    return name === "get" || name === "getByName" ? countedObject(given as object) : given;
  });
}

/**
 * Counts the rows that an object's statements read and write, and how often it sets its alarm. Rows are known when a result is read
 * to its end. FTS5 changes its own tables during any statement or at the end of a transaction: that is what SQLite changed in total,
 * without what the statements changed themselves.
 */
export function countStorage(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const changed = () => exec<{ total: number; own: number }>("SELECT total_changes() AS total, changes() AS own").one();
  let seen = changed().total;
  const execCounted: typeof sql.exec = (query, ...values) => {
    const cursor = exec(query, ...values);
    const toArray = cursor.toArray.bind(cursor);
    cursor.toArray = () => {
      const rows = toArray();
      operations.rowsRead += cursor.rowsRead;
      operations.rowsWritten += cursor.rowsWritten;
      if (/^\s*(?:INSERT|UPDATE|DELETE)/i.test(query)) {
        const { total, own } = changed();
        operations.shadowRows += total - seen - own;
        seen = total;
      }
      return rows;
    };
    return cursor as never;
  };
  Object.defineProperty(sql, "exec", { value: execCounted });
  const setAlarm = storage.setAlarm.bind(storage);
  const setAlarmCounted: typeof storage.setAlarm = (at, options) => {
    operations.alarmsSet += 1;
    return setAlarm(at, options);
  };
  Object.defineProperty(storage, "setAlarm", { value: setAlarmCounted });
}

/** Counts the lines that this isolate logs from now on, and prints none. */
export function countLines(): void {
  for (const level of ["info", "warn", "error"] as const) console[level] = () => void (operations.lines += 1);
}

/** Counts fetches and verified signatures of this isolate from now on. */
export function countGlobals(): void {
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    operations.fetches += 1;
    return realFetch(input, init);
  };
  const subtle = crypto.subtle;
  const verify = subtle.verify.bind(subtle);
  const verifyCounted: typeof subtle.verify = (...parameters) => {
    operations.verifications += 1;
    return verify(...parameters);
  };
  Object.defineProperty(subtle, "verify", { value: verifyCounted });
}

function countedDatabase(database: D1Database): D1Database {
  const batch = <Row>(statements: D1PreparedStatement[]) => {
    const [opening] = statements;
    if (opening && renewing.has(opening)) operations.renewals += 1;
    else operations.storage += 1;
    return database.batch<Row>(statements.map((statement) => genuine.get(statement) ?? statement));
  };
  const prepare = (sql: string) => countedStatement(database.prepare(sql), RENEWS.test(sql));
  const countedOne: Pick<D1Database, "prepare" | "batch"> = { prepare, batch };
  return countedOne as D1Database;
}

function countedStatement(statement: D1PreparedStatement, renews: boolean): D1PreparedStatement {
  // Whoever has replaced `bind` of a counted statement by their own returns one that is counted already.
  if (genuine.has(statement)) return statement;
  const wrapped = intercepted(statement, (name, call) => {
    if (name === "bind") return countedStatement(call() as D1PreparedStatement, renews);
    return countedAct(name, call, renews ? "renewals" : "storage");
  });
  genuine.set(wrapped, statement);
  if (renews) renewing.add(wrapped);
  return wrapped;
}

function counted<Store extends object>(store: Store): Store {
  return intercepted(store, (name, call) => countedAct(name, call, "storage"));
}

function countedAct(name: string | symbol, call: () => unknown, counts: "renewals" | "storage"): unknown {
  if (typeof name === "string" && ACTS.has(name)) operations[counts] += 1;
  return call();
}

/** Returns an object whose methods are called through `around`, which calls the real one. */
function intercepted<Target extends object>(
  original: Target,
  around: (name: string | symbol, call: () => unknown) => unknown,
): Target {
  return new Proxy(original, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...parameters: unknown[]) => around(name, () => Reflect.apply(value, target, parameters) as unknown);
    },
  });
}
