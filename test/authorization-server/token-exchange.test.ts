import { issuersApp } from "#app-access/app-rules.ts";
import type { ContentConditionDraft } from "#app-access/app-content.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Scope } from "#protocol/scopes.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, type Changes, postForm, type TokenAnswer } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { knownPerson } from "../support/people.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { issueToken } from "../support/service-tokens.ts";
import { CLIENT_ID, TestIssuer } from "../support/test-issuer.ts";
import {
  disableClient,
  enableClient,
  makeInstance,
  ORIGIN,
  removeClient,
  requireClient,
  send,
  setDeactivated,
  travel,
} from "../support/world.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The most seconds until a decision takes effect in an isolate that didn't make it. */
const REACH_SECONDS = 10;

type Json = Readonly<Record<string, unknown>>;

describe("token exchange (RFC 8693)", () => {
  let acme: InstanceRecord;
  let other: AppClient;
  /** The app that people allow, and one that acts for them with its tokens. */
  let app: AppClient;
  let agent: AppClient;
  let idp: TestIssuer;

  const exchanging = (changes: Parameters<typeof AppClient.madeByAdministrator>[1] = {}) =>
    AppClient.madeByAdministrator(acme, {
      tokenEndpointAuthMethod: "client_secret_post",
      mayExchangeTokens: true,
      ...changes,
    });

  beforeAll(async () => {
    acme = await makeInstance();
    await makeInstance("other");
    other = await AppClient.registered({}, "http://other.localhost");
    idp = await TestIssuer.publishing("rsa");
    await idp.register(acme, { scopes: ["SEARCH", "CHAT"] });
    const pipeline = await Pipeline.of(acme);
    await pipeline.index(
      draft("handbook", { datasource: "wiki" }),
      draft("pay", { datasource: "hr" }),
      draft("deal", { datasource: "crm" }),
    );
  });
  beforeEach(async () => {
    app = await AppClient.registered();
    agent = await exchanging();
  });
  afterEach(() => vi.useRealTimers());

  /** Exchanges a token, as the agent unless another app does. */
  function exchange(
    token: string | undefined,
    changes: Changes = {},
    by = agent,
    headers: Record<string, string> = {},
  ) {
    const client = { client_id: by.clientId, client_secret: by.secret };
    const usual = { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN };
    return postForm("/oauth/token", { ...usual, ...client, ...changes }, headers);
  }

  async function exchanged(token: string, changes: Changes = {}, by = agent): Promise<string> {
    return (await expectTokens(await exchange(token, changes, by))).access_token;
  }

  const tokenOf = async (by = app, changes: Changes = {}) => (await by.tokens("ben", changes)).access_token;
  const statusIn = async (isolate: ObservedIsolate, token: string) => (await isolate.search(token)).status;
  const introspected = async (token: string, by = agent) =>
    (await postForm("/oauth/introspect", { client_id: by.clientId, client_secret: by.secret, token })).json<Json>();
  async function lastAuthorized() {
    const row = await env.DB.prepare(
      "SELECT actor, detail FROM audit WHERE event = 'app_authorized' ORDER BY sequence DESC LIMIT 1",
    ).first<{ actor: string; detail: string }>();
    return { actor: row?.actor, detail: JSON.parse(row?.detail ?? "{}") as Json };
  }
  const refuses = (answer: Promise<Response>, error = "invalid_request") =>
    answer.then((response) => expectOAuthError(response, 400, error));

  it("gives an app a token for the person that names both apps, and no refresh token (§2.2.1, §4.1)", async () => {
    const subject = await tokenOf();
    const response = await exchange(subject);
    const answer = await response.json<TokenAnswer & Json>();
    expect(answer).toMatchObject({
      token_type: "Bearer",
      issued_token_type: ACCESS_TOKEN,
      scope: "SEARCH CHAT DOCUMENTS",
    });
    expect(answer.refresh_token).toBeUndefined();
    const before = takeApart(subject).claims;
    const { claims } = takeApart(answer.access_token);
    expect(claims).toMatchObject({ sub: before["sub"], aud: ORIGIN, client_id: agent.clientId });
    expect(claims["act"]).toEqual({
      sub: agent.clientId,
      client_kind: "static",
      act: { sub: app.clientId, client_kind: "dynamic", client_app: expect.any(String) },
    });
    expect(await found(answer.access_token, "title")).toEqual(["deal", "handbook", "pay"]);
    expect(await introspected(answer.access_token)).toMatchObject({ active: true, act: claims["act"] });
  });

  it("records who acts for whom, and with which app's token", async () => {
    const { claims } = takeApart(await exchanged(await tokenOf()));
    const { actor, detail } = await lastAuthorized();
    expect(actor).toBe(agent.clientId);
    expect(detail).toEqual({
      clientId: agent.clientId,
      grantId: claims["grant_id"],
      personId: claims["sub"],
      exchangedFrom: app.clientId,
      scope: "SEARCH CHAT DOCUMENTS",
      resource: ORIGIN,
    });
  });

  it("shows the person on their account page through which app another one acts", async () => {
    await exchanged(await tokenOf());
    const { id } = await knownPerson(acme, "ben@acme.example");
    const { grants, policySnapshots } = servicesOf(env);
    const policy = await policySnapshots.current("acme", () => undefined);
    const apps = policy ? await grants.appsOf(policy, id) : [];
    expect(apps.find(({ clientId }) => clientId === agent.clientId)).toMatchObject({
      assertedBy: [],
      passedOnBy: [(await requireClient(acme, app.clientId)).name],
      isConsented: false,
    });
  });

  it("never gives more scopes or resources than the token has, nor a longer life", async () => {
    const subject = await tokenOf(app, {
      scope: "SEARCH CHAT openid email offline_access",
      resource: `${ORIGIN}/rest/api/v1`,
    });
    const wider = await expectTokens(await exchange(subject, { scope: "SEARCH DOCUMENTS openid offline_access" }));
    expect(wider.scope).toBe("SEARCH");
    expect(wider.refresh_token).toBeUndefined();
    await refuses(exchange(subject, { scope: "DOCUMENTS openid" }), "invalid_scope");
    await refuses(exchange(subject, { resource: ORIGIN }), "invalid_target");
    await refuses(exchange(subject, { resource: `${ORIGIN}/mcp` }), "invalid_target");
    await refuses(exchange(subject, { audience: "https://elsewhere.example" }), "invalid_target");
    const search = `${ORIGIN}/rest/api/v1/search`;
    await refuses(exchange(subject, { audience: search, resource: `${ORIGIN}/rest/api/v1/chat` }), "invalid_target");
    expect(takeApart(await exchanged(subject, { audience: search })).claims["aud"]).toBe(search);
    travel(600);
    const { claims } = takeApart(await exchanged(subject));
    expect(claims["exp"]).toBe(takeApart(subject).claims["exp"]);
  });

  it("gives no token that outlives the exchanged one, even if a longer one was exchanged before", async () => {
    const long = await idp.token({ auth_time: undefined });
    const short = await idp.token({ exp: Math.floor(Date.now() / 1000) + 60 });
    await exchanged(long);
    expect((await expectTokens(await exchange(short))).expires_in).toBeLessThanOrEqual(60);
  });

  it("only for an app that an administrator allows it, authenticated, and listed in the metadata while there is one", async () => {
    const subject = await tokenOf();
    const plain = await exchanging({ mayExchangeTokens: false });
    await refuses(exchange(subject, {}, plain), "unauthorized_client");
    await refuses(exchange(subject, { client_secret: undefined }, app), "unauthorized_client");
    await expectOAuthError(await exchange(subject, { client_secret: "wrong" }), 401, "invalid_client");
    await expectOAuthError(await exchange(subject, { client_secret: undefined }), 401, "invalid_client");
    await expectOAuthError(await exchange(subject, { client_id: plain.clientId }), 401, "invalid_client");
    await disableClient(acme, agent.clientId);
    await expectOAuthError(await exchange(subject), 401, "invalid_client");
    const listed = async (origin: string) => {
      const metadata = await send(`${origin}/.well-known/oauth-authorization-server`);
      return (await metadata.json<{ grant_types_supported: string[] }>()).grant_types_supported.includes(EXCHANGE);
    };
    expect([await listed(ORIGIN), await listed("http://other.localhost")]).toEqual([true, false]);
  });

  it("can't be allowed to a public app, nor to one that registered itself", async () => {
    const refusal = { member: "mayExchangeTokens" };
    await expect(exchanging({ tokenEndpointAuthMethod: "none" })).rejects.toMatchObject(refusal);
    const { clients } = servicesOf(env).administrationOf(acme, "test");
    const registered = await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" });
    for (const one of [registered, await exchanging({ tokenEndpointAuthMethod: "none", mayExchangeTokens: false })]) {
      const seen = await requireClient(acme, one.clientId);
      await expect(clients.change(seen, { mayExchangeTokens: true })).rejects.toMatchObject(refusal);
    }
  });

  it("takes a client assertion as authentication, once", async () => {
    const key = await ClientKey.make();
    const byKey = await exchanging({
      tokenEndpointAuthMethod: "private_key_jwt",
      keys: { jwks: [{ ...key.publicJwk, kty: "EC" }] },
    });
    const assertion = await key.authenticates(byKey.clientId);
    const subject = await tokenOf();
    await expectTokens(await exchange(subject, assertion, byKey));
    await expectOAuthError(await exchange(subject, assertion, byKey), 401, "invalid_client");
  });

  it.each<[string, Changes]>([
    ["without a subject token", { subject_token: undefined }],
    ["without its type", { subject_token_type: undefined }],
    ["of an ID token", { subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }],
    ["of a refresh token", { subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }],
    ["of SAML", { subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }],
    ["for a refresh token", { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }],
    ["with an actor token", { actor_token: "x.y.z", actor_token_type: ACCESS_TOKEN }],
    ["with the type of an actor token alone", { actor_token_type: ACCESS_TOKEN }],
  ])("refuses a request %s with invalid_request (§2.1, §2.2.2)", async (_, changes) => {
    await refuses(exchange(await tokenOf(), changes));
  });

  it("refuses with invalid_request what is no access token of a person that the Client API accepts", async () => {
    const tokens = await app.tokens("ben", { scope: "SEARCH openid offline_access" });
    const { access_token: good, refresh_token: refresh } = tokens;
    const idToken = (tokens as unknown as { id_token: string }).id_token;
    const { secret: personal } = await issueToken(acme, {
      kind: "client-api",
      scopes: ["SEARCH"],
      person: "ben@acme.example",
    });
    const { account, key } = await makeKeyedAccount(acme);
    const machine = await postForm("/oauth/token", {
      grant_type: "client_credentials",
      ...(await key.authenticates(account.id)),
    });
    const unknown = await TestIssuer.publishing("rsa");
    const elsewhere = (await other.tokens()).access_token;
    for (const bad of [
      "x",
      personal,
      refresh,
      idToken,
      elsewhere,
      `${good.slice(0, -4)}AAAA`,
      (await expectTokens(machine)).access_token,
      await unknown.token(),
      await idp.token({ azp: "another-app" }),
      await idp.token({ exp: 1 }),
      await idp.token({ nonce: "n", aud: CLIENT_ID }),
    ]) {
      await refuses(exchange(bad));
    }
    travel(3700);
    await refuses(exchange(good));
  });

  it("refuses a revoked token, and everything that was exchanged ends with it, through every further app", async () => {
    const isolate = new ObservedIsolate();
    const second = await exchanging();
    const { access_token: subject } = await app.tokens();
    const first = await exchanged(subject);
    const chained = await exchanged(first, {}, second);
    expect([await statusIn(isolate, first), await statusIn(isolate, chained)]).toEqual([200, 200]);
    expect((await app.revoke(subject)).status).toBe(200);
    for (const [token, by] of [
      [subject, agent],
      [first, second],
    ] as const) {
      await refuses(exchange(token, {}, by));
    }
    travel(REACH_SECONDS);
    expect([await statusIn(isolate, first), await statusIn(isolate, chained)]).toEqual([401, 401]);
    expect(await introspected(chained, second)).toEqual({ active: false });
  });

  it("gives no token for a grant that was revoked in another isolate a moment ago", async () => {
    const subject = await tokenOf();
    await env.DB.prepare("UPDATE grants SET revoked_at = 1 WHERE id = ?1")
      .bind(takeApart(subject).claims["grant_id"])
      .run();
    const response = await exchange(subject);
    expect(response.status).toBe(400);
  });

  it("keeps the time at which the person signed in for the first app, so that a late sign-out ends both", async () => {
    const subject = await tokenOf();
    const { grant_id: parent } = takeApart(subject).claims;
    await env.DB.prepare("UPDATE grants SET signed_in_at = 1000 WHERE id = ?1").bind(parent).run();
    const { grant_id: grantId } = takeApart(await exchanged(subject)).claims;
    const row = env.DB.prepare("SELECT signed_in_at FROM grants WHERE id = ?1").bind(grantId);
    expect(await row.first("signed_in_at")).toBe(1000);
  });

  it("nests the apps of a chain, four at most (§4.1)", async () => {
    let token = await tokenOf();
    const agents = [agent, await exchanging(), await exchanging()];
    for (const by of agents) token = await exchanged(token, {}, by);
    const chain: unknown[] = [];
    let act = takeApart(token).claims["act"] as { sub: string; act?: never } | undefined;
    for (; act; act = act.act) chain.push(act.sub);
    expect(chain).toEqual([...agents.map(({ clientId }) => clientId).toReversed(), app.clientId]);
    await refuses(exchange(token, {}, await exchanging()));
  });

  it("ends within ten seconds when the switch is turned off, or any of the apps is disabled or deleted", async () => {
    const administration = servicesOf(env).administrationOf(acme, "test");
    const second = await exchanging();
    const isolate = new ObservedIsolate();
    const token = await exchanged(await exchanged(await tokenOf()), {}, second);
    expect(await statusIn(isolate, token)).toBe(200);
    const turn = async (by: AppClient, mayExchangeTokens: boolean) =>
      administration.clients.change(await requireClient(acme, by.clientId), { mayExchangeTokens });
    for (const by of [second, agent]) {
      await turn(by, false);
      travel(REACH_SECONDS);
      expect(await statusIn(isolate, token)).toBe(401);
      await turn(by, true);
      travel(REACH_SECONDS);
      expect(await statusIn(isolate, token)).toBe(200);
    }
    for (const by of [app, agent, second]) {
      await disableClient(acme, by.clientId);
      travel(REACH_SECONDS);
      expect(await statusIn(isolate, token)).toBe(403);
      if (by !== second) expect(await introspected(token, second)).toEqual({ active: false });
      await enableClient(acme, by.clientId);
      travel(REACH_SECONDS);
      expect(await statusIn(isolate, token)).toBe(200);
    }
    await removeClient(acme, app.clientId);
    travel(REACH_SECONDS);
    expect(await statusIn(isolate, token)).toBe(403);
  });

  it("is refused for a deactivated person, whose exchanged tokens end too", async () => {
    const isolate = new ObservedIsolate();
    const subject = await tokenOf();
    const token = await exchanged(subject);
    expect(await statusIn(isolate, token)).toBe(200);
    await setDeactivated(acme, "ben@acme.example");
    await refuses(exchange(subject));
    travel(REACH_SECONDS);
    expect(await statusIn(isolate, token)).toBe(401);
    await setDeactivated(acme, "ben@acme.example", false);
  });

  it("holds the rules of both apps: who may use them, with which scopes, and what they may search", async () => {
    const { appRules } = servicesOf(env).administrationOf(acme, "test");
    const may = (of: string, ...scopes: Scope[]) => appRules.replace(of, [{ group: "*", scopes }]);
    const limit = (of: string, ...content: ContentConditionDraft[]) => appRules.limit(of, content);
    const isolate = new ObservedIsolate();
    const subject = await tokenOf();
    const token = await exchanged(subject);
    const { app: first } = await requireClient(acme, app.clientId);
    await limit(first, { field: "datasource", values: ["hr"], isExcluded: true });
    await limit(agent.clientId, { field: "datasource", values: ["crm"], isExcluded: true });
    expect(await found(token, "title")).toEqual(["handbook"]);
    await may(first, "SEARCH", "CHAT");
    await may(agent.clientId, "CHAT", "DOCUMENTS");
    expect((await expectTokens(await exchange(subject))).scope).toBe("CHAT");
    travel(REACH_SECONDS);
    expect(await statusIn(isolate, token)).toBe(403);
    expect(await introspected(token)).toMatchObject({ active: true, scope: "CHAT" });
    await may(agent.clientId, "DOCUMENTS");
    expect(await introspected(token)).toEqual({ active: false });
    await refuses(exchange(subject), "invalid_scope");
  });

  it("loses the scopes that the first app loses", async () => {
    const token = await exchanged(await tokenOf());
    await servicesOf(env)
      .administrationOf(acme, "test")
      .settings.change({ dynamicScopes: ["CHAT"] });
    const isolate = new ObservedIsolate();
    expect(await statusIn(isolate, token)).toBe(403);
    expect(await introspected(token)).toMatchObject({ active: true, scope: "CHAT" });
    await servicesOf(env)
      .administrationOf(acme, "test")
      .settings.change({ dynamicScopes: ["SEARCH", "CHAT", "DOCUMENTS"] });
  });

  describe("of an identity provider's token", () => {
    it("names its application, and ends when the provider is disabled", async () => {
      const isolate = new ObservedIsolate();
      const subject = await idp.token({ act: { sub: "broker" } });
      const token = await exchanged(subject);
      expect(takeApart(token).claims).toMatchObject({
        scope: "SEARCH CHAT",
        act: { sub: agent.clientId, act: { iss: idp.url, sub: CLIENT_ID, act: { iss: idp.url, sub: "broker" } } },
      });
      expect(await statusIn(isolate, token)).toBe(200);
      const { issuers } = servicesOf(env).administrationOf(acme, "test");
      await issuers.disable(idp.url);
      await refuses(exchange(subject));
      travel(REACH_SECONDS);
      expect(await statusIn(isolate, token)).toBe(401);
      await issuers.enable(idp.url);
    });

    it("gets a grant of its own for each application, which the audit names", async () => {
      await idp.register(acme, { scopes: ["SEARCH", "CHAT"], clientIds: [CLIENT_ID, "intranet"] });
      const grantIds: unknown[] = [];
      for (const application of [CLIENT_ID, "intranet"]) {
        const { claims } = takeApart(await exchanged(await idp.token({ azp: application })));
        const { detail } = await lastAuthorized();
        expect(detail).toMatchObject({ grantId: claims["grant_id"], exchangedFrom: issuersApp(idp.url, application) });
        grantIds.push(claims["grant_id"]);
      }
      expect(new Set(grantIds).size).toBe(2);
    });

    it("holds the rules of its application", async () => {
      const { appRules } = servicesOf(env).administrationOf(acme, "test");
      const application = issuersApp(idp.url, CLIENT_ID);
      const token = await exchanged(await idp.token());
      await appRules.limit(application, [{ field: "datasource", values: ["hr"] }]);
      expect(await found(token, "title")).toEqual(["pay"]);
      await appRules.limit(application, []);
    });

    it("is refused if the provider lets another party act (may_act, §4.4), or names its apps in another form", async () => {
      await exchanged(await idp.token({ may_act: { sub: agent.clientId, iss: ORIGIN } }));
      await exchanged(await idp.token({ may_act: { sub: agent.clientId } }));
      for (const claims of [
        { may_act: { sub: app.clientId } },
        { may_act: { sub: agent.clientId, iss: idp.url } },
        { may_act: agent.clientId },
        { act: "broker" },
        { act: { sub: 1 } },
      ]) {
        await refuses(exchange(await idp.token(claims)));
      }
    });
  });

  it("needs the key of a token that is bound to one, and binds the new one to it (RFC 9449)", async () => {
    const [key, thief] = [await DpopKey.make(), await DpopKey.make()];
    const subject = await idp.token({ cnf: { jkt: key.thumbprint } });
    await refuses(exchange(subject));
    await refuses(exchange(subject, {}, agent, { DPoP: await thief.freshProof() }));
    const bound = await (await exchange(subject, {}, agent, { DPoP: await key.freshProof() })).json<TokenAnswer>();
    expect(bound.token_type).toBe("DPoP");
    expect(takeApart(bound.access_token).claims["cnf"]).toEqual({ jkt: key.thumbprint });
  });

  it("extends the running grant instead of adding one for each exchange", async () => {
    const subject = await tokenOf();
    const first = takeApart(await exchanged(subject)).claims;
    travel(60);
    const second = takeApart(await exchanged(subject)).claims;
    expect(second["grant_id"]).toBe(first["grant_id"]);
    expect(second["jti"]).not.toBe(first["jti"]);
  });
});
