import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { parseRequest } from "#client-api/search/request.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import { type PostgresServer, startPostgres } from "../../scripts/local/postgres-server.ts";
import { ProcessCpu } from "../gate/cpu.ts";
import { copyDocuments } from "./copying.ts";
import { KeptDatabase } from "./kept.ts";
import { DATASOURCES, directoryGroupsOf, documentOf, PERSONS, projectGroupsOf } from "./corpus.ts";
import { multiplyDocuments } from "./multiplying.ts";
import type { BenchRequest } from "./requests.ts";

const INSTANCE = 1;
const DOCUMENTS_A_STEP = 200;

/** The last documents, which the engine writes while it is measured. Those before them are copied into the tables. */
const MEASURED = 2000;

/** Settings for a server of this size. The defaults are for a machine with a hundred megabytes. */
const SETTINGS = ["shared_buffers=1GB", "max_wal_size=8GB", "effective_cache_size=6GB", "random_page_cost=1.1"];

/** The files that decide what a written database contains. */
const WRITERS = [
  "src/documents-postgres/write",
  "src/documents-postgres/schema.sql.ts",
  "src/documents-postgres/tokens.ts",
  "src/documents-postgres/upkeep/postings.ts",
  "src/documents/write",
  "src/documents/index-rules.ts",
  "bench/search/corpus.ts",
  "bench/search/copying.ts",
];

/** The PostgreSQL engine in this process. It uses a single connection, so that the server's work can be measured. */
export class PostgresBench {
  readonly #server: PostgresServer;
  readonly #database: PostgresDatabase;
  readonly #engine: PostgresDocuments;
  readonly #ownCpu = new ProcessCpu(process.pid);
  readonly #backendCpu: ProcessCpu;

  private constructor(server: PostgresServer, database: PostgresDatabase, backend: number) {
    this.#server = server;
    this.#database = database;
    this.#engine = new PostgresDocuments(database, newMemory(), () => Math.floor(Date.now() / 1000));
    this.#backendCpu = new ProcessCpu(backend);
  }

  /**
   * Starts with copies of documents that are written once. Only the cost of searches can be measured with it.
   *
   * @see multiplyDocuments
   */
  static async multiplied(
    documents: number,
    times: number,
    report: (progress: string) => void,
  ): Promise<PostgresBench> {
    const once = new KeptDatabase("bench-search-postgres", documents, WRITERS);
    if (!once.isWritten) await (await PostgresBench.written(documents, report)).bench.stop();
    const kept = new KeptDatabase(`bench-search-postgres/${times} times`, documents, WRITERS);
    if (kept.isWritten) return PostgresBench.#start(kept.folder);
    rmSync(kept.folder, { recursive: true, force: true });
    mkdirSync(kept.folder, { recursive: true });
    // `-a` keeps the owner of the files, who is the server's user.
    execFileSync("cp", ["-a", join(once.folder, "postgres"), kept.folder]);
    const bench = await PostgresBench.#start(kept.folder);
    await multiplyDocuments(bench.#server.address, INSTANCE, documents, times, report);
    await bench.#post();
    kept.keep("");
    return bench;
  }

  /**
   * Starts with the documents of an earlier run, or writes them now.
   *
   * @returns the bench, and what writing the documents cost
   */
  static async written(
    documents: number,
    report: (progress: string) => void,
  ): Promise<{ readonly bench: PostgresBench; readonly written: string }> {
    const kept = new KeptDatabase("bench-search-postgres", documents, WRITERS);
    // A folder that isn't marked as written is from an interrupted run.
    if (!kept.isWritten) rmSync(kept.folder, { recursive: true, force: true });
    mkdirSync(kept.folder, { recursive: true });
    const bench = await PostgresBench.#start(kept.folder);
    if (kept.isWritten) return { bench, written: kept.measured };
    try {
      const written = await bench.#write(documents, report);
      kept.keep(written);
      return { bench, written };
    } catch (cause) {
      await bench.stop();
      throw cause;
    }
  }

  /** @param folder the folder that keeps the server's data between runs */
  static async #start(folder: string): Promise<PostgresBench> {
    const server = await startPostgres({ folder, password: "bench", isDurable: false, settings: SETTINGS });
    const database = new PostgresDatabase(server.address, 1);
    await database.migrate();
    const [own] = await database.read(INSTANCE, (rows) =>
      rows.all<{ pid: number }>("SELECT pg_backend_pid() AS pid, $1::bigint"),
    );
    return new PostgresBench(server, database, own?.pid ?? 0);
  }

  /** CPU time of the driver, the engine and the server's process for this connection. */
  get cpu() {
    return {
      during: async (act: () => Promise<void>): Promise<number | undefined> => {
        let backend: number | undefined;
        const own = await this.#ownCpu.during(async () => {
          backend = await this.#backendCpu.during(act);
        });
        return (own ?? Number.NaN) + (backend ?? Number.NaN);
      },
    };
  }

  async ask<Answer>(request: BenchRequest): Promise<Answer> {
    if (request.act === "floor") {
      return this.#database.read(INSTANCE, (rows) => rows.all("SELECT $1::bigint")) as Promise<Answer>;
    }
    if (request.act !== "find") throw new Error(`${request.act} is not measured here`);
    const person = PERSONS.find(({ name }) => name === request.person);
    if (!person) throw new Error(`nobody is called ${request.person}`);
    const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: request.query });
    const search = { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
    const seer = { email: person.email, directoryGroups: directoryGroupsOf(person) };
    return this.#engine.find(INSTANCE, search, seer) as Promise<Answer>;
  }

  /** Writes documents, users and groups as pipelines do. @returns what that cost */
  async #write(documents: number, report: (progress: string) => void): Promise<string> {
    await this.#database.write(INSTANCE, (rows) =>
      rows.all("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving') ON CONFLICT DO NOTHING"),
    );
    const copied = documents - MEASURED;
    const start = performance.now();
    await copyDocuments(this.#server.address, INSTANCE, copied, report);
    const copying = (performance.now() - start) / 1000;
    report(`copied ${copied} documents in ${copying.toFixed(0)} s`);
    await this.#database.analyze();
    const begin = performance.now();
    const cpu = await this.cpu.during(async () => {
      for (let from = copied; from < documents; from += DOCUMENTS_A_STEP) {
        const step = Array.from({ length: Math.min(DOCUMENTS_A_STEP, documents - from) }, (_, at) =>
          documentOf(from + at),
        );
        await this.#engine.apply(
          INSTANCE,
          step.map((document) => ({ act: "put", document }) as const),
        );
      }
    });
    const seconds = (performance.now() - begin) / 1000;
    for (const datasource of DATASOURCES) await this.#writeRights(datasource);
    await this.#post();
    await this.#database.analyze();
    const bytes = await this.#bytes();
    return [
      `Copied: ${(copied / copying).toFixed(0)} documents/s. Written by the engine: ${(MEASURED / seconds).toFixed(0)} documents/s,`,
      `${((cpu ?? Number.NaN) / 1000 / MEASURED).toFixed(2)} ms CPU a document. ${(bytes / documents).toFixed(0)} bytes a document.`,
    ].join(" ");
  }

  /** Writes the postings of common words, as the clean-up does. */
  async #post(): Promise<void> {
    while (await this.#engine.upkeep(INSTANCE));
  }

  /** The size of all tables and indexes. */
  async #bytes(): Promise<number> {
    const [size] = await this.#database.read(INSTANCE, (rows) =>
      rows.all<{ bytes: number }>(
        `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes, $1::bigint FROM pg_class
         WHERE relkind = 'r' AND relnamespace = 'gatehouse'::regnamespace`,
      ),
    );
    return size?.bytes ?? 0;
  }

  /** Writes all memberships at once. How long pipelines take to describe 18,000 groups is not measured here. */
  async #writeRights(datasource: string): Promise<void> {
    const memberships = PERSONS.flatMap((person) =>
      projectGroupsOf(person).map((name) => ({ name, email: person.email })),
    );
    await this.#database.write(INSTANCE, async (rows) => {
      const given = JSON.stringify(memberships);
      await rows.all(
        `INSERT INTO datasource_groups (instance_id, datasource, name, state, generation)
         SELECT DISTINCT $1::bigint, $2, m.name, 'described', 1 FROM json_to_recordset($3::text::json) AS m (name text)
         ON CONFLICT DO NOTHING`,
        datasource,
        given,
      );
      await rows.all(
        `INSERT INTO memberships (instance_id, datasource, member_kind, member, group_name, generation)
         SELECT $1, $2, 'user', m.email, m.name, 1 FROM json_to_recordset($3::text::json) AS m (name text, email text)
         ON CONFLICT DO NOTHING`,
        datasource,
        given,
      );
      const counted = "UPDATE datasources SET memberships = $3 WHERE instance_id = $1 AND name = $2";
      await rows.all(counted, datasource, memberships.length);
      await rows.all("UPDATE instances SET rights = rights + 1 WHERE instance_id = $1");
    });
  }

  async stop(): Promise<void> {
    await this.#database.end();
    await this.#server.stop();
  }
}
