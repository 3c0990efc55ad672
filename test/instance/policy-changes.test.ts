import { D1PolicySource } from "#instance/policy-snapshot.d1.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate, type StorageCost } from "../support/measured-isolate.ts";
import { makeInstance } from "../support/world.ts";

const NOW = 1_800_000_000;

describe("the policy's changes (schema.sql, policy_changes)", () => {
  let isolate: MeasuredIsolate;
  let source: D1PolicySource;
  let before: PolicySnapshot;

  async function run(...statements: string[]): Promise<void> {
    await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));
  }

  async function renewed(): Promise<PolicySnapshot> {
    const snapshot = await source.renewPolicy(before, NOW);
    if (!snapshot) throw new Error("the instance is gone");
    return snapshot;
  }

  beforeAll(async () => {
    const { id } = await makeInstance();
    isolate = new MeasuredIsolate();
    source = new D1PolicySource(isolate.bindings.DB);
    const grant = (name: string, tokensUntil: number) =>
      `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash, code_challenge,
         code_expires_at, tokens_until, created_at, expires_at)
       VALUES ('${name}', ${id}, '', 'app', 'ben', '', '', '', '${name}', '', 0, ${tokensUntil}, 0, ${NOW * 2})`;
    await run(
      `INSERT INTO people (id, instance_id, email, name, created_at) VALUES ('ben', ${id}, 'b@acme.example', 'Ben', 0)`,
      grant("alive", NOW + 1),
      grant("stale", NOW),
      grant("unredeemed", 0),
      `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, created_at, changed_at)
       VALUES ('app', ${id}, 'static', 'app', 'App', '[]', '["SEARCH"]', 'none', 1, 1)`,
      `INSERT INTO service_tokens (id, instance_id, kind, name, scopes, person_id, created_by, created_at, changed_at)
       VALUES ('token', ${id}, 'client-api', 'T', '[]', 'ben', 'test', 1, 1)`,
    );
  });

  beforeEach(async () => {
    const snapshot = await source.readPolicy("acme", NOW);
    if (!snapshot) throw new Error("there is no instance");
    before = snapshot;
  });

  /** Kind of change, its statement, what to read from the policy, the expected value, and a statement that undoes the change. */
  it.each<[string, string, (policy: PolicySnapshot) => unknown, unknown, string]>([
    [
      "a setting",
      "UPDATE instances SET settings = json_set(settings, '$.displayName', 'Acme Ltd')",
      (policy) => policy.settings.displayName,
      "Acme Ltd",
      "UPDATE instances SET settings = json_remove(settings, '$.displayName')",
    ],
    ["the connection", "UPDATE instances SET single_sign_on = NULL", (policy) => policy.singleSignOns, [], "SELECT 1"],
    [
      "a key",
      "INSERT INTO signing_keys VALUES ('k1', (SELECT min(id) FROM instances), '{}', '', 'signing', 0, 0)",
      (policy) => policy.signingKey?.kid ?? null,
      "k1",
      "SELECT 1",
    ],
    [
      "a key's stage",
      "UPDATE signing_keys SET stage = 'next'",
      (policy) => policy.signingKey?.kid ?? null,
      null,
      "SELECT 1",
    ],
    ["a key's end", "DELETE FROM signing_keys", (policy) => policy.publishedKeys.size, 0, "SELECT 1"],
    [
      "an issuer",
      `INSERT INTO external_issuers (instance_id, issuer, configuration, created_at, changed_at) VALUES ((SELECT min(id) FROM instances), 'https://idp.example', '{"issuer":"https://idp.example","name":"IdP","clientIds":["a"],"scopes":["SEARCH"]}', 0, 0)`,
      (policy) => [...policy.externalIssuers.keys()],
      ["https://idp.example"],
      "SELECT 1",
    ],
    [
      "an issuer's switch",
      "UPDATE external_issuers SET disabled_at = 1",
      (policy) => policy.externalIssuers.size,
      0,
      "UPDATE external_issuers SET disabled_at = NULL",
    ],
    ["an issuer's end", "DELETE FROM external_issuers", (policy) => policy.externalIssuers.size, 0, "SELECT 1"],
    [
      "a person's deactivation",
      "UPDATE people SET deactivated_at = 1",
      (policy) => [...policy.deactivatedPeople],
      ["ben"],
      "SELECT 1",
    ],
    [
      "their return",
      "UPDATE people SET deactivated_at = NULL",
      (policy) => policy.deactivatedPeople.size,
      0,
      "SELECT 1",
    ],
    [
      "a token's change",
      `UPDATE service_tokens SET changed_at = ${NOW}`,
      (policy) => policy.changedServiceTokens.get("token"),
      NOW,
      "SELECT 1",
    ],
    [
      "an app's first permission, after it changed",
      "UPDATE clients SET changed_at = 5, last_authorized_at = 6",
      (policy) => [...policy.changedClients.keys()],
      ["app"],
      "SELECT 1",
    ],
    [
      "an app's scopes",
      `UPDATE clients SET scopes = '["CHAT"]'`,
      (policy) => policy.changedClients.get("app"),
      new Set(["CHAT"]),
      "SELECT 1",
    ],
    [
      "an app's switch",
      "UPDATE clients SET disabled_at = 1",
      (policy) => [...policy.disabledClients],
      ["app"],
      "UPDATE clients SET disabled_at = NULL",
    ],
    [
      "a revocation",
      `UPDATE grants SET revoked_at = ${NOW} WHERE id = 'alive'`,
      (policy) => policy.revokedGrants.has("alive"),
      true,
      "SELECT 1",
    ],
  ])("report %s, even if SQL wrote it directly", async (_, statement, read, expected, undo) => {
    expect(await source.renewPolicy(before, NOW)).toBe(before);
    await run(statement);
    expect(read(await renewed())).toEqual(expected);
    const whole = await source.readPolicy("acme", NOW);
    expect(whole && read(whole)).toEqual(expected);
    await run(undo);
  });

  it("make isolates read a person's service-issued tokens again after deactivation and after reactivation", async () => {
    for (const deactivatedAt of ["1", "NULL"]) {
      const known = (await renewed()).changedServiceTokens.get("token") ?? 0;
      await run(`UPDATE people SET deactivated_at = ${deactivatedAt}`);
      expect((await renewed()).changedServiceTokens.get("token")).toBeGreaterThan(known);
    }
  });

  it.each([
    ["a grant whose last access token has expired", `UPDATE grants SET revoked_at = ${NOW} WHERE id = 'stale'`],
    ["a grant that never had one", `UPDATE grants SET revoked_at = ${NOW} WHERE id = 'unredeemed'`],
    ["a grant that was revoked before", `UPDATE grants SET revoked_at = ${NOW + 1} WHERE id = 'stale'`],
    ["a refresh", "UPDATE grants SET generation = generation + 1, rotated_at = 7 WHERE id = 'unredeemed'"],
    ["a sign-in", "UPDATE people SET last_sign_in_at = 1, directory_groups = '[\"a\"]', name = 'Benjamin'"],
    ["a token's use", "UPDATE service_tokens SET last_used_at = 5"],
    ["a key that is sealed again", "UPDATE signing_keys SET sealed_private_jwk = 'v2'"],
    ["an app's next permission", "UPDATE clients SET last_authorized_at = last_authorized_at + 1"],
  ])("don't include %s", async (_, statement) => {
    await run(statement);
    expect(await source.renewPolicy(before, NOW)).toBe(before);
  });

  it("of one instance don't affect another instance's policy", async () => {
    await makeInstance("other");
    const other = await source.readPolicy("other", NOW);
    await run("UPDATE people SET deactivated_at = 3 WHERE id = 'ben'");
    expect(other && (await source.renewPolicy(other, NOW))).toBe(other);
  });

  it("are swept in batches once they are older than the limit, and younger ones are kept", async () => {
    const count = async () =>
      (await env.DB.prepare("SELECT count(*) AS n FROM policy_changes").first<number>("n")) ?? 0;
    const all = await count();
    await run(
      "UPDATE policy_changes SET at = at - 7200 WHERE id IN (SELECT id FROM policy_changes ORDER BY id LIMIT 5)",
    );
    expect(await source.sweepChanges(3, 3600)).toBe(3);
    expect(await source.sweepChanges(3, 3600)).toBe(2);
    expect(await source.sweepChanges(3, 3600)).toBe(0);
    expect(await count()).toBe(all - 5);
  });

  describe("with many people", () => {
    async function costs(): Promise<{ whole: StorageCost; quiet: StorageCost; moved: StorageCost }> {
      const snapshot = await source.readPolicy("acme", NOW);
      if (!snapshot) throw new Error("there is no instance");
      const whole = await isolate.costOf(() => source.readPolicy("acme", NOW));
      const quiet = await isolate.costOf(() => source.renewPolicy(snapshot, NOW));
      await run("UPDATE people SET deactivated_at = deactivated_at + 1 WHERE id = 'ben'");
      const moved = await isolate.costOf(() => source.renewPolicy(snapshot, NOW));
      await run("DELETE FROM policy_changes WHERE id = (SELECT max(id) FROM policy_changes)");
      await run("DELETE FROM policy_changes WHERE id = (SELECT max(id) FROM policy_changes)");
      return { whole, quiet, moved };
    }

    it("cost as much to read as with few, and at most one row if nothing changed", async () => {
      const few = await costs();
      const everybody = (revoked: string) =>
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO people (id, instance_id, email, name, created_at, deactivated_at)
         SELECT 'p' || i, (SELECT min(id) FROM instances), 'p' || i || '@acme.example', 'P', 0, ${revoked} FROM n`;
      await run(everybody("i % 2"));
      expect(await costs()).toEqual(few);
      expect(few.quiet).toEqual({
        statements: 1,
        roundTrips: 1,
        rowsRead: expect.any(Number),
        rowsWritten: 0,
        calls: 0,
        inSequence: 1,
      });
      expect(few.quiet.rowsRead).toBeLessThanOrEqual(1);
      expect(few.moved.statements).toBe(1);
    });
  });
});
