import { randomSecret, sha256 } from "#crypto/secrets.ts";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { type AppClient, search, type TokenAnswer } from "../support/app-client.ts";
import { makeForgeryScene, refusesAll } from "../support/forgery.ts";
import { putTogether, takeApart, type TokenForge } from "../support/forged-tokens.ts";
import { type Attack, type JwtScene, repetitionAttacks, timeAttacks } from "../support/jwt-attacks.ts";
import { ORIGIN } from "../support/world.ts";

let app: AppClient;
let tokens: TokenAnswer;
let forge: TokenForge;
let foreign: TokenForge;
let scene: JwtScene;

beforeAll(async () => {
  const made = await makeForgeryScene();
  ({ app, tokens, forge, foreign } = made);
  scene = made;
});

describe("access tokens (RFC 9068)", () => {
  it("are accepted if the forge signs them unchanged, so that each refusal below has one cause", async () => {
    expect((await search(await forge.withClaims({}))).status).toBe(200);
    expect((await search(await forge.sign(JSON.stringify(forge.header), JSON.stringify(forge.claims)))).status).toBe(
      200,
    );
  });

  it("have the type, claims and lifetime of §2, and nothing about the person but an id", () => {
    expect(forge.header).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.any(String) });
    const { iat, exp, nbf, jti, sub, grant_id: grantId, ...rest } = forge.claims;
    expect(rest).toEqual({
      iss: ORIGIN,
      aud: ORIGIN,
      client_id: app.clientId,
      client_kind: "dynamic",
      client_app: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      scope: "SEARCH offline_access",
    });
    expect(exp).toBe(Number(iat) + tokens.expires_in);
    expect(nbf).toBe(iat);
    for (const id of [jti, sub, grantId]) expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});

describe("access tokens: claims that our own key signed (RFC 9068 §4, RFC 7519 §4)", () => {
  const claims = (what: string, changes: () => Record<string, unknown>): Attack => [
    what,
    () => forge.withClaims(changes()),
  ];

  refusesAll([
    ...timeAttacks(() => scene),
    claims("exp not whole", () => ({ exp: Math.floor(Date.now() / 1000) + 600.5 })),
    claims("iat missing", () => ({ iat: undefined })),
    claims("iss missing", () => ({ iss: undefined })),
    claims("iss as an array", () => ({ iss: [ORIGIN] })),
    ...["/", ":80", ".evil.example", "/oauth", "#", " "].map((suffix) =>
      claims(`iss with "${suffix}" after it`, () => ({ iss: ORIGIN + suffix })),
    ),
    claims("iss that is a part of ours", () => ({ iss: ORIGIN.slice(0, -1) })),
    claims("iss in capitals", () => ({ iss: ORIGIN.toUpperCase() })),
    claims("iss by https", () => ({ iss: ORIGIN.replace("http:", "https:") })),
    claims("iss with a Cyrillic а", () => ({ iss: ORIGIN.replace("acme", "аcme") })),
    claims("iss with user information", () => ({ iss: ORIGIN.replace("//", "//x@") })),
    claims("iss of another instance", () => ({ iss: "http://other.localhost" })),
    claims("aud missing", () => ({ aud: undefined })),
    claims("aud of another resource", () => ({ aud: `${ORIGIN}/mcp` })),
    claims("aud of another instance", () => ({ aud: "http://other.localhost" })),
    claims("aud with a slash after it", () => ({ aud: `${ORIGIN}/` })),
    claims("aud in capitals", () => ({ aud: ORIGIN.toUpperCase() })),
    claims("aud of the client, as an ID token has it", () => ({ aud: app.clientId })),
    claims("aud as an array with another resource", () => ({ aud: [ORIGIN, "https://elsewhere.example"] })),
    claims("aud as an array", () => ({ aud: [ORIGIN] })),
    claims("aud as an object", () => ({ aud: { [ORIGIN]: true } })),
    claims("sub missing", () => ({ sub: undefined })),
    claims("sub as a number", () => ({ sub: 1 })),
    claims("client_id missing", () => ({ client_id: undefined })),
    claims("grant_id missing", () => ({ grant_id: undefined })),
    claims("scope missing", () => ({ scope: undefined })),
    claims("scope as an array", () => ({ scope: ["SEARCH"] })),
    ...repetitionAttacks(() => scene),
  ]);
});

describe("access tokens: other kinds of tokens in their place (RFC 9068 §5, RFC 8725 §3.11)", () => {
  refusesAll([
    ...["JWT", "jwt", "id_token+jwt", "logout+jwt", "at", "", null, ["at+jwt"]].map(
      (typ): Attack => [`typ ${JSON.stringify(typ)}`, () => forge.withHeader({ typ })],
    ),
    ["typ missing", () => forge.withHeader({ typ: undefined })],
    ["the SSO's ID token", ssoIdToken],
    [
      "the SSO's ID token with our claims in it",
      async () => {
        const { header, signature } = takeApart(await ssoIdToken());
        return putTogether(header, forge.claims, signature);
      },
    ],
    ["another instance's access token", () => foreign.withClaims({})],
    ["a refresh token", () => tokens.refresh_token ?? ""],
    ["an authorization code", async () => (await app.authorize()).code],
    ["a client id", () => app.clientId],
  ]);
});

/** Returns the ID token that the organisation's SSO issues to Gatehouse when a person signs in. */
async function ssoIdToken(): Promise<string> {
  const { issuer, clientId, clientSecret } = inject("sso");
  const verifier = randomSecret();
  const redirectUri = `${ORIGIN}/oauth/callback`;
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json<Record<string, string>>();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid profile email groups",
    code_challenge: await sha256(verifier),
    code_challenge_method: "S256",
  });
  const browser = new ScriptedBrowser(redirectUri);
  const picker = await browser.visit(`${metadata["authorization_endpoint"]}?${query.toString()}`);
  if ("leftFor" in picker) throw new Error(`the SSO refused: ${picker.leftFor}`);
  const signedIn = await browser.press(picker, { name: "sub", value: "ben" });
  if (!("leftFor" in signedIn)) throw new Error(`the SSO answered ${signedIn.status}`);
  const response = await fetch(metadata["token_endpoint"] ?? "", {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: new URL(signedIn.leftFor).searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  const { id_token } = await response.json<{ id_token: string }>();
  expect(takeApart(id_token).claims["sub"]).toBe("ben");
  return id_token;
}
