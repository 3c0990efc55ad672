import type { InstanceRecord } from "#instance/instances.ts";
import { base64url } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, basic, postForm, register, REDIRECT_URI } from "../support/app-client.ts";
import { ASSERTION_TYPE, ClientKey } from "../support/asserting-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { DocumentHost } from "../support/document-host.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { disableClient, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

const JWKS_URI = "https://app.example/jwks.json";

describe("client authentication by a signed assertion (RFC 7523 §2.2)", () => {
  let instance: InstanceRecord;
  let grants: DirectGrants;
  let key: ClientKey;
  let host: DocumentHost;
  let documents = 0;

  beforeAll(async () => {
    instance = await makeInstance();
    grants = new DirectGrants(instance);
    key = await ClientKey.make();
  });
  beforeEach(() => {
    host = new DocumentHost();
    host.publish(JWKS_URI, { keys: [key.publicJwk] });
  });
  afterEach(() => vi.useRealTimers());

  /** Registers an app with keys. */
  async function registered(keys: Record<string, unknown> = { jwks: { keys: [key.publicJwk] } }): Promise<AppClient> {
    return AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", ...keys });
  }

  /** Makes an app with a client metadata document like ChatGPT's. */
  async function described(methods: readonly string[] = ["none", "private_key_jwt"]): Promise<AppClient> {
    documents += 1;
    const clientId = `https://app.example/oauth/${documents}/client.json`;
    host.publish(clientId, {
      client_id: clientId,
      client_name: "Described app",
      redirect_uris: ["https://app.example/connector_platform_oauth_redirect"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg: "RS256",
      jwks_uri: JWKS_URI,
    });
    const app = AppClient.of(clientId, "https://app.example/connector_platform_oauth_redirect");
    expect((await send(app.authorizeUrl("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))).status).toBe(302);
    return app;
  }

  /** Introspects an unknown token. The status 200 means that the client is authenticated. */
  async function statusOf(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<number> {
    const response = await postForm("/oauth/introspect", { token: "none", ...parameters }, headers);
    await response.body?.cancel();
    return response.status;
  }

  it.each(["ES256", "RS256", "PS256"])("authenticates a client with a key for %s", async (algorithm) => {
    const own = await ClientKey.make(algorithm);
    const app = await registered({ jwks: { keys: [own.publicJwk] } });
    const tokens = await expectTokens(await app.redeem(await grants.grant(app), await own.authenticates(app.clientId)));
    await expectTokens(await app.refresh(tokens.refresh_token, await own.authenticates(app.clientId)));
    expect((await app.revoke(tokens.refresh_token, await own.authenticates(app.clientId))).status).toBe(200);
  });

  it("accepts the token endpoint as audience, times with fractions, and an assertion with or without client_id", async () => {
    const { clientId } = await registered();
    const now = Date.now() / 1000;
    const claims = { aud: `${ORIGIN}/oauth/token`, iat: now - 0.25, exp: now + 59.75 };
    expect(await statusOf(await key.authenticates(clientId, claims))).toBe(200);
    const ours = { aud: [ORIGIN, `${ORIGIN}/oauth/token`] };
    expect(await statusOf({ client_id: clientId, ...(await key.authenticates(clientId, ours)) })).toBe(200);
  });

  it("finds a client's only inline key if neither it nor the assertion has a kid", async () => {
    const { kid: _, ...unnamed } = key.publicJwk;
    const { clientId } = await registered({ jwks: { keys: [unnamed] } });
    const assertion = await key.assertion(clientId, {}, { kid: undefined });
    expect(await statusOf({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion })).toBe(200);
  });

  it("fetches keys once for many requests, and again for a new key", async () => {
    const { clientId } = await registered({ jwks_uri: "https://app.example/rotating.json" });
    host.publish("https://app.example/rotating.json", { keys: [key.publicJwk] });
    for (let count = 0; count < 3; count += 1) expect(await statusOf(await key.authenticates(clientId))).toBe(200);
    expect(host.asked).toEqual(["https://app.example/rotating.json"]);
    const next = await ClientKey.make();
    host.publish("https://app.example/rotating.json", { keys: [next.publicJwk] });
    travel(31);
    expect(await statusOf(await next.authenticates(clientId))).toBe(200);
    expect(await statusOf(await key.authenticates(clientId))).toBe(401);
    expect(host.asked).toHaveLength(2);
  });

  it("responds with 503 and Retry-After while a client's keys can't be fetched", async () => {
    const { clientId } = await registered({ jwks_uri: "https://app.example/down.json" });
    host.goDown("https://app.example/down.json");
    const response = await postForm("/oauth/introspect", { token: "t", ...(await key.authenticates(clientId)) });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).not.toBeNull();
    expect(await response.json()).toMatchObject({ error: "temporarily_unavailable" });
  });

  describe("refusals", () => {
    let app: AppClient;
    beforeEach(async () => {
      app = await registered();
    });

    const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;

    it.each<[string, () => Readonly<Record<string, unknown>>]>([
      ["another issuer than the client", () => ({ iss: "somebody-else" })],
      ["another subject than the client", () => ({ sub: "somebody-else" })],
      ["the audience of another server", () => ({ aud: "https://other.example" })],
      ["an audience that another server shares", () => ({ aud: [ORIGIN, "https://other.example"] })],
      ["an audience in a list in a list", () => ({ aud: [[ORIGIN]] })],
      ["no audience", () => ({ aud: undefined })],
      ["an empty list of audiences", () => ({ aud: [] })],
      ["the audience with a slash", () => ({ aud: `${ORIGIN}/` })],
      ["a key that it is bound to", () => ({ cnf: { jkt: "A".repeat(43) } })],
      ["an event", () => ({ events: {} })],
      ["no end", () => ({ exp: undefined })],
      ["an end as a text", () => ({ exp: String(seconds(60)) })],
      ["an end that is past", () => ({ exp: seconds(-31) })],
      ["an end that is far away", () => ({ exp: seconds(3600) })],
      ["a beginning in the future", () => ({ nbf: seconds(120) })],
      ["an issue time in the future", () => ({ iat: seconds(120) })],
      ["no id", () => ({ jti: undefined })],
      ["an empty id", () => ({ jti: "" })],
      ["an id that is a number", () => ({ jti: 7 })],
      ["an id of a kilobyte", () => ({ jti: "x".repeat(1024) })],
    ])("refuses with invalid_client %s", async (_, claims) => {
      const parameters = await key.authenticates(app.clientId, claims());
      await expectOAuthError(
        await postForm("/oauth/token", { ...parameters, grant_type: "refresh_token" }),
        401,
        "invalid_client",
      );
    });

    it("refuses with invalid_client a key that isn't the client's, even with the same kid", async () => {
      const stranger = await ClientKey.make("ES256", key.kid);
      expect(await statusOf(await stranger.authenticates(app.clientId))).toBe(401);
    });

    it("refuses with invalid_client an assertion with its own key in the header", async () => {
      const stranger = await ClientKey.make();
      const assertion = await stranger.assertion(app.clientId, {}, { jwk: stranger.publicJwk });
      expect(await statusOf({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion })).toBe(401);
    });

    it.each(["at+jwt", "dpop+jwt", "logout+jwt"])("refuses with invalid_client a JWT of the type %s", async (typ) => {
      const assertion = await key.assertion(app.clientId, {}, { typ });
      expect(await statusOf({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion })).toBe(401);
    });

    it("refuses with invalid_client an assertion with alg none, and one with HS256", async () => {
      const claims = (await key.assertion(app.clientId)).split(".")[1] ?? "";
      for (const alg of ["none", "HS256"]) {
        const header = base64url.encode(JSON.stringify({ alg, kid: key.kid }));
        const parameters = { client_assertion_type: ASSERTION_TYPE, client_assertion: `${header}.${claims}.c2ln` };
        expect(await statusOf(parameters)).toBe(401);
      }
    });

    it("refuses with invalid_client claims with a repeated member", async () => {
      const [header = "", claims = "", signature = ""] = (await key.assertion(app.clientId)).split(".");
      const text = new TextDecoder().decode(base64url.decode(claims));
      const twice = base64url.encode(`{"sub":"x",${text.slice(1)}`);
      const parameters = { client_assertion_type: ASSERTION_TYPE, client_assertion: `${header}.${twice}.${signature}` };
      expect(await statusOf(parameters)).toBe(401);
    });

    it("refuses with invalid_client all but one of 20 parallel uses of an assertion", async () => {
      const parameters = await key.authenticates(app.clientId);
      const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(parameters)));
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 401)).toHaveLength(19);
    });

    it("refuses with invalid_client the client's public keys as JSON, sent as its secret", async () => {
      for (const text of [key.publicJwk, [key.publicJwk], { keys: [key.publicJwk] }].map((keys) =>
        JSON.stringify(keys),
      )) {
        expect(await statusOf({}, { Authorization: basic(app.clientId, text) })).toBe(401);
      }
    });

    it("refuses with invalid_client a request without an assertion, from a client that registered with private_key_jwt", async () => {
      await expectOAuthError(await app.redeem(await grants.grant(app)), 401, "invalid_client");
    });

    it("refuses with invalid_client an assertion of a disabled client", async () => {
      await disableClient(instance, app.clientId);
      expect(await statusOf(await key.authenticates(app.clientId))).toBe(401);
    });
  });

  it("refuses two authentication methods in one request, and incomplete assertions", async () => {
    const { clientId } = await registered();
    const assertion = await key.authenticates(clientId);
    await expectOAuthError(
      await postForm("/oauth/token", { ...assertion, client_secret: "s" }),
      400,
      "invalid_request",
    );
    const headers = { Authorization: basic(clientId, "s") };
    await expectOAuthError(await postForm("/oauth/token", assertion, headers), 400, "invalid_request");
    const { client_assertion_type: _, ...half } = assertion;
    await expectOAuthError(await postForm("/oauth/token", half), 400, "invalid_request");
    const saml = { ...assertion, client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" };
    await expectOAuthError(await postForm("/oauth/token", saml), 400, "invalid_request");
  });

  it("doesn't use up a client's code when another authenticated client presents it", async () => {
    const [app, other] = [await registered(), await registered()];
    const grant = await grants.grant(app);
    const wrong = { client_id: other.clientId, ...(await key.authenticates(other.clientId)) };
    await expectOAuthError(await app.redeem(grant, wrong), 400, "invalid_grant");
    await expectTokens(await app.redeem(grant, await key.authenticates(app.clientId)));
  });

  describe("of a client whose metadata document lists private_key_jwt", () => {
    it("works if the document lists none as well", async () => {
      const app = await described();
      const tokens = await expectTokens(
        await app.redeem(await grants.grant(app), await key.authenticates(app.clientId)),
      );
      await expectTokens(await app.refresh(tokens.refresh_token, await key.authenticates(app.clientId)));
    });

    it("is optional if the document lists none as well", async () => {
      const app = await described();
      const tokens = await expectTokens(await app.redeem(await grants.grant(app)));
      await expectTokens(await app.refresh(tokens.refresh_token));
    });

    it("is required for every refresh of a grant that began with an assertion", async () => {
      const app = await described();
      const first = await expectTokens(
        await app.redeem(await grants.grant(app), await key.authenticates(app.clientId)),
      );
      await expectOAuthError(await app.refresh(first.refresh_token), 401, "invalid_client");
      const next = await expectTokens(await app.refresh(first.refresh_token, await key.authenticates(app.clientId)));
      // The previous token, within the repeat window and later, gives no tokens without an assertion, and doesn't end the grant.
      await expectOAuthError(await app.refresh(first.refresh_token), 401, "invalid_client");
      travel(3600);
      await expectOAuthError(await app.refresh(first.refresh_token), 401, "invalid_client");
      await expectTokens(await app.refresh(next.refresh_token, await key.authenticates(app.clientId)));
    });

    it("may begin at a refresh, and is required from then on", async () => {
      const app = await described();
      const first = await expectTokens(await app.redeem(await grants.grant(app)));
      const next = await expectTokens(await app.refresh(first.refresh_token, await key.authenticates(app.clientId)));
      await expectOAuthError(await app.refresh(next.refresh_token), 401, "invalid_client");
    });

    it("refuses a wrong assertion instead of ignoring it", async () => {
      const app = await described();
      const stranger = await ClientKey.make("ES256", key.kid);
      const grant = await grants.grant(app);
      await expectOAuthError(
        await app.redeem(grant, await stranger.authenticates(app.clientId)),
        401,
        "invalid_client",
      );
    });

    it("is required if the document doesn't list none", async () => {
      const app = await described(["private_key_jwt"]);
      const grant = await grants.grant(app);
      await expectOAuthError(await app.redeem(grant), 401, "invalid_client");
      await expectTokens(await app.redeem(grant, await key.authenticates(app.clientId)));
    });
  });

  describe("keys in client metadata (RFC 7591 §2)", () => {
    async function expectRefusedKeys(keys: Record<string, unknown>): Promise<void> {
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "private_key_jwt", ...keys };
      await expectOAuthError(await register(metadata), 400, "invalid_client_metadata");
    }

    it.each<[string, (jwk: Record<string, unknown>) => Record<string, unknown>]>([
      ["no keys", () => ({})],
      ["both an address and keys", (jwk) => ({ jwks_uri: JWKS_URI, jwks: { keys: [jwk] } })],
      ["an empty set", () => ({ jwks: { keys: [] } })],
      ["five keys", (jwk) => ({ jwks: { keys: [jwk, jwk, jwk, jwk, jwk] } })],
      ["a list in place of a set", (jwk) => ({ jwks: [jwk] })],
      ["a private key", (jwk) => ({ jwks: { keys: [{ ...jwk, d: "AAAA" }] } })],
      ["a symmetric key", () => ({ jwks: { keys: [{ kty: "oct", k: "AAAA" }] } })],
      ["a key for encryption", (jwk) => ({ jwks: { keys: [{ ...jwk, use: "enc" }] } })],
      ["a key on another curve", (jwk) => ({ jwks: { keys: [{ ...jwk, crv: "P-384" }] } })],
      ["a key whose coordinates are padded", (jwk) => ({ jwks: { keys: [{ ...jwk, x: `${String(jwk["x"])}=` }] } })],
      ["an RSA key of 1024 bits", () => ({ jwks: { keys: [{ kty: "RSA", e: "AQAB", n: "_".repeat(171) }] } })],
      ["an RSA key of 16384 bits", () => ({ jwks: { keys: [{ kty: "RSA", e: "AQAB", n: "_".repeat(2730) + "8" }] } })],
      ["an address on plain http", () => ({ jwks_uri: "http://app.example/jwks.json" })],
      ["an address with user information", () => ({ jwks_uri: "https://me@app.example/jwks.json" })],
      ["an address that is none", () => ({ jwks_uri: 7 })],
    ])("are refused: %s", async (_, keys) => {
      await expectRefusedKeys(keys({ ...key.publicJwk }));
    });

    it("are returned without unknown members, and without a client secret", async () => {
      const { kty, crv, x, y, kid, alg } = key.publicJwk;
      const inline = await register({
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ ...key.publicJwk, x5c: ["MII"], unknown: 1 }] },
      });
      const answer = await inline.json<Record<string, unknown>>();
      expect(answer).toMatchObject({ token_endpoint_auth_method: "private_key_jwt" });
      expect(answer["jwks"]).toEqual({ keys: [{ kty, crv, x, y, kid, alg }] });
      expect(answer).not.toHaveProperty("client_secret");
    });
  });
});
