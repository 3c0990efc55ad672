/**
 * `npm run bench:search:servers`: distributes the tables over four PostgreSQL servers by a hash of the instance. The engine
 * queries a fifth server that has only foreign tables. It compares the results and durations with those of the instance's own
 * server.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { parseRequest } from "#client-api/search/request.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import { type PostgresServer, startPostgres } from "../scripts/local/postgres-server.ts";
import { copyDocuments } from "./search/copying.ts";
import { directoryGroupsOf, PERSONS } from "./search/corpus.ts";
import { KINDS } from "./search/questions.ts";

const SERVERS = 4;
const INSTANCES = 4;
const PASSWORD = "bench";

/** This person's groups all come from the directory, so the datasources need no members. */
const PERSON = PERSONS[0] as (typeof PERSONS)[number];
const SEER = { email: PERSON.email, directoryGroups: directoryGroupsOf(PERSON) };

/** Instances have different documents, because they have different numbers of them. */
const documentsOf = (instance: number) => 1000 + 250 * instance;

const folders: string[] = [];
const started: PostgresServer[] = [];
const databases: PostgresDatabase[] = [];

try {
  const coordinator = await start("coordinator");
  const sql = postgres(coordinator.address, { max: 1, onnotice: () => undefined });
  const serverOf = await distribution(sql);
  const own: PostgresDatabase[] = [];
  for (let at = 0; at < SERVERS; at++) {
    const server = await start(`server-${at}`);
    const database = databaseOf(server);
    own.push(database);
    await database.migrate();
    for (const instance of [...serverOf].filter(([, of]) => of === at).map(([id]) => id)) {
      await database.write(instance, (rows) =>
        rows.all("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving')"),
      );
      await copyDocuments(server.address, instance, documentsOf(instance), () => undefined);
    }
    await database.analyze();
    await addServer(sql, at, server.port);
  }
  await distribute(sql);
  await sql.end();
  const distributed = databaseOf(coordinator);
  for (const [instance, at] of serverOf) await compare(instance, at, own[at] as PostgresDatabase, distributed);
} finally {
  for (const database of databases) await database.end();
  for (const server of started) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

async function start(name: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  folders.push(folder);
  const server = await startPostgres({ folder, password: PASSWORD, isDurable: false });
  started.push(server);
  return server;
}

function databaseOf({ address }: PostgresServer): PostgresDatabase {
  const database = new PostgresDatabase(address, 1);
  databases.push(database);
  return database;
}

/** Returns the server of each instance. The server itself decides, by the hash that it partitions by. */
async function distribution(sql: postgres.Sql): Promise<ReadonlyMap<number, number>> {
  await sql.unsafe("CREATE TABLE placed (instance_id bigint) PARTITION BY HASH (instance_id)");
  for (let at = 0; at < SERVERS; at++) {
    await sql.unsafe(
      `CREATE TABLE placed_${at} PARTITION OF placed FOR VALUES WITH (MODULUS ${SERVERS}, REMAINDER ${at})`,
    );
  }
  await sql`INSERT INTO placed SELECT generate_series(1, ${INSTANCES}::int)`;
  const rows = await sql<{ id: string; at: string }[]>`
    SELECT instance_id AS id, right(tableoid::regclass::text, 1) AS at FROM placed ORDER BY instance_id`;
  return new Map(rows.map(({ id, at }) => [Number(id), Number(at)]));
}

async function addServer(sql: postgres.Sql, at: number, port: number): Promise<void> {
  await sql.unsafe(`CREATE EXTENSION IF NOT EXISTS postgres_fdw; CREATE SCHEMA server_${at};
    CREATE SERVER server_${at} FOREIGN DATA WRAPPER postgres_fdw
      OPTIONS (host '127.0.0.1', port '${port}', dbname 'postgres', fetch_size '10000');
    CREATE USER MAPPING FOR postgres SERVER server_${at} OPTIONS (user 'postgres', password '${PASSWORD}');
    IMPORT FOREIGN SCHEMA gatehouse FROM SERVER server_${at} INTO server_${at} OPTIONS (import_generated 'false')`);
}

/** Creates each table of the engine with its partitions on the servers. */
async function distribute(sql: postgres.Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'server_0' AND column_name = 'instance_id'`;
  await sql.unsafe("CREATE SCHEMA gatehouse");
  for (const { name } of tables) {
    await sql.unsafe(`CREATE TABLE gatehouse.${name} (LIKE server_0.${name}) PARTITION BY HASH (instance_id)`);
    for (let at = 0; at < SERVERS; at++) {
      await sql.unsafe(`ALTER TABLE gatehouse.${name} ATTACH PARTITION server_${at}.${name}
        FOR VALUES WITH (MODULUS ${SERVERS}, REMAINDER ${at})`);
    }
  }
}

/** Recognises the error of a statement that took longer than the four seconds that the engine allows. */
function isLate(cause: unknown): null {
  if (cause instanceof postgres.PostgresError && cause.code === "57014") return null;
  throw cause;
}

async function compare(
  instance: number,
  server: number,
  own: PostgresDatabase,
  distributed: PostgresDatabase,
): Promise<void> {
  const [near, far] = [own, distributed].map(
    (database) => new PostgresDocuments(database, newMemory(), () => Math.floor(Date.now() / 1000)),
  ) as [PostgresDocuments, PostgresDocuments];
  const times: [near: number[], far: number[]] = [[], []];
  let searches = 0;
  let same = 0;
  let late = 0;
  for (const { query } of KINDS.flatMap(({ questions }) => questions)) {
    const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query });
    const search = { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
    const answers = [];
    for (const [at, engine] of [near, far].entries()) {
      const find = () => engine.find(instance, search, SEER);
      const begin = performance.now();
      const found = await find().catch(isLate);
      times[at as 0 | 1].push(performance.now() - begin);
      if (found === null) late++;
      answers.push(found?.documents.map(({ externalId }) => externalId).join(" "));
    }
    searches++;
    if (answers[0] === answers[1]) same++;
  }
  const middle = (of: number[]) => (of.sort((one, other) => one - other)[of.length >> 1] ?? 0).toFixed(1);
  console.log(
    `instance ${instance}, ${documentsOf(instance)} documents, server ${server + 1}: the same ten in ${same} of ${searches} searches, ${late} gave up; ` +
      `${middle(times[0])} ms from its server, ${middle(times[1])} ms over the fifth`,
  );
}
