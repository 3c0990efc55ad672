import { randomSecret, sha256 } from "#crypto/secrets.ts";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import {
  AppClient,
  type Authorized,
  basic,
  CHALLENGE,
  type Changes,
  postBody,
  postForm,
  REDIRECT_URI,
  search,
  VERIFIER,
} from "../support/app-client.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { apiRoutes } from "../support/routes.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

const API = `${ORIGIN}/rest/api/v1`;
const SEARCH = `${API}/search`;

const UNKNOWN = [
  "https://api.example",
  "http://other.localhost",
  "http://localhost",
  "https://acme.localhost",
  `${ORIGIN}:8787`,
  `${ORIGIN}.evil.example`,
  `${ORIGIN}//`,
  `${ORIGIN}/#x`,
  `${ORIGIN}?x`,
  `${ORIGIN}/unknown`,
  `${ORIGIN}/rest`,
  `${ORIGIN}/rest/api`,
  `${API}//`,
  `${API}/unknown`,
  `${API}/search/more`,
  `${API}/search?x`,
  `${API}/../v1`,
  `${API}/%73earch`,
  `${API}/SEARCH`,
  `${ORIGIN}/api/index/v1`,
  "/rest/api/v1",
  `${ORIGIN.toUpperCase()}/MCP`,
  `${ORIGIN.toUpperCase()}.EVIL.EXAMPLE`,
  "acme.localhost",
  "urn:x",
  "*",
];

let app: AppClient;

beforeAll(async () => {
  await makeInstance();
  await makeInstance("other");
  app = await AppClient.registered();
});

describe("the resource parameter (RFC 8707)", () => {
  it.each([undefined, "", ORIGIN, `${ORIGIN}/`])(
    "gives a token for the instance's origin if it is %j",
    async (resource) => {
      const { access_token } = await app.tokens("ben", { resource });
      expect(decodeJwt(access_token).aud).toBe(ORIGIN);
    },
  );

  it.each([
    [ORIGIN.toUpperCase(), ORIGIN],
    [`${ORIGIN.toUpperCase()}/`, ORIGIN],
    [SEARCH.replace("http://acme", "HTTP://Acme"), SEARCH],
  ])("is the same in capitals in scheme and host, which say nothing: %s (RFC 3986 §6.2.2.1)", async (resource, aud) => {
    const { access_token } = await app.tokens("ben", { resource });
    expect(decodeJwt(access_token).aud).toBe(aud);
  });

  it.each(UNKNOWN)("is refused at authorization, before the person is asked, if it is %s (§2)", async (resource) => {
    const response = await send(app.authorizeUrl(CHALLENGE, { resource }));
    expectErrorAtApp(response, app.redirectUri, "invalid_target");
  });

  it("is refused if one of two values is unknown", async () => {
    const known = encodeURIComponent(ORIGIN);
    for (const pair of [`resource=${known}&resource=urn%3Ax`, `resource=urn%3Ax&resource=${known}`]) {
      expectErrorAtApp(await send(`${app.authorizeUrl(CHALLENGE)}&${pair}`), app.redirectUri, "invalid_target");
    }
  });

  it("may be repeated", async () => {
    const pair = `resource=${encodeURIComponent(ORIGIN)}`;
    const response = await send(`${app.authorizeUrl(CHALLENGE)}&${pair}&${pair}%2F`);
    expect(new URL(response.headers.get("Location") ?? "").searchParams.get("error")).toBeNull();
    const { code, verifier } = await app.authorize();
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: app.clientId,
      code,
      code_verifier: verifier,
    });
    await expectTokens(await postBody("/oauth/token", `${body.toString()}&${pair}&${pair}`));
  });

  it("is refused at the token endpoint if it is unknown, which uses up neither code nor refresh token (§2.2)", async () => {
    const authorized = await app.authorize();
    for (const resource of UNKNOWN) {
      await expectOAuthError(await app.redeem(authorized, { resource }), 400, "invalid_target");
    }
    const { refresh_token } = await expectTokens(await app.redeem(authorized, { resource: ORIGIN }));
    for (const resource of UNKNOWN) {
      await expectOAuthError(await app.refresh(refresh_token, { resource }), 400, "invalid_target");
    }
    const { access_token } = await expectTokens(await app.refresh(refresh_token, { resource: `${ORIGIN}/` }));
    expect(decodeJwt(access_token).aud).toBe(ORIGIN);
  });
});

describe("resources below the origin (RFC 8707 §2.1, §2.2)", () => {
  const repeated = (resources: readonly string[]) =>
    resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join("");

  /** Does the same as {@link AppClient.authorize}, with any number of `resource` parameters. */
  async function authorizedFor(...resources: string[]): Promise<Authorized> {
    const verifier = randomSecret();
    const browser = app.browser();
    const url = app.authorizeUrl(await sha256(verifier)) + repeated(resources);
    const answer = await browser.press(await app.toConsent(browser, "ben", url), { name: "decision", value: "allow" });
    if (!("leftFor" in answer)) throw new Error(`consent answered ${answer.status}`);
    const callback = new URL(answer.leftFor);
    return { callback, code: callback.searchParams.get("code") ?? "", verifier };
  }

  /** Returns the audience of a token response's access token, the status of a search with it, and the refresh token. */
  async function audienceOf(response: Response) {
    const { access_token, refresh_token } = await expectTokens(response);
    const status = (await search(access_token)).status;
    return { aud: decodeJwt(access_token).aud, status, refresh_token };
  }

  /** Sends a token request with any number of `resource` parameters. */
  function tokenRequest(fields: Record<string, string>, resources: readonly string[]): Promise<Response> {
    const body = new URLSearchParams({ client_id: app.clientId, ...fields }).toString();
    return postBody("/oauth/token", body + repeated(resources));
  }

  it.each([ORIGIN, API, `${API}/`, SEARCH, `${SEARCH}/`])(
    "get tokens that are valid for a search: %s",
    async (resource) => {
      const answer = await audienceOf(await app.redeem(await app.authorize("ben", { resource })));
      expect(answer).toMatchObject({ aud: resource.replace(/\/$/, ""), status: 200 });
    },
  );

  it("include every route of the Client API", async () => {
    for (const { path } of apiRoutes().filter((route) => route.path.startsWith("/rest/api/v1/"))) {
      const { access_token } = await app.tokens("ben", { resource: ORIGIN + path });
      expect(decodeJwt(access_token).aud).toBe(ORIGIN + path);
    }
  });

  it.each([
    [[SEARCH, SEARCH], SEARCH],
    [[SEARCH, API], API],
    [[API, SEARCH], API],
    [[`${SEARCH}/`, ORIGIN], ORIGIN],
    [[API, `${ORIGIN}/`, SEARCH], ORIGIN],
  ])(
    "requested as %j at authorization lead to a token for %s, the closest one that includes all",
    async (resources, aud) => {
      expect((await audienceOf(await app.redeem(await authorizedFor(...resources)))).aud).toBe(aud);
    },
  );

  it.each([
    [[SEARCH], SEARCH],
    [[SEARCH, API], API],
    [[SEARCH, `${SEARCH}/`], SEARCH],
  ])("narrow the token of a code for the whole origin to %j", async (resources, aud) => {
    const { code, verifier } = await app.authorize();
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
    const answer = await audienceOf(await tokenRequest(fields, resources));
    expect(answer).toMatchObject({ aud, status: 200 });
  });

  it("narrow one refresh, and the next one without a resource gets everything that was granted", async () => {
    let { refresh_token: held = "" } = await app.tokens("ben", { resource: API });
    const asked: [resources: string[], aud: string][] = [
      [[SEARCH], SEARCH],
      [[], API],
      [[API], API],
      [[SEARCH, API], API],
      [[`${SEARCH}/`], SEARCH],
      [[""], API],
    ];
    for (const [resources, aud] of asked) {
      const fields = { grant_type: "refresh_token", refresh_token: held };
      const answer = await audienceOf(await tokenRequest(fields, resources));
      expect([resources, answer.aud, answer.status]).toEqual([resources, aud, 200]);
      held = answer.refresh_token ?? "";
    }
  });

  it("don't narrow the grant when they narrow the redemption of its code", async () => {
    const { refresh_token } = await expectTokens(await app.redeem(await app.authorize(), { resource: SEARCH }));
    expect((await audienceOf(await app.refresh(refresh_token))).aud).toBe(ORIGIN);
  });

  it.each([
    [API, [ORIGIN, `${ORIGIN}/`]],
    [SEARCH, [ORIGIN, API, `${API}/`]],
  ])("can't widen a code for %s, which isn't used up by that", async (granted, wider) => {
    const authorized = await app.authorize("ben", { resource: granted });
    for (const resource of wider) {
      await expectOAuthError(await app.redeem(authorized, { resource }), 400, "invalid_target");
    }
    expect((await audienceOf(await app.redeem(authorized, { resource: granted }))).aud).toBe(granted);
  });

  it.each([
    [API, [ORIGIN, `${ORIGIN}/`]],
    [SEARCH, [ORIGIN, API, `${API}/`]],
  ])("can't widen a refresh of a grant for %s, whose token isn't used up by that", async (granted, wider) => {
    const { refresh_token } = await app.tokens("ben", { resource: granted });
    for (const resource of wider) {
      await expectOAuthError(await app.refresh(refresh_token, { resource }), 400, "invalid_target");
    }
    const once = await audienceOf(await app.refresh(refresh_token));
    expect(once.aud).toBe(granted);
    // A retry with the same token gets the same successor, and still no wider resource.
    await expectOAuthError(await app.refresh(refresh_token, { resource: ORIGIN }), 400, "invalid_target");
    expect((await audienceOf(await app.refresh(refresh_token))).refresh_token).toBe(once.refresh_token);
  });

  it("reveal nothing about a grant: with a wrong verifier or client, any resource gets invalid_grant", async () => {
    const authorized = await app.authorize("ben", { resource: SEARCH });
    const wrong: Changes = { resource: ORIGIN, code_verifier: VERIFIER };
    await expectOAuthError(await app.redeem(authorized, wrong), 400, "invalid_grant");
    const other = await AppClient.registered();
    await expectOAuthError(await other.redeem(authorized, { resource: ORIGIN }), 400, "invalid_grant");
    expect((await audienceOf(await app.redeem(authorized))).aud).toBe(SEARCH);
  });

  it("are refused if only a wildcard or a prefix of the granted resource would match", async () => {
    const { refresh_token } = await app.tokens("ben", { resource: API });
    for (const resource of [`${ORIGIN}/rest/api/v1search`, `${API}%`, `${ORIGIN}/rest/api/v_/search`, `${API}/%`]) {
      await expectOAuthError(await app.refresh(refresh_token, { resource }), 400, "invalid_target");
    }
  });

  it("are the same in introspection as in the token (RFC 7662 §2.2)", async () => {
    const confidential = await AppClient.registered({
      token_endpoint_auth_method: "client_secret_basic",
      redirect_uris: [REDIRECT_URI],
    });
    const { access_token, refresh_token } = await confidential.tokens("ben", { resource: API });
    const narrowed = await expectTokens(await confidential.refresh(refresh_token, { resource: SEARCH }));
    const headers = { Authorization: basic(confidential.clientId, confidential.secret ?? "") };
    for (const [token, aud] of [
      [access_token, API],
      [narrowed.access_token, SEARCH],
    ]) {
      const answer = await postForm("/oauth/introspect", { token }, headers);
      expect(await answer.json()).toMatchObject({ active: true, aud });
    }
  });
});
