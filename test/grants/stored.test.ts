import { sha256 } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient, type TokenAnswer } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, travel } from "../support/world.ts";

let instance: InstanceRecord;
let app: AppClient;

beforeAll(async () => {
  instance = await makeInstance();
  app = await AppClient.registered();
});

afterEach(() => void vi.useRealTimers());

/** Returns the rows of tables, as text. */
async function stored(...tables: readonly string[]): Promise<string> {
  const rows = await env.DB.batch(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`)));
  return JSON.stringify(rows.map(({ results }) => results));
}

async function lastEnding() {
  const [entry] = await auditEntries(instance, "grants_ended", 1);
  return entry?.detail;
}

function grantIdOf(tokens: TokenAnswer): string {
  return String(decodeJwt(tokens.access_token)["grant_id"]);
}

describe("an authorization code in the database", () => {
  it("is only its hash, and two codes of one person start differently", async () => {
    const codes = await Promise.all(["ben", "ben"].map(async (sub) => (await app.authorize(sub)).code));
    expect(new Set(codes.map((code) => code.slice(0, 8))).size).toBe(2);
    const rows = await stored("grants", "authorization_requests", "audit");
    for (const code of codes) {
      expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(rows).not.toContain(code);
      expect(rows).toContain(await sha256(code));
    }
  });

  it("gives one grant, however many redeem it at once", async () => {
    const authorized = await app.authorize();
    await Promise.all(Array.from({ length: 20 }, () => app.redeem(authorized)));
    const grants = env.DB.prepare("SELECT COUNT(*) AS n FROM grants WHERE code_hash = ?1");
    expect(await grants.bind(await sha256(authorized.code)).first("n")).toBe(1);
  });

  it("is in the audit when it is redeemed again", async () => {
    const authorized = await app.authorize();
    const tokens = await expectTokens(await app.redeem(authorized));
    await expectOAuthError(await app.redeem(authorized), 400, "invalid_grant");
    expect(await lastEnding()).toMatchObject({ grantId: grantIdOf(tokens), reason: "code_replayed" });
  });
});

describe("a refresh token in the database", () => {
  it("is not stored, and neither is its access token", async () => {
    const { refresh_token = "", access_token } = await app.tokens();
    const rows = await stored("grants");
    expect(refresh_token).not.toBe("");
    expect(rows).not.toContain(refresh_token);
    expect(rows).not.toContain(access_token);
  });

  it("advances its grant by one step, however many refresh with it at once", async () => {
    const first = await app.tokens();
    await Promise.all(Array.from({ length: 20 }, () => app.refresh(first.refresh_token)));
    const grants = env.DB.prepare("SELECT generation FROM grants WHERE id = ?1");
    expect(await grants.bind(grantIdOf(first)).first("generation")).toBe(1);
  });

  it("is in the audit when an old one is used", async () => {
    const first = await app.tokens();
    await expectTokens(await app.refresh(first.refresh_token));
    travel(602);
    await expectOAuthError(await app.refresh(first.refresh_token), 400, "invalid_grant");
    expect(await lastEnding()).toMatchObject({
      grantId: grantIdOf(first),
      grants: 1,
      reason: "refresh_token_reused",
    });
  });

  it("changes nothing when it is revoked again", async () => {
    const { refresh_token } = await app.tokens();
    await app.revoke(refresh_token);
    const before = await stored("grants");
    expect((await app.revoke(refresh_token)).status).toBe(200);
    expect(await stored("grants")).toBe(before);
  });
});
