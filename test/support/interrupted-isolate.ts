import { env } from "cloudflare:workers";
import type { Bindings } from "#platform/bindings.ts";
import { send } from "./world.ts";

/** What each statement of a batch stands for, behind the wrapper that counts. */
const genuine = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/** Another isolate of the Worker on the same storage, which is interrupted between two round trips: by a crash, or by others. */
export class InterruptedIsolate {
  readonly bindings: Bindings;
  #roundTripsLeft = Number.POSITIVE_INFINITY;
  #meanwhile: (() => Promise<unknown>) | undefined;

  constructor() {
    const database: Pick<D1Database, "prepare" | "batch"> = {
      prepare: (sql) => this.#counted(env.DB.prepare(sql)),
      batch: async (statements) => {
        await this.#pass();
        return env.DB.batch(statements.map((statement) => genuine.get(statement) ?? statement));
      },
    };
    this.bindings = { ...env, DB: database as D1Database };
  }

  /** From now on so many round trips succeed, and none after them. */
  loseDatabaseAfter(roundTrips: number): void {
    this.#roundTripsLeft = roundTrips;
  }

  /** After so many round trips something else happens first, and then the next goes on. */
  interposeAfter(roundTrips: number, meanwhile: () => Promise<unknown>): void {
    this.#roundTripsLeft = roundTrips;
    this.#meanwhile = meanwhile;
  }

  send(url: string, init: RequestInit = {}): Promise<Response> {
    return send(url, init, this.bindings);
  }

  #counted(statement: D1PreparedStatement): D1PreparedStatement {
    const counted: Pick<D1PreparedStatement, "bind" | "first" | "all" | "run"> = {
      bind: (...values) => this.#counted(statement.bind(...values)),
      first: async <Row>() => {
        await this.#pass();
        return statement.first<Row>();
      },
      all: async <Row>() => {
        await this.#pass();
        return statement.all<Row>();
      },
      run: async <Row>() => {
        await this.#pass();
        return statement.run<Row>();
      },
    };
    genuine.set(counted as D1PreparedStatement, statement);
    return counted as D1PreparedStatement;
  }

  async #pass(): Promise<void> {
    this.#roundTripsLeft -= 1;
    if (this.#roundTripsLeft >= 0) return;
    const meanwhile = this.#meanwhile;
    if (!meanwhile) throw new Error("D1_ERROR: Network connection lost.");
    this.#meanwhile = undefined;
    this.#roundTripsLeft = Number.POSITIVE_INFINITY;
    await meanwhile();
  }
}
