import { ADMIN_API_BASE } from "#admin-api/base.ts";
import { GRANT_LIST } from "#grants/grant-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { AppClient, register, REDIRECT_URI } from "./app-client.ts";
import { keepHistory } from "./history.ts";
import { knownPerson } from "./people.ts";
import { env } from "./isolate.ts";
import { draft as draftDocument, Pipeline } from "./pipeline.ts";
import { makeKeyedAccount } from "./service-accounts.ts";
import { issueToken } from "./service-tokens.ts";
import { addSso, changeSettings, connectionTo, makeStaticClient, ORIGIN, policyOf, send } from "./world.ts";

/** What documents move to. */
const SECOND = "shards:2";

const ACTOR = "test";

/** What a call sends: the values for its path's parameters in order, and its body. */
export interface Sample {
  readonly path?: readonly string[];
  readonly body?: unknown;
}

/** Creates what a call of the Admin API is about, and returns what the call sends. */
type Arrange = (instance: InstanceRecord) => Sample | Promise<Sample>;

let names = 0;

/** Returns a name, or part of one, that nothing has yet. */
function fresh(): string {
  names += 1;
  return `number${names}`;
}

/** Returns the acts about an instance. Each test file has its own bindings, so they are looked up each time. */
function actsOf(instance: InstanceRecord) {
  return servicesOf(env).administrationOf(instance, ACTOR);
}

/** Continues a move as alarms do, until there is nothing to do for now. */
export async function finishMove({ id }: InstanceRecord): Promise<void> {
  while ((await servicesOf(env).documentMoves.goOn(id, 0))?.inSeconds === 0);
}

/** Brings the documents to the instance's object, and ends any move. */
async function documentsInObject(instance: InstanceRecord): Promise<void> {
  await actsOf(instance).documents.restorePlacement();
  await finishMove(instance);
  if ((await servicesOf(env).documentMoves.standing(instance.id)).engine === "object") return;
  await actsOf(instance).documents.move("object");
  await finishMove(instance);
}

/** Moves the documents out of the object, and restores the database to the state before that. */
export async function movedWithoutSign(instance: InstanceRecord): Promise<void> {
  await documentsInObject(instance);
  const before = await env.DB.prepare("SELECT documents, documents_turn AS turn FROM instances WHERE id = ?1")
    .bind(instance.id)
    .first<{ documents: string; turn: number }>();
  await actsOf(instance).documents.move(SECOND);
  await finishMove(instance);
  await env.DB.batch([
    env.DB.prepare("UPDATE instances SET documents = ?2, documents_turn = ?3 WHERE id = ?1").bind(
      instance.id,
      before?.documents,
      before?.turn,
    ),
    env.DB.prepare("DELETE FROM document_moves WHERE instance_id = ?1").bind(instance.id),
  ]);
}

/** Brings the documents to the instance's object, which can restore its database, and forgets that they were ever elsewhere. */
async function neverMoved(instance: InstanceRecord): Promise<void> {
  await documentsInObject(instance);
  await env.DB.prepare("DELETE FROM document_moves WHERE instance_id = ?1").bind(instance.id).run();
  keepHistory(() => undefined);
}

async function someApp(instance: InstanceRecord): Promise<Sample> {
  const { client } = await makeStaticClient(instance, { tokenEndpointAuthMethod: "client_secret_basic" });
  return { path: [client.id] };
}

async function waitingApp(): Promise<Sample> {
  await changeSettings("acme", { registration: "approval" });
  const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", scope: "SEARCH" };
  const { client_id } = await (await register({ ...metadata, client_name: fresh() })).json<{ client_id: string }>();
  return { path: [client_id] };
}

async function someUser(instance: InstanceRecord): Promise<Sample> {
  const { path: [id = ""] = [] } = await somebody(instance);
  await actsOf(instance).people.removeRole(await servicesOf(env).people.require(instance.id, id));
  return { path: [id] };
}

async function somebody(instance: InstanceRecord): Promise<Sample> {
  const email = `${fresh()}@acme.example`;
  await actsOf(instance).people.nameRole(email, "administrator");
  return { path: [(await knownPerson(instance, email)).id] };
}

/** Everything that an identity provider needs besides its issuer. */
export const ISSUER_SETTINGS = {
  name: "IdP",
  clientIds: ["portal"],
  audiences: ["api://gatehouse"],
  scopes: ["SEARCH"],
  emailDomains: ["acme.example"],
};

function draft() {
  return { issuer: `https://${fresh()}.example`, ...ISSUER_SETTINGS };
}

async function someIssuer(instance: InstanceRecord): Promise<Sample> {
  const { configuration } = await actsOf(instance).issuers.add(draft());
  return { path: [configuration.issuer] };
}

async function someTransmitter(instance: InstanceRecord): Promise<Sample> {
  const transmitter = { issuer: `https://${fresh()}.example`, name: fresh(), audience: "here" };
  const { configuration } = await actsOf(instance).signals.put(transmitter, undefined);
  return { path: [configuration.issuer] };
}

/** Connects the instance to another SSO, in place of any other but the first. */
async function someSso(instance: InstanceRecord): Promise<Sample> {
  const { singleSignOns } = await servicesOf(env).instances.require(instance.name);
  const [first, ...others] = singleSignOns;
  for (const { issuer } of others) await actsOf(instance).singleSignOn.remove(issuer);
  const issuer = `https://${fresh()}.example`;
  await addSso(instance, first?.issuer ?? "", issuer, { emailDomains: [`${fresh()}.example`] });
  return { path: [issuer] };
}

async function someMachine(instance: InstanceRecord): Promise<Sample> {
  return { path: [(await makeKeyedAccount(instance)).account.id] };
}

async function someToken(instance: InstanceRecord): Promise<Sample> {
  return { path: [(await issueToken(instance)).id] };
}

async function someGrant(instance: InstanceRecord): Promise<Sample> {
  const app = await AppClient.madeByAdministrator(instance);
  await app.tokens();
  const query = readListQuery(GRANT_LIST, new Map([["client", app.clientId]]));
  const { items } = await servicesOf(env).grants.list(await policyOf(instance), query);
  return { path: items.map(({ id }) => id) };
}

const KEYS = { metadataKeys: [{ name: "status", propertyType: "PICKLIST" }] };

async function someGroup(): Promise<Sample> {
  const { secret } = await issueToken(await servicesOf(env).instances.require("acme"), {
    scopes: ["custommetadata:global_scope"],
  });
  const name = fresh();
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  await send(`/rest/api/index/custom-metadata/schema/${name}`, { method: "PUT", headers, body: JSON.stringify(KEYS) });
  return { path: [name] };
}

const LOGO = () =>
  new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new TextEncoder().encode(fresh())]);

async function withReceiver(instance: InstanceRecord, sample: Sample): Promise<Sample> {
  await actsOf(instance).settings.change({ auditReceiver: "https://collector.example/" });
  return sample;
}

const UPLOAD = "/rest/api/index/bulkindexdocuments";

/** Makes an upload that is held. */
async function heldUpload(instance: InstanceRecord): Promise<Sample> {
  await documentsInObject(instance);
  const datasource = fresh();
  const pipeline = await Pipeline.of(instance);
  const page = { uploadId: fresh(), datasource, isFirstPage: true, isLastPage: true };
  const documents = Array.from({ length: 30 }, (_, id) => draftDocument(String(id), { datasource }));
  for (const pushed of [documents, []]) await pipeline.post(UPLOAD, { ...page, documents: pushed });
  return { body: { datasource } };
}

/** Has an upload remove documents. */
async function removedDocuments(instance: InstanceRecord): Promise<Sample> {
  const sample = await heldUpload(instance);
  const { datasource } = sample.body as { readonly datasource: string };
  await actsOf(instance).content.removeHeld({ datasource, kind: "documents", groupName: "" });
  return sample;
}

/** One call of each operation that has an effect. */
export const ADMIN_CALLS: Readonly<Record<string, Arrange>> = {
  "GET /app-rules": () => ({}),
  "GET /app-rules/:app": async (instance) => {
    const app = await someApp(instance);
    await actsOf(instance).appRules.replace(app.path?.[0] ?? "", [{ group: "sales", scopes: ["SEARCH"] }]);
    return app;
  },
  "PUT /app-rules/:app": async (instance) => ({
    ...(await someApp(instance)),
    body: { rules: [{ group: "sales", scopes: ["SEARCH"] }] },
  }),
  "PUT /app-rules/:app/content": async (instance) => ({
    ...(await someApp(instance)),
    body: { content: [{ field: "datasource", values: ["wiki"] }] },
  }),
  "PUT /service-accounts/:id/content": async (instance) => ({
    path: [(await makeKeyedAccount(instance)).account.id],
    body: { content: [{ field: "type", values: ["page"], isExcluded: true }] },
  }),
  "GET /audit/delivery": (instance) => withReceiver(instance, {}),
  "PUT /audit/delivery/authorization": (instance) =>
    withReceiver(instance, { body: { authorization: `Splunk ${fresh()}${"t".repeat(20)}` } }),
  "GET /service-accounts": () => ({}),
  "POST /service-accounts": () => ({
    body: {
      name: fresh(),
      groups: ["sales"],
      scopes: ["SEARCH"],
      proof: { keys: { jwksUri: "https://job.example/keys" } },
    },
  }),
  "GET /service-accounts/:id": someMachine,
  "PATCH /service-accounts/:id": async (instance) => ({
    ...(await someMachine(instance)),
    body: { groups: [fresh()] },
  }),
  "POST /service-accounts/:id/disable": someMachine,
  "POST /service-accounts/:id/enable": async (instance) => {
    const machine = await someMachine(instance);
    await actsOf(instance).serviceAccounts.disable(machine.path?.[0] ?? "");
    return machine;
  },
  "DELETE /service-accounts/:id": someMachine,
  "GET /apps": () => ({}),
  "POST /apps": () => ({ body: { name: fresh(), redirectUris: [REDIRECT_URI], scopes: ["SEARCH"] } }),
  "GET /apps/:id": someApp,
  "PATCH /apps/:id": async (instance) => ({ ...(await someApp(instance)), body: { name: fresh() } }),
  "DELETE /apps/:id": someApp,
  "POST /apps/:id/secret": someApp,
  "POST /apps/:id/approve": async ({ id }) => {
    const app = await waitingApp();
    const { changedAt } = (await servicesOf(env).clientDirectory.find(id, app.path?.[0] ?? "")) ?? {};
    return { ...app, body: { changedAt } };
  },
  "POST /apps/:id/deny": waitingApp,
  "POST /apps/:id/disable": someApp,
  "POST /apps/:id/enable": async (instance) => {
    const app = await someApp(instance);
    await actsOf(instance).clients.disable(app.path?.[0] ?? "");
    return app;
  },
  "GET /grants": () => ({}),
  "DELETE /grants": async (instance) => {
    await someGrant(instance);
    return {};
  },
  "DELETE /grants/:id": someGrant,
  "GET /people": () => ({}),
  "GET /people/:id": somebody,
  "POST /people/:id/deactivate": someUser,
  "POST /deactivations": () => ({ body: { email: `${fresh()}@acme.example` } }),
  "POST /people/:id/reactivate": async (instance) => {
    const email = `${fresh()}@acme.example`;
    await actsOf(instance).people.deactivateEmail(email);
    return { path: [(await knownPerson(instance, email)).id] };
  },
  "POST /people/:id/release": someUser,
  "POST /roles": () => ({ body: { email: `${fresh()}@acme.example`, role: "auditor" } }),
  "DELETE /roles/:id": somebody,
  "DELETE /sessions": async (instance) => {
    const { id } = await knownPerson(instance, "ben@acme.example");
    const now = Math.floor(Date.now() / 1000);
    await env.DB.prepare(
      `INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, last_used_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?4, ?4 + 3600)`,
    )
      .bind(fresh(), instance.id, id, now)
      .run();
    return {};
  },
  "GET /glossary": () => ({}),
  "PUT /glossary": () => ({ body: { entries: [{ term: fresh(), meaning: "paid time off" }] } }),
  "GET /settings": () => ({}),
  "PATCH /settings": () => ({ body: { displayName: fresh() } }),
  "PUT /logo": () => ({ body: LOGO() }),
  "DELETE /logo": async (instance) => {
    await actsOf(instance).logos.put(LOGO());
    return {};
  },
  "GET /single-sign-on": () => ({}),
  "PUT /single-sign-on": async ({ name }) => {
    const { singleSignOns } = await servicesOf(env).instances.require(name);
    const { sealedClientSecret: _kept, ...connection } = singleSignOns[0] ?? { sealedClientSecret: "" };
    return { body: { ...connection, groupsClaim: fresh() } };
  },
  "GET /single-sign-ons": () => ({}),
  "GET /single-sign-ons/:issuer": someSso,
  "PUT /single-sign-ons/:issuer": async (instance) => {
    const { path = [] } = await someSso(instance);
    const { issuer: _issuer, ...body } = connectionTo("", { emailDomains: [`${fresh()}.example`] });
    return { path, body };
  },
  "DELETE /single-sign-ons/:issuer": someSso,
  "GET /signing-keys": () => ({}),
  "POST /signing-keys": () => ({ body: {} }),
  "GET /issuers": () => ({}),
  "POST /issuers": () => ({ body: draft() }),
  "GET /issuers/:issuer": someIssuer,
  "PUT /issuers/:issuer": () => {
    const { issuer, ...body } = draft();
    return { path: [issuer], body };
  },
  "PATCH /issuers/:issuer": async (instance) => ({ ...(await someIssuer(instance)), body: { name: fresh() } }),
  "DELETE /issuers/:issuer": someIssuer,
  "POST /issuers/:issuer/disable": someIssuer,
  "POST /issuers/:issuer/enable": async (instance) => {
    const issuer = await someIssuer(instance);
    await actsOf(instance).issuers.disable(issuer.path?.[0] ?? "");
    return issuer;
  },
  "GET /transmitters": () => ({}),
  "GET /transmitters/:issuer": someTransmitter,
  "PUT /transmitters/:issuer": () => ({
    path: [`https://${fresh()}.example`],
    body: { name: fresh(), audience: "here", authorizationSecret: `Bearer ${fresh()}${fresh()}` },
  }),
  "DELETE /transmitters/:issuer": someTransmitter,
  "GET /tokens": () => ({}),
  "POST /tokens": () => ({
    body: { kind: "indexing", name: fresh(), scopes: ["documents:wiki"], lifetimeSeconds: 3600 },
  }),
  "GET /tokens/:id": someToken,
  "POST /tokens/:id/rotate": async (instance) => ({ ...(await someToken(instance)), body: { endOthersNow: true } }),
  "POST /tokens/:id/revoke": someToken,
  "GET /document-placement": () => ({}),
  "POST /document-placement/move": async (instance) => {
    await documentsInObject(instance);
    return { body: { engine: SECOND } };
  },
  "POST /document-placement/cancel": async (instance) => {
    await documentsInObject(instance);
    await actsOf(instance).documents.move(SECOND);
    return {};
  },
  "POST /document-placement/restore": async (instance) => {
    await movedWithoutSign(instance);
    return {};
  },
  "POST /document-placement/rewind": async (instance) => {
    await neverMoved(instance);
    return { body: { at: Math.floor(Date.now() / 1000) - 1 } };
  },
  "DELETE /document-placement/old-documents": async (instance) => {
    await documentsInObject(instance);
    await actsOf(instance).documents.move(SECOND);
    await finishMove(instance);
    return {};
  },
  "GET /held-removals": (instance) => heldUpload(instance).then(() => ({})),
  "POST /held-removals/remove": heldUpload,
  "POST /held-removals/discard": heldUpload,
  "GET /removed-documents": (instance) => removedDocuments(instance).then(() => ({})),
  "POST /removed-documents/bring-back": removedDocuments,
  "POST /removed-documents/erase": removedDocuments,
  "GET /metadata-groups": () => ({}),
  "GET /metadata-groups/:groupName": someGroup,
  "POST /metadata-groups/:groupName": () => ({ path: [fresh()], body: KEYS }),
  "PUT /metadata-groups/:groupName": () => ({ path: [fresh()], body: KEYS }),
  "DELETE /metadata-groups/:groupName": someGroup,
  "GET /audit": () => ({}),
  "GET /audit/verification": () => ({}),
  "GET /connection-attempts": () => ({}),
  "GET /doctor": () => ({}),
  "GET /issuers/:issuer/check": someIssuer,
  "POST /access-explanations": async (instance) => {
    await (await Pipeline.of(instance)).index(draftDocument("explained"));
    return { body: { email: "ben@acme.example", document: "wiki:explained" } };
  },
  "POST /token-explanations": () => ({ body: { token: "ghc_none" } }),
};

/** Returns the token of a command with the master keys, for one call at acme. @param path below the API's base */
export function commandToken(path: string): Promise<string> {
  return servicesOf(env).commandTokens.make("acme", ORIGIN, ADMIN_API_BASE + path);
}

/** Calls the Admin API. @param path below its base, with the query */
export function callAdmin(
  secret: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  origin = ORIGIN,
): Promise<Response> {
  const isJson = body !== undefined && !(body instanceof Uint8Array);
  return send(`${origin}${ADMIN_API_BASE}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(isJson ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
  });
}

/** Sends the call of an operation. */
export function callOperation(secret: string, route: string, sample: Sample): Promise<Response> {
  const [method = ""] = route.split(" ");
  return callAdmin(secret, method, pathOf(route, sample), sample.body);
}

/** Sends the call of an operation as a command with the master keys, which may call all. */
export async function callByCommand(route: string, sample: Sample): Promise<Response> {
  return callOperation(await commandToken(pathOf(route, sample)), route, sample);
}

function pathOf(route: string, { path = [] }: Sample): string {
  const parts = [...path];
  const [, template = ""] = route.split(" ");
  return template.replaceAll(/:\w+/g, () => encodeURIComponent(parts.shift() ?? ""));
}
