import type { InstanceRecord } from "#instance/instances.ts";
import { D1Clients, type DescribedClient, UNUSED_DOCUMENTS_PER_INSTANCE } from "#clients/clients.d1.ts";
import { D1Registrations } from "#clients/registrations.d1.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

const REDIRECT = "https://app.example/cb";

const described = (id: string): DescribedClient => ({
  id,
  kind: "document",
  name: "App",
  clientUri: null,
  policyUri: null,
  tosUri: null,
  redirectUris: [REDIRECT],
  scopes: ["SEARCH"],
  tokenEndpointAuthMethod: "none",
  isPublic: true,
  keys: null,
  declaredRequirements: [],
  isPending: false,
});

const idOf = (number: number) => `https://host.example/${number}.json`;

describe("unused apps with metadata documents, of which one host may have any number (schema/tables.md)", () => {
  const clients = new D1Clients(env.DB);
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, is_public, created_at, changed_at)
       SELECT 'https://host.example/' || i || '.json', ?2, 'document', 'https://host.example/' || i || '.json', 'App', '["${REDIRECT}"]', '["SEARCH"]', 'none', 1, i, i FROM n`,
    )
      .bind(UNUSED_DOCUMENTS_PER_INSTANCE, instance.id)
      .run();
  });

  const keep = (id: string, at = UNUSED_DOCUMENTS_PER_INSTANCE) => clients.keepDocument(instance.id, described(id), at);
  const isKnown = async (number: number) => (await clients.findEnabled(instance.id, idOf(number))) !== null;

  it("have a limit: the oldest is removed, unless a request or an administrator's requirement refers to it", async () => {
    const direct = new DirectGrants(instance);
    await direct.awaitSignIn(AppClient.of(idOf(1), REDIRECT));
    await env.DB.prepare("UPDATE clients SET requirements = '[\"dpop\"]' WHERE id = ?1").bind(idOf(2)).run();
    // Used apps don't matter.
    await direct.grant(AppClient.of(idOf(4), REDIRECT), "ben@acme.example", "SEARCH");
    const kept = { client: { name: "App" }, isUnused: true };
    expect(await keep("https://new.example/1.json")).toMatchObject(kept);
    expect(await keep("https://new.example/2.json")).toMatchObject(kept);
    expect(await keep(idOf(4))).toMatchObject({ isUnused: false });
    const known = await Promise.all([1, 2, 3, 4, 5].map(isKnown));
    expect(known).toEqual([true, true, false, true, true]);
    const left = env.DB.prepare(
      "SELECT count(*) AS n FROM clients WHERE instance_id = ?1 AND last_authorized_at IS NULL",
    );
    expect(await left.bind(instance.id).first("n")).toBe(UNUSED_DOCUMENTS_PER_INSTANCE);
  });

  it("don't block known ones, and a new one is refused if requests refer to all of them", async () => {
    await env.DB.prepare(
      `INSERT INTO authorization_requests (handle_hash, instance_id, stage, browser_hash, client_id, request, expires_at)
       SELECT 'h' || id, instance_id, 'sign-in', '', id, '{}', unixepoch() + 900 FROM clients WHERE instance_id = ?1 AND kind = 'document'`,
    )
      .bind(instance.id)
      .run();
    expect(await keep("https://new.example/3.json")).toBe("full");
    expect(await keep(idOf(5))).toMatchObject({ client: { id: idOf(5) } });
    const other = await makeInstance("other");
    const kept = await new D1Clients(env.DB).keepDocument(other.id, described(idOf(1)), 1);
    expect(kept).toMatchObject({ client: { id: idOf(1) } });
  });

  it("are kept if an administrator requires something of them, because they would come back without it", async () => {
    const registrations = new D1Registrations(env.DB, () => []);
    await env.DB.prepare("UPDATE clients SET created_at = 1, last_authorized_at = 1 WHERE id = ?1").bind(idOf(4)).run();
    await env.DB.prepare("UPDATE clients SET requirements = '[\"par\"]' WHERE id = ?1").bind(idOf(4)).run();
    await env.DB.prepare("DELETE FROM grants").run();
    await env.DB.prepare("DELETE FROM authorization_requests").run();
    await registrations.sweep(10, 100);
    await registrations.sweepAbandoned(10, 100);
    expect(await Promise.all([2, 4, 5].map(isKnown))).toEqual([true, true, false]);
  });
});
