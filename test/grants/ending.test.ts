import { GRANT_LIST } from "#grants/grant-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { GrantScope } from "#grants/ending.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { makeInstance, policyOf, travel } from "../support/world.ts";
import { knownPerson } from "../support/people.ts";

const DAY = 24 * 3600;

/** Two people, two static clients, and the grants of each person for each client. */
interface Scene {
  readonly instance: InstanceRecord;
  readonly apps: readonly [AppClient, AppClient];
  readonly people: readonly string[];
}

let stages = 0;

async function stage(): Promise<Scene> {
  stages += 1;
  const instance = await makeInstance(`acme${stages}`);
  const make = (name: string) =>
    AppClient.madeByAdministrator(instance, { name, redirectUris: [`https://${name}.example/cb`] });
  const apps = [await make("one"), await make("two")] as const;
  const people: string[] = [];
  const grants = new DirectGrants(instance);
  for (const email of ["ben@acme.example", "carla@acme.example"]) {
    people.push((await knownPerson(instance, email)).id);
    for (const app of apps) {
      await grants.grant(app, email, "SEARCH offline_access");
      await grants.grant(app, email, "SEARCH offline_access");
    }
  }
  return { instance, apps, people };
}

/** Returns the grants that have not ended, as "person app". */
async function left({ instance, apps, people }: Scene): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT person_id, client_id FROM grants WHERE instance_id = ?1 AND revoked_at IS NULL ORDER BY rowid",
  )
    .bind(instance.id)
    .all<{ person_id: string; client_id: string }>();
  return results.map(
    ({ person_id, client_id }) =>
      `${people[0] === person_id ? "ben" : "carla"} ${apps[0].clientId === client_id ? "one" : "two"}`,
  );
}

const EVERYTHING = ["ben one", "ben two", "carla one", "carla two"];

const EVERY = readListQuery(GRANT_LIST, new Map());

describe("ending grants", () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await stage();
  });

  async function end(scope: GrantScope) {
    return servicesOf(env).grantEndings.end(await policyOf(scene.instance), scope, "revoked_by_administrator", "test");
  }

  it.each<[string, (scene: Scene) => GrantScope, string[]]>([
    ["a person", ({ people }) => ({ kind: "person", personId: people[0] ?? "" }), ["carla one", "carla two"]],
    ["a client", ({ apps }) => ({ kind: "client", clientId: apps[0].clientId }), ["ben two", "carla two"]],
    [
      "a client of one person",
      ({ apps, people }) => ({ kind: "client-of-person", personId: people[0] ?? "", clientId: apps[0].clientId }),
      ["ben two", "carla one", "carla two"],
    ],
    ["the instance", () => ({ kind: "instance" }), []],
  ])("of %s ends all of them, with one entry in the audit", async (_, scopeOf, stays) => {
    const elsewhere = await stage();
    const scope = scopeOf(scene);
    const gone = EVERYTHING.length - stays.length;
    expect(await end(scope)).toBe(2 * gone);
    expect(await left(scene)).toEqual(stays.flatMap((each) => [each, each]));
    const entries = await auditEntries(scene.instance, "grants_ended");
    const { kind, ...ids } = scope;
    expect(entries.map(({ detail }) => detail)).toEqual([
      { scope: kind, ...ids, grants: 2 * gone, reason: "revoked_by_administrator" },
    ]);
    expect(await end(scope)).toBe(0);
    expect(await left(elsewhere)).toHaveLength(8);
  });

  it("of one grant leaves the app's other grants", async () => {
    const [personId = ""] = scene.people;
    const { clientId } = scene.apps[0];
    const row = await env.DB.prepare("SELECT id FROM grants WHERE person_id = ?1 AND client_id = ?2 LIMIT 1")
      .bind(personId, clientId)
      .first<{ id: string }>();
    expect(await end({ kind: "grant", grantId: row?.id ?? "", personId, clientId })).toBe(1);
    expect(await left(scene)).toHaveLength(7);
    const other = { kind: "grant", grantId: "of nobody", personId, clientId } as const;
    expect(await end(other)).toBe(0);
  });

  it("of one grant ends those for which its tokens were exchanged, and those after them", async () => {
    const { results } = await env.DB.prepare(
      "SELECT id, person_id AS personId, client_id AS clientId FROM grants WHERE instance_id = ?1 AND revoked_at IS NULL LIMIT 3",
    )
      .bind(scene.instance.id)
      .all<{ id: string; personId: string; clientId: string }>();
    for (const [at, { id }] of results.entries()) {
      await env.DB.prepare("UPDATE grants SET exchanged_from = ?1 WHERE id = ?2")
        .bind(results[at - 1]?.id ?? null, id)
        .run();
    }
    const [first, second] = results;
    if (!first || !second) throw new Error("there are no grants");
    expect(await end({ ...second, kind: "grant", grantId: second.id })).toBe(2);
    expect(await left(scene)).toHaveLength(6);
    expect(await end({ ...first, kind: "grant", grantId: first.id })).toBe(1);
  });
});

describe("grants that are not running", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance("acme", { grantIdleSeconds: DAY });
  });
  afterEach(() => void vi.useRealTimers());

  it("include one whose code is not redeemed yet, which can't be redeemed once the grant ends", async () => {
    const app = await AppClient.registered();
    const authorized = await app.authorize();
    const { grantEndings, grants } = servicesOf(env);
    const policy = await policyOf(instance);
    expect((await grants.list(policy, EVERY)).total).toBe(0);
    const ofApp = { kind: "client", clientId: app.clientId } as const;
    expect(await grantEndings.end(policy, ofApp, "revoked_by_person", "test")).toBe(1);
    expect((await app.redeem(authorized)).status).toBe(400);
  });

  it("include one that was idle too long, which is in no list, in no count and not on the person's page", async () => {
    const [idle, used] = [
      await AppClient.registered({ client_name: "Idle app" }),
      await AppClient.registered({ client_name: "Used app" }),
    ];
    await idle.tokens();
    const first = await used.tokens();
    travel(DAY - 60);
    await used.refresh(first.refresh_token);
    travel(120);
    const { grants } = servicesOf(env);
    const policy = await policyOf(instance);
    expect((await grants.list(policy, EVERY)).items.map(({ clientName }) => clientName)).toEqual(["Used app"]);
    expect((await grants.list(policy, EVERY)).total).toBe(1);
    expect(await grants.reach(policy)).toEqual({ people: 1, clients: 1, grants: 1 });
    expect(await grants.unvouchedReach(policy)).toMatchObject({ people: 1, grants: 1 });
    const [person] = (await grants.list(policy, EVERY)).items;
    expect((await grants.appsOf(policy, person?.personId ?? "")).map(({ name }) => name)).toEqual(["Used app"]);
  });
});
