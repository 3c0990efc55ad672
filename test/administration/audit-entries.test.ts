import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import type { Administration } from "#administration/administration.ts";
import { parseDescription } from "#custom-metadata/schema-request.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { documentsInObject, finishMove, movedWithoutSign, neverMoved } from "../support/admin-calls.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { verifyWhole } from "../support/audit-entries.ts";
import { draft as draftDocument, Pipeline } from "../support/pipeline.ts";
import { rowsIn, runUpkeep } from "../support/documents.ts";
import { AppClient, register, REDIRECT_URI } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { connectionTo, changeSettings, makeInstance, makeStaticClient, requireClient } from "../support/world.ts";

/** What documents move to. */
const SECOND = "shards:2";

const ACTOR = "administrator";

const { administrationOf, auditVerification, policySnapshots } = servicesOf(env);

let instance: InstanceRecord;
/** Another one, whose documents never move. */
let contents: InstanceRecord;
let names = 0;

beforeAll(async () => {
  instance = await makeInstance();
  contents = await makeInstance("globex");
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
  const { configuration } = await administrationOf(instance, ACTOR).issuers.add(issuerDraft());
  return configuration.issuer;
}

/** Enters the secret at the test SSO again. Other SSOs may be connected, too. */
async function reconnectSso() {
  const connection = connectionTo(inject("sso").issuer, { emailDomains: ["acme.example"] });
  await administrationOf(instance, ACTOR).singleSignOn.connect(connection);
}

/** Returns a connection to an SSO beside the others, each of which has its domain. */
async function anotherSso() {
  const { singleSignOn } = administrationOf(instance, ACTOR);
  for (const { issuer } of (await servicesOf(env).instances.require("acme")).singleSignOns.slice(1)) {
    await singleSignOn.remove(issuer);
  }
  await reconnectSso();
  return connectionTo(`https://${fresh()}.example`, { emailDomains: ["other.example"] });
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
  await administrationOf(instance, ACTOR).metadata.create(description);
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

/** For each act, prepares what it acts on and returns it. The keys are those of `Administration` and its classes. */
const ACTS: { [Noun in keyof Administration]: Record<keyof Administration[Noun] & string, () => Promise<Act>> } = {
  appRules: {
    replace: async () => {
      const { id } = await madeClient();
      return () => administrationOf(instance, ACTOR).appRules.replace(id, [{ group: "sales", scopes: ["SEARCH"] }]);
    },
    limit: async () => {
      const { id } = await madeClient();
      const content = [{ field: "datasource", values: ["wiki"] }];
      return () => administrationOf(instance, ACTOR).appRules.limit(id, content);
    },
    limitMachine: async () => {
      const content = [{ field: "datasource", values: [fresh()] }];
      return () => administrationOf(instance, ACTOR).appRules.limitMachine(PERSONAL_TOKENS, content);
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
      return () => administrationOf(instance, ACTOR).clients.change(client, { name: fresh() });
    },
    rotateSecret: async () => {
      const { id } = await madeClient();
      return () => administrationOf(instance, ACTOR).clients.rotateSecret(id);
    },
    approve: async () => {
      const client = await waitingClient();
      return () => administrationOf(instance, ACTOR).clients.approve(client);
    },
    deny: async () => {
      const { id } = await waitingClient();
      return () => administrationOf(instance, ACTOR).clients.deny(id);
    },
    disable: async () => {
      const { id } = await madeClient();
      return () => administrationOf(instance, ACTOR).clients.disable(id);
    },
    enable: async () => {
      const { id } = await madeClient();
      await administrationOf(instance, ACTOR).clients.disable(id);
      return () => administrationOf(instance, ACTOR).clients.enable(id);
    },
    remove: async () => {
      const { id } = await madeClient();
      return () => administrationOf(instance, ACTOR).clients.remove(id);
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
  issuers: {
    add: async () => {
      const draft = issuerDraft();
      return () => administrationOf(instance, ACTOR).issuers.add(draft);
    },
    register: async () => {
      const issuer = await registeredIssuer();
      const draft = { ...issuerDraft(), issuer, name: "Another name" };
      return () => administrationOf(instance, ACTOR).issuers.register(draft);
    },
    edit: async () => {
      const issuer = await registeredIssuer();
      return () => administrationOf(instance, ACTOR).issuers.edit(issuer, { name: "Another name" });
    },
    disable: async () => {
      const issuer = await registeredIssuer();
      return () => administrationOf(instance, ACTOR).issuers.disable(issuer);
    },
    enable: async () => {
      const issuer = await registeredIssuer();
      await administrationOf(instance, ACTOR).issuers.disable(issuer);
      return () => administrationOf(instance, ACTOR).issuers.enable(issuer);
    },
    remove: async () => {
      const issuer = await registeredIssuer();
      return () => administrationOf(instance, ACTOR).issuers.remove(issuer);
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
  content: {
    removeHeld: async () => {
      const held = await heldUpload();
      return () => administrationOf(contents, ACTOR).content.removeHeld(held);
    },
    discardHeld: async () => {
      const held = await heldUpload();
      return () => administrationOf(contents, ACTOR).content.discardHeld(held);
    },
    bringBack: async () => {
      const { datasource } = await heldUpload();
      await upload(datasource, [], true);
      await runUpkeep(contents);
      return () =>
        administrationOf(contents, ACTOR)
          .content.bringBack(datasource)
          .finally(() => runUpkeep(contents));
    },
    eraseRemoved: async () => {
      const { datasource } = await heldUpload();
      await upload(datasource, [], true);
      await runUpkeep(contents);
      return () =>
        administrationOf(contents, ACTOR)
          .content.eraseRemoved(datasource)
          .finally(() => runUpkeep(contents));
    },
  },
  documents: {
    move: async () => {
      await documentsInObject(instance);
      return () => administrationOf(instance, ACTOR).documents.move(SECOND);
    },
    cancelMove: async () => {
      await documentsInObject(instance);
      await administrationOf(instance, ACTOR).documents.move(SECOND);
      return () => administrationOf(instance, ACTOR).documents.cancelMove();
    },
    eraseOld: async () => {
      await documentsInObject(instance);
      await administrationOf(instance, ACTOR).documents.move(SECOND);
      await finishMove(instance);
      return () => administrationOf(instance, ACTOR).documents.eraseOld();
    },
    restorePlacement: async () => {
      await movedWithoutSign(instance);
      return () => administrationOf(instance, ACTOR).documents.restorePlacement();
    },
    rewind: async () => {
      await neverMoved(instance);
      return () => administrationOf(instance, ACTOR).documents.rewind(Math.floor(Date.now() / 1000) - 1);
    },
  },
  metadata: {
    create: async () => {
      const description = parseDescription(fresh(), ONE_KEY);
      return () => administrationOf(instance, ACTOR).metadata.create(description);
    },
    replace: async () => {
      const description = await describedGroup();
      const { keys } = parseDescription(description.group.display, TWO_KEYS);
      return () => administrationOf(instance, ACTOR).metadata.replace({ ...description, keys });
    },
    remove: async () => {
      const { group } = await describedGroup();
      return () => administrationOf(instance, ACTOR).metadata.remove(group);
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
      return () => administrationOf(instance, ACTOR).serviceAccounts.change(account, { groups: ["sales"] });
    },
    disable: async () => {
      const { account } = await makeKeyedAccount(instance);
      return () => administrationOf(instance, ACTOR).serviceAccounts.disable(account.id);
    },
    enable: async () => {
      const { account } = await makeKeyedAccount(instance);
      await administrationOf(instance, ACTOR).serviceAccounts.disable(account.id);
      return () => administrationOf(instance, ACTOR).serviceAccounts.enable(account.id);
    },
    remove: async () => {
      const { account } = await makeKeyedAccount(instance);
      return () => administrationOf(instance, ACTOR).serviceAccounts.remove(account.id);
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
      return () => administrationOf(instance, ACTOR).signals.put(draft, `Bearer ${fresh()}${fresh()}`);
    },
    remove: async () => {
      const draft = { issuer: `https://${fresh()}.example`, name: "EDR", audience: "here" };
      const entered = await administrationOf(instance, ACTOR).signals.put(draft, undefined);
      return () => administrationOf(instance, ACTOR).signals.remove(entered);
    },
  },
  signingKeys: {
    rotate: async () => () => administrationOf(instance, ACTOR).signingKeys.rotate(true),
  },
  singleSignOn: {
    connect: async () => {
      const { singleSignOns } = await servicesOf(env).instances.require("acme");
      const { sealedClientSecret: _kept, ...connection } = singleSignOns[0] ?? expect.fail();
      return () => administrationOf(instance, ACTOR).singleSignOn.connect({ ...connection, groupsClaim: fresh() });
    },
    put: async () => {
      const other = await anotherSso();
      return () => administrationOf(instance, ACTOR).singleSignOn.put(other);
    },
    remove: async () => {
      const other = await anotherSso();
      await administrationOf(instance, ACTOR).singleSignOn.put(other);
      return () => administrationOf(instance, ACTOR).singleSignOn.remove(other.issuer);
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
    const offered = Object.entries(administrationOf(instance, ACTOR)).flatMap(([noun, { constructor }]) =>
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
      for (const attempt of ["first", "again"]) {
        const [before, entriesBefore] = [await stored(), await entries()];
        await act().catch((error: unknown) => {
          if (attempt === "first") throw error;
        });
        const hasChanged = JSON.stringify(await stored()) !== JSON.stringify(before);
        expect((await entries()) > entriesBefore).toBe(hasChanged);
        if (attempt === "first") expect(hasChanged).toBe(true);
        expect(expire).toHaveBeenCalled();
      }
      const { results } = await env.DB.prepare("SELECT DISTINCT instance_id AS id FROM audit").all<{ id: number }>();
      for (const { id } of results) expect(await verifyWhole(auditVerification, id)).not.toHaveProperty("broken");
    },
  );
});
