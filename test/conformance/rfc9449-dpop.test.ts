import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, type Changes, postForm, REDIRECT_URI, search, type TokenAnswer } from "../support/app-client.ts";
import { DpopKey, nonceOf } from "../support/dpop-key.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

const SEARCH = "/rest/api/v1/search";
const TOKEN = "/oauth/token";

describe("tokens that are bound to a key (RFC 9449)", () => {
  let instance: InstanceRecord;
  let app: AppClient;
  let confidential: AppClient;
  let key: DpopKey;
  let other: DpopKey;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.madeByAdministrator(instance);
    confidential = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_post" });
    [key, other] = [await DpopKey.make(), await DpopKey.make()];
  });
  afterEach(() => void vi.useRealTimers());

  /** Sends a form to the token endpoint, with a proof if there is one. */
  function ask(by: AppClient, fields: Changes, proof?: string): Promise<Response> {
    const client = { client_id: by.clientId, client_secret: by.secret };
    return postForm(TOKEN, { ...client, ...fields }, proof === undefined ? {} : { DPoP: proof });
  }

  async function redeem(by: AppClient, proof?: string, asked: Changes = {}): Promise<Response> {
    const { code, verifier } = await by.authorize("ben", { scope: "SEARCH offline_access", ...asked });
    return ask(
      by,
      { grant_type: "authorization_code", redirect_uri: REDIRECT_URI, code, code_verifier: verifier },
      proof,
    );
  }

  function refresh(by: AppClient, token: string | undefined, proof?: string): Promise<Response> {
    return ask(by, { grant_type: "refresh_token", refresh_token: token }, proof);
  }

  async function expectBound(response: Response, to: DpopKey): Promise<TokenAnswer> {
    expect(response.status).toBe(200);
    const tokens = await response.json<TokenAnswer>();
    expect(tokens.token_type).toBe("DPoP");
    expect(takeApart(tokens.access_token).claims["cnf"]).toEqual({ jkt: to.thumbprint });
    return tokens;
  }

  async function boundTokens(by = app, to = key): Promise<TokenAnswer> {
    return expectBound(await redeem(by, await to.freshProof()), to);
  }

  function call(headers: Record<string, string>, path = SEARCH, origin = ORIGIN): Promise<Response> {
    return send(origin + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ query: "token" }),
    });
  }

  /** Expects a 401 with a challenge for DPoP alone. */
  async function expectChallenge(response: Response, error: string): Promise<void> {
    await response.body?.cancel();
    expect(response.status).toBe(401);
    const challenge = response.headers.get("WWW-Authenticate") ?? "";
    expect(challenge).toMatch(/^DPoP resource_metadata="/);
    expect(challenge).toContain(`error="${error}"`);
    expect(challenge).toMatch(/, algs="ES256 PS256 Ed25519 EdDSA"$/);
    expect(response.headers.get("DPoP-Nonce")).toMatch(/^[\w-]{46}$/);
  }

  it("are issued for a code and a refresh with a proof, and open the APIs with another proof (§5, §7.1)", async () => {
    const first = await boundTokens();
    const second = await expectBound(await refresh(app, first.refresh_token, await key.freshProof()), key);
    for (const { access_token: token } of [first, second]) {
      const response = await call(await key.headers(token, SEARCH));
      expect(response.status).toBe(200);
      expect(response.headers.get("DPoP-Nonce")).toBe(await nonceOf());
    }
    const tools = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: { query: "a" } },
    };
    const headers = { "Content-Type": "application/json", ...(await key.headers(second.access_token, "/mcp")) };
    const answer = await send("/mcp", { method: "POST", headers, body: JSON.stringify(tools) });
    expect(answer.status).toBe(200);
  });

  it("change nothing for bearer apps: no header, no claim, no other type", async () => {
    const response = await redeem(app);
    expect(response.headers.has("DPoP-Nonce")).toBe(false);
    const { access_token } = await expectTokens(response);
    expect(takeApart(access_token).claims).not.toHaveProperty("cnf");
    const found = await search(access_token);
    expect(found.status).toBe(200);
    expect(found.headers.has("DPoP-Nonce")).toBe(false);
  });

  it("require a nonce first, and the request without it doesn't use up the code (§8)", async () => {
    const { code, verifier } = await app.authorize();
    const fields = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI, code, code_verifier: verifier };
    const refused = await ask(app, fields, await key.proof());
    const nonce = refused.headers.get("DPoP-Nonce") ?? "";
    await expectOAuthError(refused, 400, "use_dpop_nonce");
    await expectBound(await ask(app, fields, await key.proof({ claims: { nonce } })), key);
  });

  it("need no nonce if an administrator has turned that off", async () => {
    await changeSettings(instance.name, { dpopNonceRequired: false });
    await expectBound(await redeem(app, await key.proof()), key);
    await changeSettings(instance.name, { dpopNonceRequired: true });
  });

  it.each<[string, () => Promise<string>]>([
    ["no JWT", async () => "nonsense"],
    ["two proofs", async () => `${await key.freshProof()}, ${await key.freshProof()}`],
    ["another endpoint", () => key.freshProof({ claims: { htu: `${ORIGIN}/oauth/revoke` } })],
    ["another instance", () => key.freshProof({ claims: { htu: "http://other.localhost/oauth/token" } })],
    [
      "https, where plain http was asked",
      () => key.freshProof({ claims: { htu: "https://acme.localhost/oauth/token" } }),
    ],
    ["a private key in it", () => key.freshProof({ header: { jwk: { ...key.publicJwk, d: "AA" } } })],
  ])("are refused for a proof with %s: invalid_dpop_proof (§5)", async (_what, make) => {
    await expectOAuthError(await redeem(app, await make()), 400, "invalid_dpop_proof");
  });

  it("are refused for a proof that was used before", async () => {
    const proof = await key.freshProof();
    const { refresh_token } = await expectBound(await redeem(app, proof), key);
    await expectOAuthError(await refresh(app, refresh_token, proof), 400, "invalid_dpop_proof");
    await expectBound(await refresh(app, refresh_token, await key.freshProof()), key);
  });

  it("of a public client are refreshed only with the same key, and a thief without it can't end them (§5)", async () => {
    const { refresh_token: first } = await boundTokens();
    await expectOAuthError(await refresh(app, first), 400, "invalid_grant");
    await expectOAuthError(await refresh(app, first, await other.freshProof()), 400, "invalid_grant");
    const { refresh_token: second } = await expectBound(await refresh(app, first, await key.freshProof()), key);
    // A repeated refresh gives the same successor, but only to the key's holder.
    await expectOAuthError(await refresh(app, first), 400, "invalid_grant");
    await expectOAuthError(await refresh(app, first, await other.freshProof()), 400, "invalid_grant");
    const repeated = await expectBound(await refresh(app, first, await key.freshProof()), key);
    expect(repeated.refresh_token).toBe(second);
    // Much later, the old token without the key comes from a thief and ends nothing; with the key, it is a reuse.
    travel(3600);
    await expectOAuthError(await refresh(app, first, await other.freshProof()), 400, "invalid_grant");
    await expectBound(await refresh(app, second, await key.freshProof()), key);
    await expectOAuthError(await refresh(app, first, await key.freshProof()), 400, "invalid_grant");
    await expectOAuthError(await refresh(app, second, await key.freshProof()), 400, "invalid_grant");
  });

  it("of a confidential client may change to another key, but never back to bearer tokens", async () => {
    const first = await boundTokens(confidential);
    await expectOAuthError(await refresh(confidential, first.refresh_token), 400, "invalid_grant");
    const moved = await refresh(confidential, first.refresh_token, await other.freshProof());
    const { refresh_token } = await expectBound(moved, other);
    await expectOAuthError(await refresh(confidential, refresh_token), 400, "invalid_grant");
  });

  it("stay bound once a bearer grant was refreshed with a key", async () => {
    const bearer = await expectTokens(await redeem(app));
    const { refresh_token } = await expectBound(await refresh(app, bearer.refresh_token, await key.freshProof()), key);
    await expectOAuthError(await refresh(app, refresh_token), 400, "invalid_grant");
  });

  it("are issued for a code with dpop_jkt to that key alone (§10)", async () => {
    const { code, verifier } = await app.authorize("ben", { dpop_jkt: key.thumbprint });
    const fields = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI, code, code_verifier: verifier };
    await expectOAuthError(await ask(app, fields), 400, "invalid_grant");
    await expectOAuthError(await ask(app, fields, await other.freshProof()), 400, "invalid_grant");
    await expectBound(await ask(app, fields, await key.freshProof()), key);
  });

  it.each(["x", "*".repeat(43), "A".repeat(44)])("can't be requested with dpop_jkt=%s", async (dpop_jkt) => {
    const response = await send(app.authorizeUrl("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", { dpop_jkt }));
    expectErrorAtApp(response, REDIRECT_URI, "invalid_request");
  });

  it("are refused as bearer tokens, before and after use, with a challenge that names both schemes (§7.2)", async () => {
    const { access_token: token } = await boundTokens();
    for (const _ of ["at first sight", "after use"]) {
      const response = await search(token);
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toMatch(
        /^Bearer resource_metadata=.* error="invalid_token", .*, DPoP algs="ES256 PS256 Ed25519 EdDSA"$/,
      );
      expect((await call(await key.headers(token, SEARCH))).status).toBe(200);
    }
  });

  it("are refused without an unused proof by their key for this token and this request (§4.3, §7.1)", async () => {
    const { access_token: token } = await boundTokens();
    const { access_token: another } = await boundTokens();
    await expectChallenge(await call({ Authorization: `DPoP ${token}` }), "invalid_dpop_proof");
    const nonceless = await key.headers(token, SEARCH, { claims: { nonce: undefined } });
    await expectChallenge(await call(nonceless), "use_dpop_nonce");
    await expectChallenge(await call(await other.headers(token, SEARCH)), "invalid_token");
    const { DPoP: ofAnother } = await key.headers(another, SEARCH);
    await expectChallenge(await call({ Authorization: `DPoP ${token}`, DPoP: ofAnother }), "invalid_dpop_proof");
    await expectChallenge(await call(await key.headers(token, "/mcp")), "invalid_dpop_proof");
    const good = await key.headers(token, SEARCH);
    expect((await call(good)).status).toBe(200);
    await expectChallenge(await call(good), "invalid_dpop_proof");
  });

  it("differ from bearer tokens, which are refused in the DPoP scheme and need no valid proof in the Bearer scheme", async () => {
    const { access_token: bearer } = await expectTokens(await redeem(app));
    await expectChallenge(await call(await key.headers(bearer, SEARCH)), "invalid_token");
    await expectChallenge(await call(await key.headers("nonsense", SEARCH)), "invalid_token");
    expect((await call({ Authorization: `Bearer ${bearer}`, DPoP: "nonsense" })).status).toBe(200);
  });

  it("end like other tokens, by revocation without a proof and by expiry", async () => {
    const { access_token, refresh_token } = await boundTokens();
    expect((await call(await key.headers(access_token, SEARCH))).status).toBe(200);
    expect((await app.revoke(refresh_token)).status).toBe(200);
    await expectChallenge(await call(await key.headers(access_token, SEARCH)), "invalid_token");
    const next = await boundTokens();
    travel(3601);
    await expectChallenge(await call(await key.headers(next.access_token, SEARCH)), "invalid_token");
  });

  it("are reported by introspection with the type DPoP and their key (§6.2)", async () => {
    const { access_token: token } = await boundTokens(confidential);
    const credentials = { client_id: confidential.clientId, client_secret: confidential.secret };
    const answer = await postForm("/oauth/introspect", { ...credentials, token });
    expect(await answer.json()).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: key.thumbprint } });
  });

  it("open UserInfo only in the DPoP scheme, with a proof for GET", async () => {
    const { access_token: token } = await expectBound(
      await redeem(app, await key.freshProof(), { scope: "openid SEARCH" }),
      key,
    );
    const userInfo = (headers: Record<string, string>) => send("/oauth/userinfo", { headers });
    const head = await key.headers(token, "/oauth/userinfo", { claims: { htm: "GET" } });
    expect((await userInfo(head)).status).toBe(200);
    const asBearer = await userInfo({ Authorization: `Bearer ${token}` });
    expect(asBearer.status).toBe(401);
    const posted = await userInfo(await key.headers(token, "/oauth/userinfo"));
    expect(posted.headers.get("WWW-Authenticate")).toMatch(/^DPoP error="invalid_dpop_proof", algs=/);
    expect(posted.headers.get("DPoP-Nonce")).toBe(await nonceOf());
    // HEAD is handled as a GET, so it takes a proof for GET.
    for (const [htm, status] of [
      ["HEAD", 401],
      ["GET", 200],
    ] as const) {
      const headers = await key.headers(token, "/oauth/userinfo", { claims: { htm } });
      expect((await send("/oauth/userinfo", { method: "HEAD", headers })).status).toBe(status);
    }
  });

  it("don't make UserInfo store proofs after they have ended, which could push out those of others", async () => {
    const tokens = await expectBound(
      await redeem(app, await key.freshProof(), { scope: "openid SEARCH offline_access" }),
      key,
    );
    expect((await app.revoke(tokens.refresh_token)).status).toBe(200);
    const headers = await key.headers(tokens.access_token, "/oauth/userinfo", { claims: { htm: "GET" } });
    for (const _ of ["first", "again"]) {
      const answer = await send("/oauth/userinfo", { headers });
      expect(answer.headers.get("WWW-Authenticate")).toMatch(/^DPoP error="invalid_token", algs=/);
    }
  });

  it("of identity providers are refused as bearer tokens and with another key too (§7.2)", async () => {
    const issuer = await TestIssuer.publishing("rsa");
    await issuer.register(instance);
    const announced = { "X-Gatehouse-Auth-Type": "OAUTH" };
    const token = await issuer.token({ cnf: { jkt: key.thumbprint } });
    for (const _ of ["at first sight", "after use"]) {
      expect((await search(token, undefined, announced)).status).toBe(401);
      expect((await call({ ...announced, ...(await key.headers(token, SEARCH)) })).status).toBe(200);
      await expectChallenge(await call({ ...announced, ...(await other.headers(token, SEARCH)) }), "invalid_token");
    }
    for (const cnf of [
      { "x5t#S256": key.thumbprint },
      { jkt: key.thumbprint, "x5t#S256": key.thumbprint },
      { jkt: "x" },
    ]) {
      const refused = await issuer.token({ cnf });
      await expectChallenge(await call({ ...announced, ...(await key.headers(refused, SEARCH)) }), "invalid_token");
    }
  });

  it("are refused at another instance with either instance's nonce, and here with the other instance's nonce", async () => {
    const there = "http://other.localhost";
    await makeInstance("other");
    const { access_token: token } = await boundTokens();
    for (const nonce of [await nonceOf(), await nonceOf(there)]) {
      const headers = await key.headers(token, SEARCH, { claims: { nonce } }, there);
      const response = await call(headers, SEARCH, there);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: "invalid_secret" });
    }
    const foreign = await key.headers(token, SEARCH, { claims: { nonce: await nonceOf(there) } });
    await expectChallenge(await call(foreign), "use_dpop_nonce");
  });

  it("are announced in the metadata of both roles (§5.1)", async () => {
    const algorithms = { dpop_signing_alg_values_supported: ["ES256", "PS256", "Ed25519", "EdDSA"] };
    for (const path of ["oauth-authorization-server", "openid-configuration", "oauth-protected-resource/mcp"]) {
      expect(await (await send(`/.well-known/${path}`)).json()).toMatchObject(algorithms);
    }
  });

  it("are available to web apps: CORS allows the DPoP header and exposes DPoP-Nonce", async () => {
    const asking = {
      Origin: "https://app.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization, dpop",
    };
    for (const path of [TOKEN, SEARCH, "/mcp"]) {
      const allowed = await send(path, { method: "OPTIONS", headers: asking });
      expect(allowed.headers.get("Access-Control-Allow-Headers")).toMatch(/dpop/i);
      const headers = { Origin: "https://app.example", DPoP: "none", Authorization: "DPoP none" };
      const answer = await send(path, { method: "POST", headers });
      expect(answer.headers.get("Access-Control-Expose-Headers")).toMatch(/DPoP-Nonce/);
    }
  });
});
