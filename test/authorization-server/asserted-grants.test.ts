import { hashToken } from "#crypto/secrets.ts";
import { endAssertedGrants } from "#grants/ending.sql.ts";
import { type AssertedGrant, GRANTS_PER_PERSON_AND_HOUR } from "#grants/token-grants.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import { forgetGroupsOfIssuer } from "#people/issuer-groups.sql.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, postForm } from "../support/app-client.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { signOut } from "../support/people.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, ORIGIN, policyOf } from "../support/world.ts";
import { audited } from "../support/audited.ts";
import { env } from "../support/isolate.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

describe("grants of identity assertions", () => {
  let acme: InstanceRecord;
  let idp: TestIssuer;
  let app: AppClient;

  beforeAll(async () => {
    acme = await makeInstance();
    idp = await TestIssuer.publishing("rsa");
    app = await AppClient.madeByAdministrator(acme);
    const clientIds = [app.clientId];
    await idp.register(acme, { accepts: "id-jags", clientIds, audiences: [], scopes: ["SEARCH", "CHAT"] });
  });

  async function present(): Promise<Response> {
    const forge = await idp.forge("rsa");
    const iat = Math.floor(Date.now() / 1000);
    const named = { azp: undefined, aud: ORIGIN, client_id: app.clientId, jti: crypto.randomUUID() };
    const assertion = await forge.sign(
      { ...forge.header, typ: "oauth-id-jag+jwt" },
      { ...forge.claims, ...named, iat, exp: iat + 300 },
    );
    return postForm("/oauth/token", { grant_type: JWT_BEARER, assertion, client_id: app.clientId });
  }

  /** Returns what writes the grant of an assertion that was checked just now. */
  async function writer() {
    const { claims } = takeApart((await expectTokens(await present())).access_token);
    const now = Math.floor(Date.now() / 1000);
    const { version: policyVersion } = await policyOf(acme);
    return async (changes: Partial<AssertedGrant>, issuedAt = now) =>
      new D1TokenGrants(audited()).addAsserted({
        id: crypto.randomUUID(),
        instanceId: acme.id,
        issuer: ORIGIN,
        personId: String(claims["sub"]),
        scope: "SEARCH",
        resource: ORIGIN,
        codeHash: await hashToken(crypto.randomUUID()),
        createdAt: now,
        tokensUntil: now + 60,
        credentials: { clientId: app.clientId, proof: null },
        assertedBy: idp.url,
        signedInAt: now,
        basis: { policyVersion, issuedAt },
        exchanged: null,
        keyThumbprint: undefined,
        ...changes,
      });
  }

  it.each([
    ["requirements", '["dpop"]', undefined, "a-thumbprint"],
    ["declared_requirements", '["dpop"]', undefined, "a-thumbprint"],
    ["requirements", '["private_key_jwt"]', undefined, undefined],
  ])(
    "are not written without what the client must meet since the assertion was checked: %s %s",
    async (column, required, without, met) => {
      const write = await writer();
      const demand = (value: string) =>
        env.DB.prepare(`UPDATE clients SET ${column} = ?1 WHERE id = ?2`).bind(value, app.clientId).run();
      await demand(required);
      // The first would extend a running grant, the second would be a new one.
      for (const scope of ["SEARCH", "CHAT"]) {
        expect(await write({ scope, keyThumbprint: without })).toBeNull();
        if (met !== undefined) expect(await write({ scope, keyThumbprint: met })).not.toBeNull();
      }
      await demand("[]");
      for (const scope of ["SEARCH", "CHAT"]) expect(await write({ scope })).not.toBeNull();
      await env.DB.prepare("DELETE FROM grants").run();
    },
  );

  it("are limited per person and hour, apart from what the person allows", async () => {
    const write = await writer();
    await env.DB.prepare("DELETE FROM grants").run();
    for (let at = 0; at < GRANTS_PER_PERSON_AND_HOUR; at += 1) await write({ resource: `${ORIGIN}/${at}` });
    expect(await write({ resource: `${ORIGIN}/more` })).toBeNull();
    await env.DB.prepare("UPDATE grants SET asserted_by = NULL").run();
    expect(await write({ resource: `${ORIGIN}/more` })).not.toBeNull();
  });

  it("are not written if the person is signed out after the assertion was checked", async () => {
    const now = Math.floor(Date.now() / 1000);
    const write = await writer();
    const add = (scope: string, issuedAt: number) => write({ scope }, issuedAt);
    expect(await add("SEARCH", now - 20)).not.toBeNull();
    await signOut(acme, "ben@acme.example", now - 10);
    // The first would extend the grant above, the second would be a new one.
    expect(await add("SEARCH", now - 20)).toBeNull();
    expect(await add("CHAT", now - 10)).toBeNull();
    expect(await add("CHAT", now - 9.5)).not.toBeNull();
  });

  it("are not written by an isolate that has not read yet that another one disabled the issuer", async () => {
    await expectTokens(await present());
    const issuers = new D1ExternalIssuers(audited(), endAssertedGrants, forgetGroupsOfIssuer);
    const at = Math.floor(Date.now() / 1000);
    const entry = { instanceId: acme.id, at, actor: "ada", event: "external_issuer_disabled" } as const;
    expect(await issuers.disable(idp.url, { ...entry, detail: { issuer: idp.url } })).toBe(true);
    expect((await policyOf(acme)).externalIssuers.has(idp.url)).toBe(true);
    await expectOAuthError(await present(), 400, "invalid_grant");
  });
});
