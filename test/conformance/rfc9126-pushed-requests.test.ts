import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, basic, CHALLENGE, type Changes, postForm, REDIRECT_URI, VERIFIER } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { DocumentHost } from "../support/document-host.ts";
import { DpopKey, nonceOf } from "../support/dpop-key.ts";
import { expectErrorAtApp, expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { changeSettings, disableClient, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

const PAR = "/oauth/par";
const REFERENCE = /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/;

describe("pushed authorization requests (RFC 9126)", () => {
  let instance: InstanceRecord;
  let app: AppClient;
  let confidential: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    await makeInstance("other");
    app = await AppClient.madeByAdministrator(instance);
    confidential = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_post" });
  });
  afterEach(() => void vi.useRealTimers());

  /** Pushes an app's usual request with changes, and returns the response, even an error. */
  function push(by: AppClient, changes: Changes = {}, headers: Record<string, string> = {}): Promise<Response> {
    const usual = Object.fromEntries(new URL(by.authorizeUrl(CHALLENGE)).searchParams);
    return postForm(by.origin + PAR, { ...usual, client_secret: by.secret, ...changes }, headers);
  }

  async function pushed(by = app, changes: Changes = {}, headers: Record<string, string> = {}): Promise<string> {
    const response = await push(by, changes, headers);
    expect(response.status).toBe(201);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const { request_uri, expires_in } = await response.json<{ request_uri: string; expires_in: number }>();
    expect(request_uri).toMatch(REFERENCE);
    expect(expires_in).toBe(90);
    return request_uri;
  }

  function urlOf(requestUri: string, by = app, changes: Record<string, string> = {}): string {
    const parameters = new URLSearchParams({ client_id: by.clientId, request_uri: requestUri, ...changes });
    return `${by.origin}/oauth/authorize?${parameters.toString()}`;
  }

  /** Expects a redirect to sign in. */
  async function expectTaken(response: Response): Promise<void> {
    await response.body?.cancel();
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toMatch(/\/authorize\?|\/auth\?/);
  }

  it("lead to a code, with the state that was pushed and our iss", async () => {
    const browser = app.browser(signedInDirectly("ben", send));
    const consent = await browser.visit(urlOf(await pushed(app, { state: "pushed", scope: "SEARCH" })));
    if ("leftFor" in consent) throw new Error(consent.leftFor);
    const answer = await browser.press(consent, { name: "decision", value: "allow" });
    if (!("leftFor" in answer)) throw new Error("no answer");
    const { searchParams } = new URL(answer.leftFor);
    expect({ state: searchParams.get("state"), iss: searchParams.get("iss") }).toEqual({
      state: "pushed",
      iss: ORIGIN,
    });
    const code = searchParams.get("code") ?? "";
    const { scope } = await expectTokens(await app.redeem({ code, verifier: VERIFIER }));
    expect(scope).toBe("SEARCH");
  });

  it("work once, and for 90 seconds (§2.2, §4)", async () => {
    const once = await pushed();
    await expectTaken(await send(urlOf(once)));
    await expectPage(await send(urlOf(once)), 400);
    const late = await pushed();
    travel(91);
    await expectPage(await send(urlOf(late)), 400);
  });

  it("work for exactly one of ten parallel requests", async () => {
    const requestUri = await pushed();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(urlOf(requestUri))));
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it("work only for their client, instance and origin, and aren't used up by a wrong attempt", async () => {
    const requestUri = await pushed();
    await expectPage(await send(urlOf(requestUri, confidential)), 400);
    const elsewhere = await AppClient.registered({}, "http://other.localhost");
    await expectPage(await send(urlOf(requestUri, elsewhere)), 400);
    await expectPage(await send(urlOf(requestUri).replace("acme.localhost/", "acme.localhost:8788/")), 400);
    const shorter = requestUri.slice(0, -1);
    for (const wrong of [shorter, `${requestUri}A`, "urn:ietf:params:oauth:request_uri:"]) {
      await expectPage(await send(urlOf(wrong)), 400);
    }
    await expectTaken(await send(urlOf(requestUri)));
  });

  it("replace all parameters: others in the URL are ignored (§4)", async () => {
    const requestUri = await pushed(app, { scope: "SEARCH", state: "pushed" });
    const beside = { redirect_uri: "https://attacker.example/cb", scope: "CHAT", state: "other", request: "e30.e30." };
    const browser = app.browser(signedInDirectly("ben", send));
    const consent = await browser.visit(urlOf(requestUri, app, beside));
    if ("leftFor" in consent) throw new Error(consent.leftFor);
    const answer = await browser.press(consent, { name: "decision", value: "deny" });
    if (!("leftFor" in answer)) throw new Error("no answer");
    expect(answer.leftFor.startsWith(REDIRECT_URI)).toBe(true);
    expect(new URL(answer.leftFor).searchParams.get("state")).toBe("pushed");
  });

  it.each<[string, Changes, string]>([
    [
      "no redirect URI, though one alone is registered (FAPI 2.0 §5.3.2.2)",
      { redirect_uri: undefined },
      "invalid_request",
    ],
    ["a redirect URI of somebody else", { redirect_uri: "https://attacker.example/cb" }, "invalid_request"],
    ["no PKCE", { code_challenge: undefined }, "invalid_request"],
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["scopes that mean nothing", { scope: "profile" }, "invalid_scope"],
    ["a resource of somebody else", { resource: "https://api.example" }, "invalid_target"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["a reference", { request_uri: "urn:ietf:params:oauth:request_uri:x" }, "request_uri_not_supported"],
    ["a long state", { state: "x".repeat(4097) }, "invalid_request"],
  ])("are refused by the rules of the authorization endpoint with %s (§2.1, §2.3)", async (_what, changes, error) => {
    await expectOAuthError(await push(app, changes), 400, error);
  });

  it("require the same client authentication as the token endpoint (§2)", async () => {
    await expectOAuthError(await push(confidential, { client_secret: undefined }), 401, "invalid_client");
    await expectOAuthError(
      await push(confidential, { client_secret: "wrong", scope: "profile" }),
      401,
      "invalid_client",
    );
    await expectOAuthError(await push(app, { client_id: "unknown" }), 401, "invalid_client");
    await expectOAuthError(await push(app, { client_id: undefined }), 401, "invalid_client");
    await expectTaken(await send(urlOf(await pushed(confidential), confidential)));
    const byBasic = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_basic" });
    const Authorization = basic(byBasic.clientId, byBasic.secret ?? "");
    await pushed(byBasic, { client_id: undefined, client_secret: undefined }, { Authorization });
    const wrong = await push(byBasic, { client_secret: undefined }, { Authorization: basic(byBasic.clientId, "no") });
    expect(wrong.headers.get("WWW-Authenticate")).toMatch(/^Basic /);
    await expectOAuthError(wrong, 401, "invalid_client");
  });

  it("are refused once their client is disabled", async () => {
    const gone = await AppClient.madeByAdministrator(instance);
    const requestUri = await pushed(gone);
    await disableClient(instance, gone.clientId);
    await expectPage(await send(urlOf(requestUri, gone)), 400);
    await expectOAuthError(await push(gone), 401, "invalid_client");
  });

  it("have no link for another account if the app must push requests, and otherwise one that keeps dpop_jkt", async () => {
    const pushing = await AppClient.registered({ require_pushed_authorization_requests: true });
    const pageOf = async (by: AppClient, requestUri: string) => {
      const page = await by.browser(signedInDirectly("ben", send)).visit(urlOf(requestUri, by));
      return "html" in page ? page.html : "";
    };
    const html = await pageOf(pushing, await pushed(pushing));
    expect(html).toContain("ben@acme.example");
    expect(html).not.toContain("select_account");
    const { thumbprint } = await DpopKey.make();
    expect(await pageOf(app, await pushed(app, { dpop_jkt: thumbprint }))).toContain(`dpop_jkt=${thumbprint}&amp;`);
  });

  it("can't be named by a URL of the app, which gets request_uri_not_supported by redirect", async () => {
    const response = await send(app.authorizeUrl(CHALLENGE, { request_uri: "https://app.example/request.jwt" }));
    expectErrorAtApp(response, REDIRECT_URI, "request_uri_not_supported");
  });

  it("require OAuth to be on, and POST", async () => {
    expect((await send(PAR)).status).toBe(405);
    await changeSettings(instance.name, { oauthEnabled: false });
    expect((await push(app)).status).toBe(403);
    await changeSettings(instance.name, { oauthEnabled: true });
  });

  it("are announced in the metadata (§5)", async () => {
    const metadata = await (await send("/.well-known/oauth-authorization-server")).json();
    expect(metadata).toMatchObject({ pushed_authorization_request_endpoint: ORIGIN + PAR });
  });

  describe("with a DPoP key", () => {
    let key: DpopKey;

    beforeEach(async () => {
      key = await DpopKey.make();
    });

    async function redeem(requestUri: string, proof?: string): Promise<Response> {
      const browser = app.browser(signedInDirectly("ben", send));
      const consent = await browser.visit(urlOf(requestUri));
      if ("leftFor" in consent) throw new Error(consent.leftFor);
      const answer = await browser.press(consent, { name: "decision", value: "allow" });
      const code = new URL("leftFor" in answer ? answer.leftFor : "").searchParams.get("code") ?? "";
      const fields = { grant_type: "authorization_code", client_id: app.clientId, code, code_verifier: VERIFIER };
      return postForm("/oauth/token", fields, proof === undefined ? {} : { DPoP: proof });
    }

    const proofFor = (by: DpopKey, nonce?: string) =>
      by.freshProof({ claims: { htu: ORIGIN + PAR, ...(nonce === undefined ? {} : { nonce }) } });

    it("give a code that only the key of the proof or of dpop_jkt can redeem (RFC 9449 §10.1)", async () => {
      const requestUri = await pushed(app, {}, { DPoP: await proofFor(key) });
      const other = await DpopKey.make();
      await expectOAuthError(await redeem(requestUri, await other.freshProof()), 400, "invalid_grant");
      const again = await pushed(app, { dpop_jkt: key.thumbprint }, { DPoP: await proofFor(key) });
      expect((await redeem(again, await key.freshProof())).status).toBe(200);
      await expectOAuthError(await redeem(await pushed(app, { dpop_jkt: key.thumbprint })), 400, "invalid_grant");
    });

    it("are refused with a proof by another key than that of dpop_jkt, and with one without our nonce", async () => {
      const other = await DpopKey.make();
      const differing = await push(app, { dpop_jkt: other.thumbprint }, { DPoP: await proofFor(key) });
      await expectOAuthError(differing, 400, "invalid_request");
      const nonceless = await push(app, {}, { DPoP: await proofFor(key, "none") });
      expect(nonceless.headers.get("DPoP-Nonce")).toBe(await nonceOf());
      await expectOAuthError(nonceless, 400, "use_dpop_nonce");
    });
  });

  it("are accepted from a client with a metadata document that wasn't seen before, with its key's assertion", async () => {
    const key = await ClientKey.make();
    const host = new DocumentHost();
    const clientId = "https://app.example/pushing/client.json";
    host.publish(clientId, {
      client_id: clientId,
      client_name: "Described app",
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [key.publicJwk] },
    });
    const described = AppClient.of(clientId, REDIRECT_URI);
    await expectOAuthError(await push(described), 401, "invalid_client");
    for (const aud of [ORIGIN, ORIGIN + PAR]) {
      const requestUri = await pushed(described, await key.authenticates(clientId, { aud }));
      await expectTaken(await send(urlOf(requestUri, described)));
    }
    const assertion = await key.authenticates(clientId);
    await pushed(described, assertion);
    await expectOAuthError(await push(described, assertion), 401, "invalid_client");
  });
});
