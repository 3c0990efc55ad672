import { WorkerEntrypoint } from "cloudflare:workers";
import { within } from "#documents/deadline.ts";
import type { EngineCalls } from "#documents/documents.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import { systemClock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { newMemory, PostgresDocuments } from "./engine.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { cleanUp } from "./upkeep/clean-up.ts";

interface Bindings {
  /** Hyperdrive's pool of connections to the server, with caching disabled. */
  readonly DATABASE: Hyperdrive;
}

/**
 * Shorter than the five seconds after which the caller gives up. A write that gets an error may still have been stored: its
 * transaction can commit until its connection is closed, within about a second. Callers repeat the call, and a repeated change
 * has the same result as the first one.
 */
const ANSWER_MILLISECONDS_MAX = 4500;

/** Shared by all calls of the isolate. Every call checks by version whether it matches the rows. */
const memory = newMemory();

/**
 * The engine as a separate Worker. Each call opens its own connections to the pool, because requests can't share sockets.
 */
export default class DocumentsOnPostgres extends WorkerEntrypoint<Bindings> implements EngineCalls, EngineTransfer {
  apply(...given: Parameters<EngineCalls["apply"]>) {
    return this.#ask((engine) => engine.apply(...given));
  }

  find(...given: Parameters<EngineCalls["find"]>) {
    return this.#ask((engine) => engine.find(...given));
  }

  read(...given: Parameters<EngineCalls["read"]>) {
    return this.#ask((engine) => engine.read(...given));
  }

  maySee(...given: Parameters<EngineCalls["maySee"]>) {
    return this.#ask((engine) => engine.maySee(...given));
  }

  explainAccess(...given: Parameters<EngineCalls["explainAccess"]>) {
    return this.#ask((engine) => engine.explainAccess(...given));
  }

  standingOf(...given: Parameters<EngineCalls["standingOf"]>) {
    return this.#ask((engine) => engine.standingOf(...given));
  }

  listDocuments(...given: Parameters<EngineCalls["listDocuments"]>) {
    return this.#ask((engine) => engine.listDocuments(...given));
  }

  inspectDocument(...given: Parameters<EngineCalls["inspectDocument"]>) {
    return this.#ask((engine) => engine.inspectDocument(...given));
  }

  count(...given: Parameters<EngineCalls["count"]>) {
    return this.#ask((engine) => engine.count(...given));
  }

  changeRights(...given: Parameters<EngineCalls["changeRights"]>) {
    return this.#ask((engine) => engine.changeRights(...given));
  }

  takePage(...given: Parameters<EngineCalls["takePage"]>) {
    return this.#ask((engine) => engine.takePage(...given));
  }

  removeNext(...given: Parameters<EngineCalls["removeNext"]>) {
    return this.#ask((engine) => engine.removeNext(...given));
  }

  uploads(...given: Parameters<EngineCalls["uploads"]>) {
    return this.#ask((engine) => engine.uploads(...given));
  }

  noteUploadError(...given: Parameters<EngineCalls["noteUploadError"]>) {
    return this.#ask((engine) => engine.noteUploadError(...given));
  }

  putValues(...given: Parameters<EngineCalls["putValues"]>) {
    return this.#ask((engine) => engine.putValues(...given));
  }

  adoptGroup(...given: Parameters<EngineCalls["adoptGroup"]>) {
    return this.#ask((engine) => engine.adoptGroup(...given));
  }

  forgetGroup(...given: Parameters<EngineCalls["forgetGroup"]>) {
    return this.#ask((engine) => engine.forgetGroup(...given));
  }

  countByGroup(...given: Parameters<EngineCalls["countByGroup"]>) {
    return this.#ask((engine) => engine.countByGroup(...given));
  }

  countByKey(...given: Parameters<EngineCalls["countByKey"]>) {
    return this.#ask((engine) => engine.countByKey(...given));
  }

  stats(...given: Parameters<EngineCalls["stats"]>) {
    return this.#ask((engine) => engine.stats(...given));
  }

  indexedAt(...given: Parameters<EngineCalls["indexedAt"]>) {
    return this.#ask((engine) => engine.indexedAt(...given));
  }

  exportPage(...given: Parameters<EngineCalls["exportPage"]>) {
    return this.#ask((engine) => engine.exportPage(...given));
  }

  importPage(...given: Parameters<EngineCalls["importPage"]>) {
    return this.#ask((engine) => engine.importPage(...given));
  }

  transferState(...given: Parameters<EngineTransfer["transferState"]>) {
    return this.#ask((engine) => engine.transferState(...given));
  }

  hold(...given: Parameters<EngineTransfer["hold"]>) {
    return this.#ask((engine) => engine.hold(...given));
  }

  givePage(...given: Parameters<EngineTransfer["givePage"]>) {
    return this.#ask((engine) => engine.givePage(...given));
  }

  takeLines(...given: Parameters<EngineTransfer["takeLines"]>) {
    return this.#ask((engine) => engine.takeLines(...given));
  }

  tally(...given: Parameters<EngineTransfer["tally"]>) {
    return this.#ask((engine) => engine.tally(...given));
  }

  erase(...given: Parameters<EngineTransfer["erase"]>) {
    return this.#ask((engine) => engine.erase(...given));
  }

  /** Called by the cron trigger: brings the tables to the newest version and cleans up the instances that are due. */
  override async scheduled(): Promise<void> {
    const database = this.#open();
    try {
      await database.migrate();
      await cleanUp(
        database,
        new PostgresDocuments(database, memory, systemClock),
        systemClock(),
        (instanceId, cause) =>
          log({
            level: "error",
            event: "documents_upkeep_failed",
            object: String(instanceId),
            detail: describeError(cause),
          }),
      );
    } finally {
      this.ctx.waitUntil(database.end());
    }
  }

  /**
   * Runs one call. If it takes too long, its connection is closed, and the server undoes what was not committed by then.
   */
  async #ask<Result>(act: (engine: PostgresDocuments) => Promise<Result>): Promise<Result> {
    const database = this.#open();
    const engine = new PostgresDocuments(database, memory, systemClock);
    try {
      return await within(ANSWER_MILLISECONDS_MAX, "PostgreSQL did not answer in time", act(engine));
    } finally {
      this.ctx.waitUntil(database.end());
    }
  }

  /** Opens at most two connections: one for the call, and one to create missing tables. */
  #open(): PostgresDatabase {
    return new PostgresDatabase(this.env.DATABASE.connectionString, 2);
  }
}
