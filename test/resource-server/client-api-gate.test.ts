import type { InstanceRecord } from "#instance/instances.ts";
import { ByteBoundedMap } from "#platform/byte-bounded-map.ts";
import { makeServiceToken } from "#service-tokens/service-token.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { putTogether, takeApart } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";
import {
  changeSettings,
  issueClientApiToken,
  issueIndexingToken,
  makeInstance,
  send,
  travel,
} from "../support/world.ts";

const NOT_ENABLED = "OAuth is not enabled for this instance: an administrator enables it in the admin console";
const ANNOUNCED = { "X-Gatehouse-Auth-Type": "OAUTH" };

type Kind = "none" | "own" | "foreign JWT" | "opaque" | "service-issued" | "indexing";

let instance: InstanceRecord;
let tokens: Record<Kind, string | undefined>;

beforeAll(async () => {
  instance = await makeInstance();
  const { access_token: own } = await (await AppClient.registered()).tokens();
  const { header, claims, signature } = takeApart(own);
  tokens = {
    none: undefined,
    own,
    "foreign JWT": putTogether(
      { ...header, kid: "theirs" },
      { ...claims, iss: "https://login.elsewhere.example" },
      signature,
    ),
    opaque: "2YotnFZFEjr1zCsicMWpAA",
    "service-issued": await issueClientApiToken(instance, "ben@acme.example", "SEARCH"),
    indexing: await issueIndexingToken(instance, "documents:global_scope"),
  };
});

afterEach(() => vi.useRealTimers());

/** Returns the status and, for a refusal, the error code. */
async function answer(response: Response) {
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

describe("invented tokens", () => {
  it("are not cached, so that they can't evict verified ones", async () => {
    const good = tokens.own ?? "";
    const { header, claims, signature } = takeApart(good);
    const invented = [
      putTogether(header, { ...claims, sub: "somebody-else" }, signature),
      putTogether({ ...header, kid: "nobody" }, claims, signature),
      putTogether(header, { ...claims, iss: "https://login.elsewhere.example" }, signature),
    ];
    const set = vi.spyOn(ByteBoundedMap.prototype, "set");
    for (const token of invented) {
      expect((await search(token)).status).toBe(401);
      expect((await search(token, undefined, ANNOUNCED)).status).toBeGreaterThanOrEqual(400);
    }
    expect(set).not.toHaveBeenCalled();
    expect((await search((await (await AppClient.registered()).tokens()).access_token)).status).toBe(200);
    expect(set).toHaveBeenCalledTimes(1);
    set.mockRestore();
  });
});

describe("the Client API's gate: every kind of token, with and without the header for external tokens", () => {
  const whicheverSwitch: [kind: Kind, plain: unknown[], announced: unknown[]][] = [
    ["none", [401, "unauthorized"], [401, "unauthorized"]],
    ["foreign JWT", [401, "invalid_secret"], [403, "oauth_not_enabled"]],
    ["opaque", [401, "invalid_secret"], [401, "invalid_token"]],
    ["service-issued", [200], [200]],
    ["indexing", [401, "invalid_secret"], [401, "invalid_token"]],
  ];

  describe.each([true, false])("while the authorization server is on: %s", (oauthEnabled) => {
    beforeEach(() => changeSettings("acme", { oauthEnabled }));

    const own = oauthEnabled ? [200] : [403, "oauth_not_enabled"];
    it.each([...whicheverSwitch, ["own", own, own] as const])(
      "decides about the token %s: %j, and with the header: %j",
      async (kind, plain, announced) => {
        expect(await answer(await search(tokens[kind]))).toEqual(plain);
        expect(await answer(await search(tokens[kind], undefined, ANNOUNCED))).toEqual(announced);
      },
    );
  });

  it("reads the header in any case, and ignores other values and headers", async () => {
    await changeSettings("acme", { oauthEnabled: true });
    const status = async (headers: Record<string, string>) =>
      (await search(tokens["foreign JWT"], undefined, headers)).status;
    expect(await status({ "x-gatehouse-auth-type": "oauth" })).toBe(403);
    expect(await status({ "X-GATEHOUSE-AUTH-TYPE": " OAuth " })).toBe(403);
    expect(await status({ "X-Gatehouse-Auth-Type": "OAUTH2" })).toBe(401);
    expect(await status({ "X-Gatehouse-Auth-Type": "" })).toBe(401);
    expect(await status({ "X-Other-Auth-Type": "OAUTH" })).toBe(401);
  });

  it("says in every refusal what to do", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    const message = async (token: Kind, headers = {}) =>
      (await readRefusal(await search(tokens[token], undefined, headers))).message;
    expect(await message("own")).toBe(NOT_ENABLED);
    expect(await message("opaque", ANNOUNCED)).toMatch(/^Invalid token format/);
    expect(await message("opaque")).toMatch(/^Invalid secret/);
    expect(await message("foreign JWT", ANNOUNCED)).toMatch(/^OAuth is not enabled.*register the provider/);
    expect(await message("foreign JWT")).toMatch(/^Invalid secret.*X-Gatehouse-Auth-Type/);
    expect(await message("indexing")).toMatch(/^Invalid secret.*Indexing API/);
  });
});

describe("the Client API's gate: credentials that ended or belong elsewhere", () => {
  beforeEach(() => changeSettings("acme", { oauthEnabled: true }));

  it("refuses an own token from the second it expires", async () => {
    const { access_token, expires_in } = await (await AppClient.registered()).tokens();
    travel(expires_in - 2);
    expect(await answer(await search(access_token))).toEqual([200]);
    travel(2);
    expect(await answer(await search(access_token))).toEqual([401, "invalid_token"]);
  });

  it("refuses an expired token that it sees for the first time", async () => {
    const { access_token, expires_in } = await (await AppClient.registered()).tokens();
    travel(expires_in);
    expect(await answer(await search(access_token))).toEqual([401, "invalid_token"]);
  });

  it("refuses a revoked token, and keeps another token of the same person and client", async () => {
    const app = await AppClient.registered();
    const [ended, kept] = [await app.tokens(), await app.tokens()];
    expect(await answer(await search(ended.access_token))).toEqual([200]);
    expect((await app.revoke(ended.access_token)).status).toBe(200);
    expect(await answer(await search(ended.access_token))).toEqual([401, "invalid_token"]);
    expect(await answer(await search(kept.access_token))).toEqual([200]);
  });

  it("refuses another instance's access tokens and service-issued tokens", async () => {
    const other = await makeInstance("other");
    const elsewhere = await AppClient.registered({}, "http://other.localhost");
    const { access_token } = await elsewhere.tokens();
    const serviceIssued = await issueClientApiToken(other, "ben@acme.example", "SEARCH");
    expect(await answer(await search(access_token, undefined, {}, elsewhere.origin))).toEqual([200]);
    expect(await answer(await search(serviceIssued, undefined, {}, elsewhere.origin))).toEqual([200]);
    expect(await answer(await search(access_token))).toEqual([401, "invalid_secret"]);
    expect(await answer(await search(access_token, undefined, ANNOUNCED))).toEqual([403, "oauth_not_enabled"]);
    expect(await answer(await search(serviceIssued))).toEqual([401, "invalid_secret"]);
    expect(await answer(await search(serviceIssued, undefined, ANNOUNCED))).toEqual([401, "invalid_secret"]);
  });

  it("refuses a token at another origin of the same instance, which is another issuer", async () => {
    expect(await answer(await search(tokens.own, undefined, {}, "http://localhost"))).toEqual([401, "invalid_secret"]);
  });

  it("refuses service-issued tokens that have expired, were revoked, or never existed", async () => {
    const { administrationOf } = servicesOf(env);
    const order = {
      kind: "client-api" as const,
      name: "test",
      scopes: ["search"],
      person: "ben@acme.example",
      lifetimeSeconds: 60,
    };
    const expiring = await administrationOf(instance, "test").serviceTokens.issue(order, true);
    const revoked = await administrationOf(instance, "test").serviceTokens.issue(order, true);
    expect(await answer(await search(expiring.secret))).toEqual([200]);
    expect(await answer(await search(revoked.secret))).toEqual([200]);
    await administrationOf(instance, "test").serviceTokens.revoke(revoked.token.id);
    travel(10);
    expect(await answer(await search(revoked.secret))).toEqual([401, "invalid_secret"]);
    expect(await answer(await search(expiring.secret))).toEqual([200]);
    travel(50);
    expect(await answer(await search(expiring.secret))).toEqual([401, "invalid_secret"]);
    for (const never of [expiring.secret.slice(0, -1), `${expiring.secret}A`, await makeServiceToken("client-api")]) {
      expect(await answer(await search(never))).toEqual([401, "invalid_secret"]);
    }
  });

  it("responds 403 to a token without the scope, and names the scope", async () => {
    const narrow = await (await AppClient.registered()).tokens("ben", { scope: "chat offline_access" });
    const serviceIssued = await issueClientApiToken(instance, "ben@acme.example", "CHAT", "DOCUMENTS");
    for (const token of [narrow.access_token, serviceIssued]) {
      const response = await search(token);
      expect(response.status).toBe(403);
      expect(readChallenge(response)).toMatchObject({ error: "insufficient_scope", scope: "SEARCH" });
      expect(await readRefusal(response)).toMatchObject({
        error: "insufficient_scope",
        message: expect.stringContaining("SEARCH"),
      });
    }
  });

  it("accepts a scope in whatever case it was requested", async () => {
    const { access_token, scope } = await (await AppClient.registered()).tokens("ben", { scope: "seArch" });
    expect(scope).toBe("seArch");
    expect(await answer(await search(access_token))).toEqual([200]);
  });
});

describe("the Client API's gate: where a request may have its token (RFC 6750 §2)", () => {
  const post = (path: string, headers: HeadersInit, body: string) => send(path, { method: "POST", headers, body });
  const json = { "Content-Type": "application/json" };

  beforeEach(() => changeSettings("acme", { oauthEnabled: true }));

  it("ignores a token in the query", async () => {
    const response = await post(`/rest/api/v1/search?access_token=${tokens.own}`, json, '{"query":"token"}');
    expect(await answer(response)).toEqual([401, "unauthorized"]);
  });

  it("ignores a token in the body, JSON or form", async () => {
    const inJson = await post("/rest/api/v1/search", json, JSON.stringify({ query: "x", access_token: tokens.own }));
    expect(await answer(inJson)).toEqual([401, "unauthorized"]);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const inForm = await post("/rest/api/v1/search", form, `access_token=${tokens.own}&query=x`);
    expect(await answer(inForm)).toEqual([401, "unauthorized"]);
  });

  it("ignores a token in a cookie", async () => {
    const response = await search(undefined, undefined, { Cookie: `access_token=${tokens.own}` });
    expect(await answer(response)).toEqual([401, "unauthorized"]);
  });

  it("refuses two Authorization headers, or two tokens in one, although each token is valid", async () => {
    const twice = new Headers(json);
    for (const token of [tokens.own, tokens["service-issued"]]) twice.append("Authorization", `Bearer ${token}`);
    expect(await answer(await post("/rest/api/v1/search", twice, '{"query":"x"}'))).toEqual([401, "invalid_token"]);
    for (const pair of [`${tokens.own},${tokens.own}`, `${tokens.own} ${tokens.own}`, `${tokens.own}, Bearer x`]) {
      expect(await answer(await search(pair))).toEqual([401, "invalid_token"]);
    }
  });

  it("refuses other schemes, and accepts Bearer in any case", async () => {
    const withHeader = (value: string) =>
      post("/rest/api/v1/search", { ...json, Authorization: value }, '{"query":"x"}');
    for (const value of [`Basic ${btoa("a:b")}`, `DPoP ${tokens.own}`, `Token ${tokens.own}`, `${tokens.own}`]) {
      expect(await answer(await withHeader(value))).toEqual([401, "invalid_token"]);
    }
    expect(await answer(await withHeader("Bearer"))).toEqual([401, "invalid_token"]);
    expect(await answer(await withHeader(`bEARER  ${tokens.own}`))).toEqual([200]);
  });

  it("responds 405 to other methods on the same path", async () => {
    const response = await send("/rest/api/v1/search", { headers: { Authorization: `Bearer ${tokens.own}` } });
    expect(await answer(response)).toEqual([405, "method_not_allowed"]);
    expect(response.headers.get("Allow")).toBe("POST");
  });
});
