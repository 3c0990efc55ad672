import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { addressOf, configureAcme, makeAcme, SSO_CLIENT_ID } from "../../scripts/local/acme.ts";
import { DATASOURCE } from "../../scripts/local/corpus.ts";
import {
  environmentOf,
  POSTGRES_ENGINE,
  SECOND_CONFIG,
  withSecondEngine,
} from "../../scripts/local/documents-postgres.ts";
import { callbackUris } from "../../scripts/local/local-origins.ts";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { type PostgresServer, startPostgres } from "../../scripts/local/postgres-server.ts";
import { type Page, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { startSso } from "../../scripts/local/sso-process.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { documents } from "../support/node/documents.ts";
import { makeFolder } from "../support/node/private-folder.ts";
import { newServer, startAgain } from "./servers.ts";

const REDIRECT_URI = "http://127.0.0.1:33418/callback";
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** What to stop, last first. */
const started: (() => Promise<unknown>)[] = [];
let created: Awaited<ReturnType<typeof newServer>> | undefined;
let databasePort: number | undefined;
let server: PostgresServer;
let folder: string;
let origin: string;
let indexingToken: string;
let clientId: string;
let tokens: { access_token: string; refresh_token: string };

beforeAll(async () => {
  folder = await makeFolder();
  started.push(() => rm(folder, { recursive: true, force: true }));
  const settings = await databaseSettings();
  started.push(() => rm(settings.folder, { recursive: true, force: true }));
  const port = await findFreePort();
  const clientSecret = randomUUID();
  const redirectUris = callbackUris({ port, https: false });
  const startServer = async () => {
    server = await startPostgres(settings);
    started.push(() => server.stop());
  };
  const startSignIn = async () => {
    const process = await startSso({ clientId: SSO_CLIENT_ID, clientSecret, redirectUris });
    started.push(() => process.stop());
    return process;
  };
  // The last one keeps a core busy, while the others mostly wait.
  const [sso] = await Promise.all([startSignIn(), startServer(), makeAcme({ folder, print: () => undefined })]);
  const main = join(folder, "both.toml");
  await writeFile(main, withSecondEngine(await readFile(join(folder, "wrangler.toml"), "utf8")));
  const environment = environmentOf(server);
  const worker = startWorker({ port, https: false, folder, configs: [main, resolve(SECOND_CONFIG)], environment });
  started.push(() => worker.stop());
  await worker.ready();
  origin = worker.baseUrl;
  indexingToken = await configureAcme(origin, { issuer: sso.issuer, clientSecret }, { folder, print: () => undefined });
  const admin = openLocalAdmin(folder, addressOf(origin));
  const move = ["documents", "move", "acme", "--to", POSTGRES_ENGINE, "--wait", "--yes"];
  await runAdmin(move, { ...admin, print: () => undefined });
  await admin.dispose();
  const registered = await post("/oauth/register", {
    client_name: "Notebook",
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: "none",
  });
  clientId = ((await registered.json()) as { client_id: string }).client_id;
  tokens = await signIn();
});

afterAll(async () => {
  for (const stop of started.toReversed()) await stop();
});

it("a server that stops during a search affects only searches and indexing, until it is back", async () => {
  expect((await index("first")).status).toBe(200);
  expect(await titles()).toEqual(["first"]);
  const waiting = await waitingFor("entries", () => search("token"));
  await server.stop();
  await expectToTryAgain(waiting);
  await expectOnlyDocumentsAway();
  server = await startAgain(await databaseSettings());
  expect(await titles()).toEqual(["first"]);
});

it("a server that is killed in the middle of a write keeps nothing of it", async () => {
  const waiting = await waitingFor("words", () => index("second", "third"));
  process.kill(server.processId, "SIGKILL");
  await expectToTryAgain(waiting);
  await expectOnlyDocumentsAway();
  server = await startAgain(await databaseSettings());
  expect(await titles()).toEqual(["first"]);
  expect((await index("second", "third")).status).toBe(200);
  expect(await titles()).toEqual(["first", "second", "third"]);
});

/** Returns the settings of the server, which are the same whenever it starts. */
async function databaseSettings() {
  created ??= await newServer();
  databasePort ??= await findFreePort();
  return { ...created, port: databasePort, isDurable: true };
}

/** Sends a request that waits in the server for a locked table, and returns its pending response. */
async function waitingFor(table: string, ask: () => Promise<Response>): Promise<readonly Promise<Response>[]> {
  const sql = postgres(server.address, { max: 2, onnotice: () => undefined });
  const locked = Promise.withResolvers<void>();
  void sql
    .begin(async (transaction) => {
      await transaction.unsafe(`LOCK TABLE gatehouse.${table}`);
      locked.resolve();
      await new Promise(() => undefined);
    })
    .catch(locked.reject);
  await locked.promise;
  const answer = ask();
  await expect
    .poll(async () => (await sql`SELECT 1 FROM pg_locks WHERE NOT granted`).length, { timeout: 4000 })
    .toBeGreaterThan(0);
  return [answer];
}

async function expectToTryAgain(asked: readonly Promise<Response>[]): Promise<void> {
  for (const response of await Promise.all(asked)) {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  }
}

async function expectOnlyDocumentsAway(): Promise<void> {
  await expectToTryAgain([search("token"), index("lost")]);
  // The gate accepts the token, and a search without words needs no engine.
  expect((await search("")).status).toBe(200);
  tokens = await redeem({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  tokens = await signIn();
}

async function titles(): Promise<string[]> {
  const response = await search("token");
  expect(response.status).toBe(200);
  const { results } = (await response.json()) as { results: { title: string }[] };
  return results.map(({ title }) => title).sort();
}

function search(query: string): Promise<Response> {
  return post("/rest/api/v1/search", { query }, tokens.access_token);
}

function index(...ids: readonly string[]): Promise<Response> {
  const shared = { ...documents[0], datasource: DATASOURCE };
  const given = ids.map((id) => ({ ...shared, id, title: id, viewURL: `https://docs.acme.example/${id}` }));
  return post("/api/index/v1/indexdocuments", { datasource: DATASOURCE, documents: given }, indexingToken);
}

function post(path: string, body: object, token?: string): Promise<Response> {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const headers = { "Content-Type": "application/json", ...authorization };
  return fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function signIn(): Promise<typeof tokens> {
  const browser = new ScriptedBrowser(REDIRECT_URI);
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH offline_access",
    state: "here",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const picker = (await browser.visit(`${origin}/oauth/authorize?${asked.toString()}`)) as Page;
  const consent = (await browser.press(picker, { name: "sub", value: "ben" })) as Page;
  const left = await browser.press(consent, { name: "decision", value: "allow" });
  if (!("leftFor" in left)) throw new Error(`consent answered ${left.status}`);
  const code = new URL(left.leftFor).searchParams.get("code") ?? "";
  return redeem({ grant_type: "authorization_code", code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI });
}

async function redeem(fields: Readonly<Record<string, string>>): Promise<typeof tokens> {
  const body = new URLSearchParams({ ...fields, client_id: clientId });
  const response = await fetch(`${origin}/oauth/token`, { method: "POST", body });
  if (response.status !== 200)
    throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as typeof tokens;
}
