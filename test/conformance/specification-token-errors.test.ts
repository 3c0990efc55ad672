import { base64url } from "jose";
import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, REDIRECT_URI, register, search, type TokenAnswer } from "../support/app-client.ts";
import { readChallenge, readMcpRefusal, readRefusal } from "../support/challenge.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { postMcp, rpcRequest } from "../support/mcp.ts";
import { ANNOUNCED, TestIssuer } from "../support/test-issuer.ts";
import {
  changeSettings,
  disableClient,
  enableClient,
  issueClientApiToken,
  makeInstance,
  removeClient,
  requireClient,
  send,
  setDeactivated,
  travel,
} from "../support/world.ts";
import { ruleApp } from "../support/service-accounts.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";

/** How a text that was sent as a token is refused, at the Client API and at the MCP endpoint. */
interface Refused {
  readonly at: string;
  readonly status: number;
  readonly challenge: string | undefined;
  /** The whole response as text, with its challenge. */
  readonly text: string;
}

async function refusalsOf(token: string, headers: Record<string, string> = {}): Promise<Refused[]> {
  const { body, headers: ofVersion } = rpcRequest("2025-11-25", "tools/list");
  const responses = {
    "/rest/api/v1/search": await search(token, undefined, headers),
    "/mcp": await postMcp(token, JSON.stringify(body), { ...ofVersion, ...headers }),
  };
  return Promise.all(
    Object.entries(responses).map(async ([at, response]) => ({
      at,
      status: response.status,
      challenge: response.status < 400 ? undefined : readChallenge(response)["error"],
      text: `${response.headers.get("WWW-Authenticate") ?? ""} ${await response.text()}`,
    })),
  );
}

/** How long a decision takes at most to reach every isolate. */
const REACH_SECONDS = 10;

/** The name of the header that announces an identity provider's token. */
const HEADER = /auth-type/i;

let instance: InstanceRecord;
let own: string;
let tokens: TokenAnswer;
let elsewhere: string;
let secret: string;

beforeAll(async () => {
  instance = await makeInstance();
  await makeInstance("other");
  tokens = await (await AppClient.registered()).tokens();
  own = tokens.access_token;
  elsewhere = (await (await AppClient.registered({}, "http://other.localhost")).tokens()).access_token;
  secret = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

/** Replaces one part of a JWT. */
function withPart(token: string, index: 0 | 1 | 2, change: (part: string) => string): string {
  return token
    .split(".")
    .map((part, at) => (at === index ? change(part) : part))
    .join(".");
}

const PARTS = [
  ["header", 0],
  ["claims", 1],
  ["signature", 2],
] as const;

/** The ways in which a token is damaged on its way: by a log, a form field, a shell, a proxy or a line length. */
const DAMAGES: readonly (readonly [what: string, damage: (token: string) => string])[] = [
  ["with its last character cut off", (token) => token.slice(0, -1)],
  ["with half of its signature cut off", (token) => token.slice(0, -43)],
  ["without its signature", (token) => token.slice(0, token.lastIndexOf("."))],
  ["with an empty signature", (token) => token.slice(0, token.lastIndexOf(".") + 1)],
  ["cut within its claims", (token) => token.slice(0, token.indexOf(".") + 120)],
  ["cut after the claim iss", (token) => token.slice(0, token.indexOf(".") + 60)],
  ["with its first character cut off", (token) => token.slice(1)],
  ["without its header", (token) => token.slice(token.indexOf(".") + 1)],
  ["with a character after it", (token) => `${token}A`],
  ["with a dot after it", (token) => `${token}.`],
  ["with dots after it", (token) => `${token}...`],
  ["with a dot before it", (token) => `.${token}`],
  ["with a fourth part", (token) => `${token}.AAAA`],
  ["with five parts, like an encrypted token", (token) => `${token}.AAAA.AAAA`],
  ["padded", (token) => `${token}=`],
  ["padded twice", (token) => `${token}==`],
  ["without its dots", (token) => token.replaceAll(".", "")],
  ["in base64 instead of base64url", (token) => `${token.replaceAll("-", "+").replaceAll("_", "/")}==`],
  ["twice", (token) => token + token],
  ["with only the ends of its parts", (token) => token.replace(/^(eyJ)[^.]*\.[^.]{150}/, "$1.")],
  ["with three dots in place of the middle", (token) => `${token.slice(0, 150)}...${token.slice(-20)}`],
  ["with a slash after it", (token) => `${token}/`],
  ["whose claims name a member twice", (token) => withPart(token, 1, (claims) => twice(claims))],
  ["whose header has another algorithm", (token) => withHeader(token, { alg: "HS256" })],
  ["whose header has no algorithm", (token) => withHeader(token, { alg: undefined })],
  ["whose header names another key", (token) => withHeader(token, { kid: "2026-01" })],
  ["whose header points to another key", (token) => withHeader(token, { jku: "https://attacker.example/keys" })],
  ["whose header is no JSON", (token) => withPart(token, 0, () => base64url.encode("no JSON"))],
  ["with another signature", (token) => withPart(token, 2, (part) => part.slice(43) + part.slice(0, 43))],
  ["extended by a megabyte", (token) => token + "A".repeat(1_000_000)],
  ...PARTS.flatMap(([name, index]): [string, (token: string) => string][] => [
    [
      `with a character cut out of its ${name}`,
      (token) => withPart(token, index, (part) => part.slice(0, 9) + part.slice(10)),
    ],
    [
      `with a character added to its ${name}`,
      (token) => withPart(token, index, (part) => `${part.slice(0, 9)}x${part.slice(9)}`),
    ],
    [`with a padded ${name}`, (token) => withPart(token, index, (part) => `${part}=`)],
    [
      `with white space in its ${name}`,
      (token) => withPart(token, index, (part) => `${part.slice(0, 9)} ${part.slice(9)}`),
    ],
    [
      `with a percent-encoded character in its ${name}`,
      (token) => withPart(token, index, (part) => `%65${part.slice(1)}`),
    ],
  ]),
];

function withHeader(token: string, changes: Readonly<Record<string, unknown>>): string {
  return withPart(token, 0, () => base64url.encode(JSON.stringify({ ...takeApart(token).header, ...changes })));
}

function twice(claims: string): string {
  const json = new TextDecoder().decode(base64url.decode(claims));
  return base64url.encode(json.replace("{", '{"sub":"somebody-else",'));
}

describe("401: the token is invalid or expired", () => {
  it.each(DAMAGES)(
    "a missing-header error means that the token was not issued by the service's own server: %s",
    async (_, damage) => {
      for (const headers of [{}, ANNOUNCED]) {
        for (const { at, status, challenge, text } of await refusalsOf(damage(own), headers)) {
          expect({ at, status, challenge, text }).toMatchObject({ status: 401, challenge: "invalid_token" });
          expect(text).toContain('"error":"invalid_token"');
          expect(text).not.toMatch(HEADER);
        }
      }
    },
  );

  it("a missing-header error means that the token was not issued by the service's own server: cut or changed anywhere", async () => {
    const step = 7;
    for (let at = 1; at < own.length; at += step) {
      const changed = own[at] === "x" ? "y" : "x";
      for (const damaged of [own.slice(0, at), own.slice(at), own.slice(0, at) + changed + own.slice(at + 1)]) {
        const [refused] = await refusalsOf(damaged);
        expect({ at, ...refused }).toMatchObject({ status: 401, challenge: "invalid_token" });
        expect(refused?.text).not.toMatch(HEADER);
      }
    }
  });

  it("a refresh token is refused as what it is, whole or cut", async () => {
    const { refresh_token = "" } = tokens;
    for (const text of [refresh_token, refresh_token.slice(0, -1), `${refresh_token}.x`]) {
      for (const headers of [{}, ANNOUNCED]) {
        for (const { status, challenge, text: said } of await refusalsOf(text, headers)) {
          expect([status, challenge]).toEqual([401, "invalid_token"]);
          expect(said).toContain("This is a refresh token");
          expect(said).not.toMatch(HEADER);
        }
      }
    }
  });

  it("a service-issued token that was cut or changed is refused without a word about the header", async () => {
    for (const text of [secret.slice(0, -1), `${secret}A`, secret.replace("ghc_", "ghd_"), secret.slice(4)]) {
      for (const { status, text: said } of await refusalsOf(text)) {
        expect([status, HEADER.test(said)]).toEqual([401, false]);
      }
    }
  });

  it("a token of another instance is refused as that, whole or damaged, and never told to add a header", async () => {
    // Which instance issued a token is legible only from its issuer, which these two damage.
    const damages = DAMAGES.filter(([what]) => !/(cut out of|added to) its claims/.test(what)).map(
      ([, damage]) => damage,
    );
    for (const damage of [(token: string) => token, ...damages]) {
      for (const { status, text } of await refusalsOf(damage(elsewhere))) {
        expect(status).toBe(401);
        expect(text).not.toMatch(HEADER);
      }
    }
    for (const cut of [elsewhere, elsewhere.slice(0, -1), elsewhere.slice(0, elsewhere.lastIndexOf("."))]) {
      for (const { text } of await refusalsOf(cut)) expect(text).toContain("another instance of this service");
    }
  });

  it("a token of an identity provider that was sent without the header is told to add it", async () => {
    const issuer = await TestIssuer.publishing("rsa");
    const token = await issuer.token();
    for (const text of [token, token.slice(0, -1), withPart(token, 1, (claims) => claims.slice(0, -3))]) {
      for (const { status, text: said } of await refusalsOf(text)) {
        expect([status, HEADER.test(said)]).toEqual([401, true]);
      }
    }
  });
});

describe("403: OAuth is not enabled, or the client or issuer does not match", () => {
  afterEach(() => vi.useRealTimers());

  /** The error and challenge of a refused call at both APIs: here, where nothing is remembered, and after the token was used. */
  async function errorsOf(token: string, isolate = new ObservedIsolate()) {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const { body } = rpcRequest("2025-11-25", "tools/list");
    const responses = [
      await isolate.search(token),
      await isolate.send("/mcp", { method: "POST", headers, body: JSON.stringify(body) }),
    ];
    return Promise.all(
      responses.map(async (response, at) => {
        if (response.status === 200) return [200];
        const { error } = await (at === 0 ? readRefusal : readMcpRefusal)(response);
        return [response.status, error, readChallenge(response)["error"]];
      }),
    );
  }

  /** Returns an app with a token that this isolate has accepted. */
  async function appInUse(isolate: ObservedIsolate) {
    const app = await AppClient.registered();
    const { access_token: token } = await app.tokens();
    expect((await isolate.search(token)).status).toBe(200);
    return { app, token, grantId: String(takeApart(token).claims["grant_id"]) };
  }

  const both = (...error: unknown[]) => [error, error];
  const REMOVED = both(403, "client_not_registered", "client_not_registered");
  const DISABLED = both(403, "client_not_enabled", "client_not_enabled");
  const INVALID = both(401, "invalid_token", "invalid_token");

  it("the client is not registered: an administrator deleted it", async () => {
    const warm = new ObservedIsolate();
    const { app, token } = await appInUse(warm);
    await removeClient(instance, app.clientId);
    travel(REACH_SECONDS);
    expect(await errorsOf(token, warm)).toEqual(REMOVED);
    expect(await errorsOf(token)).toEqual(REMOVED);
    // Not at /mcp: a refused call there is noted as a step of a connection, as often as the rate limit allows.
    warm.reset();
    expect((await warm.search(token)).status).toBe(403);
    expect(warm.statements).toBe(0);
  });

  it("the client is not registered: it removed itself (RFC 7592 §2.3)", async () => {
    const registration = await (
      await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" })
    ).json<{ client_id: string; registration_access_token: string; registration_client_uri: string }>();
    const { access_token: token } = await AppClient.of(registration.client_id, REDIRECT_URI).tokens();
    const headers = { Authorization: `Bearer ${registration.registration_access_token}` };
    expect((await send(registration.registration_client_uri, { method: "DELETE", headers })).status).toBe(204);
    expect(await errorsOf(token)).toEqual(REMOVED);
  });

  it("the client is not enabled: an administrator disabled it, until it is enabled again", async () => {
    const warm = new ObservedIsolate();
    const { app, token } = await appInUse(warm);
    await disableClient(instance, app.clientId);
    travel(REACH_SECONDS);
    expect(await errorsOf(token, warm)).toEqual(DISABLED);
    expect(await errorsOf(token)).toEqual(DISABLED);
    await enableClient(instance, app.clientId);
    travel(REACH_SECONDS);
    expect(await errorsOf(token, warm)).toEqual([[200], [200]]);
  });

  it("the client is not enabled for the person: rules let only groups use it of which the person is in none", async () => {
    const warm = new ObservedIsolate();
    const { app, token } = await appInUse(warm);
    const { app: name } = await requireClient(instance, app.clientId);
    await ruleApp(instance, name, [{ group: "sales", scopes: ["SEARCH"] }]);
    travel(REACH_SECONDS);
    expect(await errorsOf(token, warm)).toEqual(DISABLED);
  });

  it.each([
    ["deleted", removeClient],
    ["disabled", disableClient],
  ])(
    "401 for a token that is expired, revoked or malformed, although its client did not match either: %s",
    async (_, end) => {
      const warm = new ObservedIsolate();
      const { app, token } = await appInUse(warm);
      const { access_token: revoked } = await app.tokens();
      await app.revoke(revoked);
      await end(instance, app.clientId);
      travel(REACH_SECONDS);
      expect(await errorsOf(revoked)).toEqual(INVALID);
      expect(await errorsOf(token.slice(0, -1))).toEqual(INVALID);
      expect(await errorsOf(`${token.slice(0, -9)}AAAAAAAAA`)).toEqual(INVALID);
      travel(3600);
      expect(await errorsOf(token, warm)).toEqual(INVALID);
      expect(await errorsOf(token)).toEqual(INVALID);
    },
  );

  it("401 for the token of a deactivated person, although its client was disabled too", async () => {
    const { app, token } = await appInUse(new ObservedIsolate());
    await disableClient(instance, app.clientId);
    await setDeactivated(instance, "ben@acme.example");
    expect(await errorsOf(token)).toEqual(INVALID);
    await setDeactivated(instance, "ben@acme.example", false);
  });

  it("the issuer or the client of an identity provider's token does not match", async () => {
    const [registered, unknown] = [await TestIssuer.publishing("rsa"), await TestIssuer.publishing("rsa")];
    await registered.register(instance);
    for (const [token, error] of [
      [await unknown.token(), "issuer_not_registered"],
      [await registered.token({ azp: "payroll" }), "client_not_registered"],
    ] as const) {
      for (const { status, challenge } of await refusalsOf(token, ANNOUNCED)) {
        expect([status, challenge]).toEqual([403, error]);
      }
    }
  });

  it("OAuth is not enabled", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    for (const { status, challenge } of await refusalsOf(own)) {
      expect([status, challenge]).toEqual([403, "oauth_not_enabled"]);
    }
    await changeSettings("acme", { oauthEnabled: true });
  });
});
