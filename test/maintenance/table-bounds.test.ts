import { MADE_PER_INSTANCE } from "#clients/client-decisions.ts";
import { D1ExternalPeople } from "#people/external-people.d1.ts";
import { D1People } from "#people/people.d1.ts";
import { PEOPLE_PER_INSTANCE } from "#people/people.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { TOKENS_PER_INSTANCE } from "#service-tokens/token-listing.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import {
  issueClientApiToken,
  issueIndexingToken,
  connectSso,
  makeInstance,
  makeStaticClient,
} from "../support/world.ts";
import { audited } from "../support/audited.ts";

/** The numbers from 1 to ?1. */
const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";

let instance: InstanceRecord;
let other: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
  other = await makeInstance("other");
});

function rowsOf(table: string): Promise<number | null> {
  return env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE instance_id = ?1`).bind(instance.id).first("n");
}

/** Inserts this many rows for the instance. */
async function fill(insert: string, rows: number): Promise<void> {
  await env.DB.prepare(`${NUMBERS} ${insert}`).bind(rows, instance.id).run();
}

describe("a table at its limit (schema/tables.md)", () => {
  it("accepts no more service-issued tokens, and another instance's don't count", async () => {
    await fill(
      `INSERT INTO service_tokens (id, instance_id, kind, name, scopes, created_by, created_at, changed_at, expires_at)
       SELECT 't' || i, ?2, 'indexing', 't', '[]', 'test', 0, 0, 1 FROM n`,
      TOKENS_PER_INSTANCE - 1,
    );
    await issueIndexingToken(instance, "documents:global_scope");
    await expect(issueIndexingToken(instance, "documents:global_scope")).rejects.toThrow(/10000 tokens already/);
    const people = await rowsOf("people");
    await expect(issueClientApiToken(instance, "cleo@acme.example", "SEARCH")).rejects.toThrow(/10000 tokens already/);
    expect(await rowsOf("people")).toBe(people);
    expect(await rowsOf("service_tokens")).toBe(TOKENS_PER_INSTANCE);
    await issueIndexingToken(other, "documents:global_scope");
  });

  it("is swept of tokens that ended long ago, in batches, until nothing is left", async () => {
    expect(TOKENS_PER_INSTANCE).toBeGreaterThan(2 * ROWS_PER_BATCH);
    const { eachHour, stores } = servicesOf(env);
    await eachHour();
    expect(await rowsOf("service_tokens")).toBe(1);
    expect((await stores.maintenance.last())?.failed).toEqual([]);
    await issueIndexingToken(instance, "documents:global_scope");
  });

  it("accepts no more static clients", async () => {
    await fill(
      `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, is_public,
         created_at, changed_at)
       SELECT 'c' || i, ?2, 'static', 'c' || i, 'c', '[]', '[]', 'none', 1, 0, 0 FROM n`,
      MADE_PER_INSTANCE - 1,
    );
    await makeStaticClient(instance);
    await expect(makeStaticClient(instance)).rejects.toThrow(/1000 apps already/);
    await makeStaticClient(other);
  });

  it("accepts no more people, whoever adds them, but still finds those that it has", async () => {
    const isolate = new MeasuredIsolate();
    await connectSso(instance, "https://sso.example");
    const signIn = (name: string, signIns = new D1People(audited())) => {
      const email = `${name}@acme.example`;
      const account = { issuer: "https://sso.example", subject: name, account: `account of ${name}` };
      const identity = { ...account, email, name, groups: [], groupsMeetDirectory: true, isEmailVerified: true };
      return signIns.signIn(instance.id, identity, `id-${name}`, 1);
    };
    const known = await signIn("known");
    await fill(
      "INSERT INTO people (id, instance_id, email, name, created_at) SELECT 'p' || i, ?2, i || '@many.example', 'p', 0 FROM n",
      PEOPLE_PER_INSTANCE - ((await rowsOf("people")) ?? 0),
    );
    expect(await signIn("known")).toEqual(known);
    expect(await signIn("new")).toEqual({ outcome: "no-room" });
    const { administrationOf, people } = servicesOf(env);
    expect(await administrationOf(instance, "test").people.nameRole("boss@acme.example", "administrator")).toBe(false);
    expect(await administrationOf(instance, "test").people.deactivateEmail("gone@acme.example")).toBe(false);
    await expect(issueClientApiToken(instance, "cleo@acme.example", "SEARCH")).rejects.toThrow();
    const person = {
      email: "token@acme.example",
      account: { issuer: "https://idp.example", subject: "t", isSignInSubject: false },
      emailDomains: ["acme.example"],
    };
    const identity = { person, name: undefined, groups: undefined, groupsMeetDirectory: false };
    // Only the person who is meant is counted or read, whether somebody is new, has another's email, or has a token with
    // groups or another sign-in.
    const others = new D1ExternalPeople(isolate.bindings.DB);
    const account = { issuer: "https://sso.example", subject: "somebody else", isSignInSubject: true };
    const taken = { ...identity, person: { ...person, email: "known@acme.example", account } };
    const linked = { ...account, subject: "account of known", isSignInSubject: false };
    const grouped = { ...taken, person: { ...taken.person, account: linked }, groups: ["finance"] };
    const acts: (() => Promise<unknown>)[] = [
      async () => expect(await others.find(instance.id, identity, 1, "id-token", 1)).toBe("taken"),
      async () => expect(await others.find(instance.id, taken, 1, "id-token", 1)).toBe("taken"),
      async () =>
        expect(await others.find(instance.id, grouped, 1, "id-token", 1)).toMatchObject({ isDeactivated: false }),
      async () => expect(await signIn("known", new D1People(audited(isolate.bindings.DB)))).toEqual(known),
    ];
    for (const act of acts) expect((await isolate.costOf(act)).rowsRead).toBeLessThan(100);
    expect(await rowsOf("people")).toBe(PEOPLE_PER_INSTANCE);
    expect(await administrationOf(instance, "test").people.nameRole("1@many.example", "administrator")).toBe(true);
    expect((await people.findByEmail(instance.id, "1@many.example"))?.role).toBe("administrator");
  });
});

describe("signing keys of other instances", () => {
  it("are not read with a policy", async () => {
    await env.DB.prepare(
      `${NUMBERS} INSERT INTO signing_keys (kid, instance_id, public_jwk, sealed_private_jwk, stage, created_at, staged_at)
       SELECT 'k' || i, ?2, '{}', '', 'retired', 0, unixepoch() FROM n`,
    )
      .bind(1000, other.id)
      .run();
    const isolate = new MeasuredIsolate();
    const { policySnapshots } = servicesOf(isolate.bindings);
    const { rowsRead } = await isolate.costOf(() => policySnapshots.of(instance.name, () => undefined));
    expect(rowsRead).toBeLessThan(100);
  });
});

describe("admin tokens that issued each other", () => {
  it("end together, and a few rows are read for each of them", async () => {
    const tokens = 500;
    await fill(
      `INSERT INTO service_tokens (id, instance_id, kind, name, scopes, created_by, created_at, changed_at, expires_at)
       SELECT 'chain' || i, ?2, 'admin', 'a', '["admin:read"]', 'chain' || (i - 1), 0, 0, unixepoch() + 3600 FROM n`,
      tokens,
    );
    for (const [table, columns, values] of [
      ["service_token_secrets", "secret_hash, token_id, holder, created_at", "'chain' || i, 'chain' || i, ?2, 0"],
      ["service_token_origins", "secret_hash, origin", "'chain' || i, 'chain' || (i - 1)"],
    ]) {
      await fill(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM n WHERE ?2 > 0`, tokens);
    }
    const isolate = new MeasuredIsolate();
    const { serviceTokens } = servicesOf(isolate.bindings).administrationOf(instance, "test");
    const { rowsRead } = await isolate.costOf(() => serviceTokens.revoke("chain1"));
    const left = `SELECT count(*) AS n FROM service_tokens WHERE id GLOB 'chain*' AND revoked_at IS NULL`;
    expect(await env.DB.prepare(left).first("n")).toBe(0);
    expect(rowsRead).toBeLessThan(40 * tokens);
  });
});

describe("the maintenance", () => {
  const DAY = 24 * 3600;
  const exists = async (table: string, id: string) =>
    (await env.DB.prepare(`SELECT 1 FROM ${table} WHERE id = ?1`).bind(id).first()) !== null;

  it("deletes people who were released long ago, with their accounts, unless a grant names them", async () => {
    const now = Math.floor(Date.now() / 1000);
    const app = await AppClient.registered();
    await new DirectGrants(instance).grant(app, "granted@acme.example", "SEARCH");
    const ids: Record<string, string> = {};
    for (const [name, days] of [
      ["old", 91],
      ["recent", 89],
      ["granted", 91],
    ] as const) {
      const { id } = (await env.DB.prepare(
        `INSERT INTO people (id, instance_id, email, name, created_at) VALUES (?1, ?2, ?1 || '@acme.example', ?1, 0)
         ON CONFLICT DO UPDATE SET name = ?1 RETURNING id`,
      )
        .bind(name, instance.id)
        .first<{ id: string }>()) ?? { id: "" };
      ids[name] = id;
      await env.DB.batch([
        env.DB.prepare(
          "INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at) VALUES (?1, 'i', ?2, ?2, 0)",
        ).bind(instance.id, id),
        env.DB.prepare(
          "UPDATE people SET released_at = ?2, released_email = email, email = 'released ' || id, deactivated_at = 1 WHERE id = ?1",
        ).bind(id, now - days * DAY),
      ]);
    }
    await servicesOf(env).eachHour();
    const left = await Promise.all(["old", "recent", "granted"].map((name) => exists("people", ids[name] ?? "")));
    expect(left).toEqual([false, true, true]);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM linked_accounts WHERE person_id = 'old'").first("n")).toBe(
      0,
    );
    // Their places are free again, and the other instance's count has not changed.
    const { results } = await env.DB.prepare(
      `SELECT people, (SELECT count(*) FROM people p WHERE p.instance_id = c.instance_id) AS present FROM people_counts c`,
    ).all<{ people: number; present: number }>();
    expect(results).toHaveLength(2);
    expect(results.map(({ people }) => people)).toEqual(results.map(({ present }) => present));
  });

  it("deletes registered apps that people allowed long ago, unless they have a grant or an administrator decided about them", async () => {
    const now = Math.floor(Date.now() / 1000);
    const add = (id: string, days: number, more = "kind", value = "dynamic") =>
      env.DB.prepare(
        `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, created_at, changed_at, last_authorized_at)
         VALUES (?1, ?2, 'dynamic', ?1, 'c', '[]', '[]', 'none', 0, 0, ?3)`,
      )
        .bind(id, instance.id, now - days * DAY)
        .run()
        .then(() => env.DB.prepare(`UPDATE clients SET ${more} = ?2 WHERE id = ?1`).bind(id, value).run());
    await add("abandoned", 181);
    await add("recent", 179);
    await add("approved", 181, "kept_at", "1");
    await add("disabled", 181, "disabled_at", "1");
    await add("made", 181, "kind", "static");
    const granted = await AppClient.registered();
    await new DirectGrants(instance).grant(granted, "ben@acme.example", "SEARCH");
    await env.DB.prepare("UPDATE clients SET last_authorized_at = 1 WHERE id = ?1").bind(granted.clientId).run();
    await servicesOf(env).eachHour();
    const ids = ["abandoned", "recent", "approved", "disabled", "made", granted.clientId];
    expect(await Promise.all(ids.map((id) => exists("clients", id)))).toEqual([false, true, true, true, true, true]);
  });
});
