import postgres from "postgres";
import { MIGRATION } from "./migration.sql.ts";
import { type Database, keepable, type Rows, type SentValue } from "./database.ts";

/** Longer than any statement here takes, but shorter than the five seconds after which the caller gives up. */
const STATEMENT_MILLISECONDS_MAX = 4000;

/** If the server can't be reached, connecting fails before the caller gives up. */
const CONNECT_SECONDS_MAX = 3;

/** How statements are planned: anew for their values, or once for all values. */
type Planning = "force_custom_plan" | "force_generic_plan";

const FIRST_PLANNING: Planning = "force_generic_plan";

const planned = (planning: Planning) => `SET LOCAL plan_cache_mode = ${planning}`;

/**
 * Set in every transaction, because pooled connections are shared: how statements are planned, which the server would otherwise
 * choose by earlier executions; a time limit for each statement; the schema of the tables; and no JIT compilation.
 */
const SETTINGS = `${planned(FIRST_PLANNING)}; SET LOCAL statement_timeout = ${STATEMENT_MILLISECONDS_MAX};
  SET LOCAL search_path = gatehouse; SET LOCAL jit = off`;

/** How the driver converts 64-bit integers: all values here fit exactly into a JavaScript number. */
const NUMBERS = { to: 20, from: [20], serialize: String, parse: Number };

/** Error codes for a missing schema, table or column: the server is new, or has the tables of an older version. */
const SCHEMA_OLD: readonly unknown[] = ["3F000", "42P01", "42703"];

function isSchemaOld(cause: unknown): boolean {
  return cause instanceof postgres.PostgresError && SCHEMA_OLD.includes(cause.code);
}

/** Checks whether an error means that the connection is closed, or about to be. */
function endsConnection(cause: unknown): boolean {
  if (cause instanceof postgres.PostgresError) return cause.severity === "FATAL";
  return cause instanceof Error && "code" in cause && cause.code === "CONNECTION_CLOSED";
}

type Values = Parameters<postgres.Sql["unsafe"]>[1];

/**
 * A PostgreSQL server, over this object's own connections. With Hyperdrive, the address is that of the binding's pool.
 */
export class PostgresDatabase implements Database {
  readonly #sql: postgres.Sql<{ bigint: number }>;

  /** @param connections the most that are open at the same time */
  constructor(address: string, connections: number, connectSeconds = CONNECT_SECONDS_MAX) {
    this.#sql = postgres(address, {
      max: connections,
      connect_timeout: connectSeconds,
      // Arrays are sent and read as text, so the driver doesn't have to look up the server's types for each connection.
      fetch_types: false,
      types: { bigint: NUMBERS },
      connection: { application_name: "gatehouse" },
      onnotice: () => undefined,
    });
  }

  write<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result> {
    return this.#transaction("", instanceId, act);
  }

  read<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result> {
    return this.#transaction("isolation level repeatable read read only", instanceId, act);
  }

  /** Brings the tables to the newest version. If several callers try at once, one does it and the others find it done. */
  async migrate(): Promise<void> {
    await this.#sql.begin((transaction) => transaction.unsafe(MIGRATION).simple());
  }

  /** Brings the planner's statistics up to date, as the server does by itself after a while. */
  async analyze(): Promise<void> {
    await this.#sql.unsafe("ANALYZE").simple();
  }

  /** Returns instances with something to clean up, longest overdue first. */
  async instancesDue(now: number, max: number): Promise<readonly number[]> {
    const due = await this.#sql<{ id: number }[]>`SELECT instance_id AS id FROM gatehouse.instances
      WHERE upkeep_at <= ${now} AND holding IN ('serving', 'giving') ORDER BY upkeep_at LIMIT ${max}`;
    return due.map(({ id }) => id);
  }

  async end(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  async #transaction<Result>(kind: string, instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result> {
    const attempt = () => this.#attempt(kind, instanceId, act);
    try {
      return await attempt();
    } catch (cause) {
      if (!isSchemaOld(cause)) throw cause;
      // Nothing was written, so it is safe to repeat.
      await this.migrate();
      return attempt();
    }
  }

  async #attempt<Result>(kind: string, instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result> {
    let isOver = false;
    const begun = this.#sql.begin(kind, async (transaction) => {
      const settings = transaction.unsafe(SETTINGS).simple().execute();
      let current = FIRST_PLANNING;
      const run = async <Row>(planning: Planning, statement: string, values: readonly SentValue[]) => {
        if (isOver) throw new Error("the transaction is over");
        const sent = [
          instanceId,
          ...values.map((value) => (typeof value === "string" ? keepable(value) : value)),
        ] as Values;
        // Statements run in the order in which they are sent, so both are sent at once.
        const change = planning === current ? undefined : transaction.unsafe(planned(planning)).simple().execute();
        current = planning;
        const answer = transaction.unsafe(statement, sent, { prepare: true }).execute();
        const [found] = await Promise.all([answer, change]);
        // The driver's subclass of Array can't be sent to another Worker.
        return Array.from(found as unknown as Row[]);
      };
      const rows: Rows = {
        instanceId,
        all: (statement, ...values) => run("force_custom_plan", statement, values),
        byKey: (statement, ...values) => run("force_generic_plan", statement, values),
      };
      try {
        const [, result] = await Promise.all([settings, act(rows)]);
        return { result };
      } catch (cause) {
        // If this threw, the driver would send ROLLBACK over a closed socket and throw an error that nothing can catch. Instead,
        // `begin` rejects when the socket closes.
        if (isOver || endsConnection(cause)) await new Promise<never>(() => undefined);
        throw cause;
      }
    });
    const done = await begun.finally(() => (isOver = true));
    return (done as { result: Result }).result;
  }
}
