import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import type { Administration } from "#administration/administration.ts";
import { parseDescription } from "#custom-metadata/schema-request.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { documentsInObject, finishMove, movedWithoutSign, neverMoved } from "../support/admin-calls.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { verifyWhole } from "../support/audit-entries.ts";
import { draft as draftDocument, Pipeline } from "../support/pipeline.ts";
import { rowsIn, runUpkeep } from "../support/documents.ts";
import { AppClient, register, REDIRECT_URI } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { changeSettings, connectSso, makeInstance, makeStaticClient, requireClient } from "../support/world.ts";

/** What documents move to. */
const SECOND = "shards:2";

const ACTOR = "administrator";

const { administration, administrationOf, policySnapshots } = servicesOf(env);
const withNewKey = { ...env, MASTER_KEYS: `next:${"N".repeat(42)}A,${env.MASTER_KEYS}` };
const { auditVerification } = servicesOf(withNewKey);

let instance: InstanceRecord;
/** Another one, whose documents never move. */
let contents: InstanceRecord;
let names = 0;

beforeAll(async () => {
  instance = await makeInstance();
  contents = await makeInstance("globex");
  await servicesOf(withNewKey).administration.masterKeys.reseal(ACTOR);
});
afterEach(async () => {
  await env.DB.exec("DROP TRIGGER IF EXISTS audit_refuses");
});

/** Returns a name, or part of one, that nothing has yet. */
function fresh(): string {
  names += 1;
  return `number${names}`;
}

function personOf(email: string) {
  return knownPerson(instance, email);
}

async function madeClient() {
  const { client } = await makeStaticClient(instance, { tokenEndpointAuthMethod: "client_secret_basic" });
  return requireClient(instance, client.id);
}

async function waitingClient() {
  await changeSettings("acme", { registration: "approval" });
  const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", scope: "SEARCH" };
  const { client_id } = await (await register({ ...metadata, client_name: fresh() })).json<{ client_id: string }>();
  return requireClient(instance, client_id);
}

function issuerDraft() {
  const issuer = `https://${fresh()}.example`;
  const allowed = { clientIds: ["portal"], audiences: ["api://gatehouse"], scopes: ["SEARCH"] };
  return { issuer, name: "IdP", ...allowed, emailDomains: ["acme.example"] };
}

async function registeredIssuer(): Promise<string> {
  const { configuration } = await administration.issuers.add(instance, issuerDraft(), ACTOR);
  return configuration.issuer;
}

function tokenDraft() {
  const scopes = ["documents:global_scope"];
  return { kind: "indexing" as const, name: fresh(), scopes, person: null, lifetimeSeconds: 3600 };
}

async function issuedToken(): Promise<string> {
  return (await administrationOf(instance, ACTOR).serviceTokens.issue(tokenDraft())).token.id;
}

async function runningGrant() {
  const app = await AppClient.madeByAdministrator(instance);
  const { grantId: id } = await new DirectGrants(instance).grant(app, "ben@acme.example");
  return { id, personId: (await personOf("ben@acme.example")).id, clientId: app.clientId };
}

async function signedIn(): Promise<void> {
  const { id } = await personOf("ben@acme.example");
  const now = Math.floor(Date.now() / 1000);
  await env.DB.prepare(
    `INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, last_used_at, expires_at) VALUES (?1, ?2, ?3, ?5, ?5, ?4)`,
  )
    .bind(fresh(), instance.id, id, now + 3600, now)
    .run();
}

function logo(): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new TextEncoder().encode(fresh())]);
}

const ONE_KEY = { metadataKeys: [{ name: "status", propertyType: "TEXT" }] };
const TWO_KEYS = { metadataKeys: [...ONE_KEY.metadataKeys, { name: "owner", propertyType: "TEXT" }] };

async function describedGroup() {
  await documentsInObject(instance);
  const description = parseDescription(fresh(), ONE_KEY);
  await administration.metadata.create(instance, description, ACTOR);
  return description;
}

const UPLOAD = "/rest/api/index/bulkindexdocuments";

/** Uploads documents with these ids, and nothing else. */
async function upload(datasource: string, ids: readonly number[], disableStaleDocumentDeletionCheck = false) {
  const documents = ids.map((id) => draftDocument(String(id), { datasource }));
  const page = { uploadId: fresh(), datasource, documents, isFirstPage: true, isLastPage: true };
  await (await Pipeline.of(contents, "documents:global_scope", "http://globex.localhost")).post(UPLOAD, {
    ...page,
    disableStaleDocumentDeletionCheck,
  });
}

/** Makes an upload that is held. */
async function heldUpload() {
  const datasource = fresh();
  await upload(
    datasource,
    Array.from({ length: 30 }, (_, id) => id),
  );
  await upload(datasource, []);
  return { datasource, kind: "documents", groupName: "" } as const;
}

type Act = () => Promise<unknown>;

/**
 * For each act, prepares what it acts on and returns it. The keys are those of {@link Administration} and its classes.
 */
const ACTS: { [Noun in keyof Administration]: Record<keyof Administration[Noun] & string, () => Promise<Act>> } = {
  appRules: {
    replace: async () => {
      const { id } = await madeClient();
      return () => administration.appRules.replace(instance, id, [{ group: "sales", scopes: ["SEARCH"] }], ACTOR);
    },
    limit: async () => {
      const { id } = await madeClient();
      const content = [{ field: "datasource", values: ["wiki"] }];
      return () => administration.appRules.limit(instance, id, content, ACTOR);
    },
    limitMachine: async () => {
      const content = [{ field: "datasource", values: [fresh()] }];
      return () => administration.appRules.limitMachine(instance, PERSONAL_TOKENS, content, ACTOR);
    },
  },
  glossary: {
    replace: async () => {
      const entry = { term: fresh(), meaning: "paid time off", isTwoWay: true, language: null };
      return () => administrationOf(instance, ACTOR).glossary.replace([entry]);
    },
  },
  audit: {
    authorizeReceiver: async () => {
      await changeSettings("acme", { auditReceiver: "https://collector.example/" });
      return () => administrationOf(instance, ACTOR).audit.authorizeReceiver(`Bearer ${"t".repeat(20)}`);
    },
  },
  clients: {
    create: async () => () => makeStaticClient(instance),
    change: async () => {
      const client = await madeClient();
      return () => administration.clients.change(instance, client, { name: fresh() }, ACTOR);
    },
    rotateSecret: async () => {
      const { id } = await madeClient();
      return () => administration.clients.rotateSecret(instance, id, ACTOR);
    },
    approve: async () => {
      const client = await waitingClient();
      return () => administration.clients.approve(instance, client, ACTOR);
    },
    deny: async () => {
      const { id } = await waitingClient();
      return () => administration.clients.deny(instance, id, ACTOR);
    },
    disable: async () => {
      const { id } = await madeClient();
      return () => administration.clients.disable(instance, id, ACTOR);
    },
    enable: async () => {
      const { id } = await madeClient();
      await administration.clients.disable(instance, id, ACTOR);
      return () => administration.clients.enable(instance, id, ACTOR);
    },
    remove: async () => {
      const { id } = await madeClient();
      return () => administration.clients.remove(instance, id, ACTOR);
    },
  },
  grants: {
    revoke: async () => {
      const grant = await runningGrant();
      return () => administrationOf(instance, ACTOR).grants.revoke(grant);
    },
    revokeAll: async () => {
      await runningGrant();
      return () => administrationOf(instance, ACTOR).grants.revokeAll();
    },
  },
  instances: {
    create: async () => {
      const name = fresh();
      return () => administration.instances.create(name, ACTOR);
    },
  },
  issuers: {
    add: async () => {
      const draft = issuerDraft();
      return () => administration.issuers.add(instance, draft, ACTOR);
    },
    register: async () => {
      const issuer = await registeredIssuer();
      const draft = { ...issuerDraft(), issuer, name: "Another name" };
      return () => administration.issuers.register(instance, draft, ACTOR);
    },
    edit: async () => {
      const issuer = await registeredIssuer();
      return () => administration.issuers.edit(instance, issuer, { name: "Another name" }, ACTOR);
    },
    disable: async () => {
      const issuer = await registeredIssuer();
      return () => administration.issuers.disable(instance, issuer, ACTOR);
    },
    enable: async () => {
      const issuer = await registeredIssuer();
      await administration.issuers.disable(instance, issuer, ACTOR);
      return () => administration.issuers.enable(instance, issuer, ACTOR);
    },
    remove: async () => {
      const issuer = await registeredIssuer();
      return () => administration.issuers.remove(instance, issuer, ACTOR);
    },
  },
  logos: {
    put: async () => {
      const bytes = logo();
      return () => administrationOf(instance, ACTOR).logos.put(bytes);
    },
    remove: async () => {
      await administrationOf(instance, ACTOR).logos.put(logo());
      return () => administrationOf(instance, ACTOR).logos.remove();
    },
  },
  masterKeys: {
    reseal: async () => {
      await connectSso(instance);
      return () => servicesOf(withNewKey).administration.masterKeys.reseal(ACTOR);
    },
  },
  content: {
    removeHeld: async () => {
      const held = await heldUpload();
      return () => administration.content.removeHeld(contents, held, ACTOR);
    },
    discardHeld: async () => {
      const held = await heldUpload();
      return () => administration.content.discardHeld(contents, held, ACTOR);
    },
    bringBack: async () => {
      const { datasource } = await heldUpload();
      await upload(datasource, [], true);
      await runUpkeep(contents);
      return () => administration.content.bringBack(contents, datasource, ACTOR).finally(() => runUpkeep(contents));
    },
    eraseRemoved: async () => {
      const { datasource } = await heldUpload();
      await upload(datasource, [], true);
      await runUpkeep(contents);
      return () => administration.content.eraseRemoved(contents, datasource, ACTOR).finally(() => runUpkeep(contents));
    },
  },
  documents: {
    move: async () => {
      await documentsInObject(instance);
      return () => administration.documents.move(instance, SECOND, ACTOR);
    },
    cancelMove: async () => {
      await documentsInObject(instance);
      await administration.documents.move(instance, SECOND, ACTOR);
      return () => administration.documents.cancelMove(instance, ACTOR);
    },
    eraseOld: async () => {
      await documentsInObject(instance);
      await administration.documents.move(instance, SECOND, ACTOR);
      await finishMove(instance);
      return () => administration.documents.eraseOld(instance, ACTOR);
    },
    restorePlacement: async () => {
      await movedWithoutSign(instance);
      return () => administration.documents.restorePlacement(instance, ACTOR);
    },
    rewind: async () => {
      await neverMoved(instance);
      return () => administration.documents.rewind(instance, Math.floor(Date.now() / 1000) - 1, ACTOR);
    },
  },
  metadata: {
    create: async () => {
      const description = parseDescription(fresh(), ONE_KEY);
      return () => administration.metadata.create(instance, description, ACTOR);
    },
    replace: async () => {
      const description = await describedGroup();
      const { keys } = parseDescription(description.group.display, TWO_KEYS);
      return () => administration.metadata.replace(instance, { ...description, keys }, ACTOR);
    },
    remove: async () => {
      const { group } = await describedGroup();
      return () => administration.metadata.remove(instance, group, ACTOR);
    },
  },
  people: {
    nameRole: async () => {
      const email = `${fresh()}@acme.example`;
      return () => administrationOf(instance, ACTOR).people.nameRole(email, "administrator");
    },
    removeRole: async () => {
      const { email } = await personOf(`${fresh()}@acme.example`);
      await administrationOf(instance, ACTOR).people.nameRole(email, "administrator");
      const person = await personOf(email);
      return () => administrationOf(instance, ACTOR).people.removeRole(person);
    },
    deactivate: async () => {
      const person = await personOf(`${fresh()}@acme.example`);
      return () => administrationOf(instance, ACTOR).people.deactivate(person);
    },
    deactivateEmail: async () => {
      const email = `${fresh()}@acme.example`;
      return () => administrationOf(instance, ACTOR).people.deactivateEmail(email);
    },
    reactivate: async () => {
      const person = await personOf(`${fresh()}@acme.example`);
      await administrationOf(instance, ACTOR).people.deactivate(person);
      return () => administrationOf(instance, ACTOR).people.reactivate(person);
    },
    release: async () => {
      const person = await personOf(`${fresh()}@acme.example`);
      return () => administrationOf(instance, ACTOR).people.release(person);
    },
  },
  serviceAccounts: {
    create: async () => () => makeKeyedAccount(instance),
    change: async () => {
      const { account } = await makeKeyedAccount(instance);
      return () => administration.serviceAccounts.change(instance, account, { groups: ["sales"] }, ACTOR);
    },
    disable: async () => {
      const { account } = await makeKeyedAccount(instance);
      return () => administration.serviceAccounts.disable(instance, account.id, ACTOR);
    },
    enable: async () => {
      const { account } = await makeKeyedAccount(instance);
      await administration.serviceAccounts.disable(instance, account.id, ACTOR);
      return () => administration.serviceAccounts.enable(instance, account.id, ACTOR);
    },
    remove: async () => {
      const { account } = await makeKeyedAccount(instance);
      return () => administration.serviceAccounts.remove(instance, account.id, ACTOR);
    },
  },
  serviceTokens: {
    issue: async () => () => administrationOf(instance, ACTOR).serviceTokens.issue(tokenDraft()),
    rotate: async () => {
      const id = await issuedToken();
      return () => administrationOf(instance, ACTOR).serviceTokens.rotate(id, true);
    },
    revoke: async () => {
      const id = await issuedToken();
      return () => administrationOf(instance, ACTOR).serviceTokens.revoke(id);
    },
  },
  sessions: {
    endAll: async () => {
      await signedIn();
      return () => administrationOf(instance, ACTOR).sessions.endAll();
    },
  },
  settings: {
    change: async () => {
      const displayName = fresh();
      return () => administrationOf(instance, ACTOR).settings.change({ displayName });
    },
  },
  signals: {
    put: async () => {
      const draft = { issuer: `https://${fresh()}.example`, name: "EDR", audience: "here" };
      return () => administration.signals.put(instance, draft, `Bearer ${fresh()}${fresh()}`, ACTOR);
    },
    remove: async () => {
      const draft = { issuer: `https://${fresh()}.example`, name: "EDR", audience: "here" };
      const entered = await administration.signals.put(instance, draft, undefined, ACTOR);
      return () => administration.signals.remove(instance, entered, ACTOR);
    },
  },
  signingKeys: {
    rotate: async () => () => administrationOf(instance, ACTOR).signingKeys.rotate(true),
  },
  singleSignOn: {
    connect: async () => {
      const { singleSignOn } = await servicesOf(env).instances.require("acme");
      const { sealedClientSecret: _kept, ...connection } = singleSignOn ?? expect.fail();
      return () => administrationOf(instance, ACTOR).singleSignOn.connect({ ...connection, groupsClaim: fresh() });
    },
  },
};

const acts = Object.entries(ACTS).flatMap(([noun, scenes]) =>
  Object.entries(scenes).map(([act, prepare]) => ({ name: `${noun}.${act}`, prepare })),
);

/** Reads all rows except those of the audit and of policy changes, which follow from other rows. */
async function stored(): Promise<Record<string, unknown[]>> {
  const tables = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND substr(name, 1, 1) <> '_'
       AND name NOT IN ('audit', 'policy_changes') ORDER BY name`,
  ).all<{ name: string }>();
  const rows = await env.DB.batch(tables.results.map(({ name }) => env.DB.prepare(`SELECT * FROM ${name}`)));
  const ofContents = [
    "SELECT datasource, upload_id, stage FROM bulk_uploads ORDER BY datasource",
    "SELECT datasource, count(*) AS count FROM removed_documents GROUP BY datasource",
  ];
  return {
    ...Object.fromEntries(tables.results.map(({ name }, at) => [name, rows[at]?.results ?? []])),
    documents: await Promise.all(ofContents.map((statement) => rowsIn(contents, statement))),
  };
}

async function entries(): Promise<number> {
  return (await env.DB.prepare("SELECT count(*) AS n FROM audit").first<number>("n")) ?? 0;
}

describe("the acts of administrators", () => {
  it("each have a test here", () => {
    const offered = Object.entries(administration).flatMap(([noun, { constructor }]) =>
      Object.getOwnPropertyNames((constructor as typeof Object).prototype)
        .filter((name) => name !== "constructor")
        .map((act) => `${noun}.${act}`),
    );
    expect(acts.map(({ name }) => name).sort()).toEqual(offered.sort());
    expect(offered.length).toBeGreaterThan(25);
  });

  it.each(acts)("change nothing if their audit entry cannot be written: $name", async ({ prepare }) => {
    const act = await prepare();
    const before = await stored();
    await env.DB.exec("CREATE TRIGGER audit_refuses BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END");
    await expect(act()).rejects.toThrow();
    expect(await stored()).toEqual(before);
  });

  it.each(acts)(
    "have an entry exactly if they change something, and take effect immediately: $name",
    async ({ prepare }) => {
      const act = await prepare();
      const expire = vi.spyOn(policySnapshots, "expire");
      const expireElsewhere = vi.spyOn(servicesOf(withNewKey).policySnapshots, "expire");
      for (const attempt of ["first", "again"]) {
        const [before, entriesBefore] = [await stored(), await entries()];
        await act().catch((error: unknown) => {
          if (attempt === "first") throw error;
        });
        const hasChanged = JSON.stringify(await stored()) !== JSON.stringify(before);
        expect((await entries()) > entriesBefore).toBe(hasChanged);
        if (attempt === "first") expect(hasChanged).toBe(true);
        expect(expire.mock.calls.length + expireElsewhere.mock.calls.length > 0).toBe(true);
      }
      const { results } = await env.DB.prepare("SELECT DISTINCT instance_id AS id FROM audit").all<{ id: number }>();
      for (const { id } of results) expect(await verifyWhole(auditVerification, id)).not.toHaveProperty("broken");
    },
  );
});
