import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, type Changes, postForm, type TokenAnswer } from "../support/app-client.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { knownPerson } from "../support/people.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, ORIGIN, travel } from "../support/world.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

type Json = Readonly<Record<string, unknown>>;

describe("token exchange (RFC 8693)", () => {
  let acme: InstanceRecord;
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
  const introspected = async (token: string, by = agent) =>
    (await postForm("/oauth/introspect", { client_id: by.clientId, client_secret: by.secret, token })).json<Json>();
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
    const row = await env.DB.prepare(
      "SELECT actor, detail FROM audit WHERE event = 'app_authorized' ORDER BY sequence DESC LIMIT 1",
    ).first<{ actor: string; detail: string }>();
    expect({ actor: row?.actor, ...(JSON.parse(row?.detail ?? "{}") as object) }).toEqual({
      actor: agent.clientId,
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
      passedOnBy: ["Test app"],
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
});
