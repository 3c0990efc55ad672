import { Keyring } from "#crypto/keyring.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { TokenForge } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";

const ISSUER = "https://sso.example";
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};
const PROOF = { state: "s".repeat(43), nonce: "n".repeat(43), codeVerifier: "v".repeat(43) };
const NO_OPTIONS = { prompt: undefined, maxAge: undefined, loginHint: undefined };
const CALLBACK = "https://acme.example/oauth/callback";

/** Makes an SSO whose metadata was read this long ago, and which responds like this. */
async function providerOf(ageSeconds: number, answer: OutgoingFetch) {
  const keyring = new Keyring(env.MASTER_KEYS);
  const fetchedAt = Math.floor(Date.now() / 1000) - ageSeconds;
  const cache = {
    read: async (key: string) => (key.startsWith("sso-metadata") ? { fetchedAt, metadata: METADATA } : null),
    write: async () => undefined,
  } as unknown as PublicCache;
  const sso = {
    issuer: ISSUER,
    clientId: "gatehouse",
    sealedClientSecret: await keyring.seal(singleSignOnPurpose("acme"), "secret"),
    scopes: "openid",
    groupsClaim: "groups",
    emailClaim: "email",
    requiredClaims: {},
  };
  return { provider: new OpenIdProvider(keyring, cache, answer, false), sso };
}

describe("an SSO that fails", () => {
  it.each([500, 502, 503])("is reported as unavailable if its token endpoint responds %i", async (status) => {
    const { provider, sso } = await providerOf(0, async () => new Response("<h1>Oops</h1>", { status }));
    const answer = new URL(`${CALLBACK}?code=c&state=${PROOF.state}`);
    const known = await provider.recall(sso);
    await expect(provider.redeem(sso, known, "acme", answer, CALLBACK, PROOF, NO_OPTIONS)).rejects.toMatchObject({
      code: "temporarily_unavailable",
      status: 503,
    });
  });

  it("with old metadata and a discovery that hangs is asked once, not at each sign-in", async () => {
    let asked = 0;
    const { provider, sso } = await providerOf(7200, () => {
      asked += 1;
      return new Promise<Response>(() => undefined);
    });
    for (let signIn = 0; signIn < 5; signIn += 1) {
      const url = await provider.authorizationUrl(
        sso,
        (await provider.recall(sso)).server,
        CALLBACK,
        PROOF,
        NO_OPTIONS,
      );
      expect(url).toMatch(/^https:\/\/sso\.example\/authorize\?/);
    }
    expect(asked).toBe(1);
  });
});

describe("an SSO whose metadata has the connection's issuer but for a slash at its end", () => {
  it.each([0, 7200])("signs nobody in, and says why in the log (metadata of %i s ago)", async (age) => {
    const { provider, sso } = await providerOf(age, async () => Response.json(METADATA));
    await expect(provider.recall({ ...sso, issuer: `${ISSUER}/` })).rejects.toMatchObject({
      reason: "sso_metadata_incomplete",
      cause: new Error(`the SSO calls itself ${ISSUER}`),
    });
  });
});

describe("an ID token (OpenID Connect Core §3.1.3.7, RFC 7519 §4)", () => {
  let forge: TokenForge;
  let jwks: unknown;

  beforeAll(async () => {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 };
    const exponent = { publicExponent: new Uint8Array([1, 0, 1]) };
    const pair = (await crypto.subtle.generateKey({ ...algorithm, ...exponent }, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    const { kty, n, e } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
    jwks = { keys: [{ kty, n, e, kid: "one", alg: "RS256", use: "sig" }] };
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: ISSUER, sub: "42", aud: "gatehouse", nonce: PROOF.nonce, iat: now, exp: now + 300 };
    forge = new TokenForge({ alg: "RS256", kid: "one" }, claims, pair.privateKey);
  });

  /** Returns the result of a sign-in whose SSO responds with this ID token. */
  async function redeem(idToken: string) {
    const { provider, sso } = await providerOf(0, async (url) =>
      url.endsWith("/jwks")
        ? Response.json(jwks)
        : Response.json({ access_token: "a", token_type: "Bearer", id_token: idToken }),
    );
    const answer = new URL(`${CALLBACK}?code=c&state=${PROOF.state}`);
    const known = await provider.recall(sso);
    return (await provider.redeem(sso, known, "acme", answer, CALLBACK, PROOF, NO_OPTIONS)).claims;
  }

  const refusal = { code: "access_denied", reason: expect.stringContaining("sso_answer_invalid") as string };

  it("is accepted if its audience, and azp if present, name this client", async () => {
    expect(await redeem(await forge.withClaims({}))).toMatchObject({ sub: "42" });
    expect(await redeem(await forge.withClaims({ azp: "gatehouse" }))).toMatchObject({ sub: "42" });
    const two = await forge.withClaims({ aud: ["gatehouse", "other"], azp: "gatehouse" });
    expect(await redeem(two)).toMatchObject({ sub: "42" });
  });

  it("may be longer than a header, because it comes in a response, with many groups", async () => {
    const groups = Array.from({ length: 1000 }, () => crypto.randomUUID());
    expect(await redeem(await forge.withClaims({ groups }))).toHaveProperty("groups.length", 1000);
  });

  it.each([
    ["for another client", { aud: "other" }],
    ["for other clients", { aud: ["other", "another"] }],
    ["for nobody", { aud: undefined }],
    ["of another issuer", { iss: "https://evil.example" }],
    ["of another sign-in", { nonce: "another" }],
    ["of no sign-in", { nonce: undefined }],
    ["that has expired", { exp: 1 }],
    ["without an end", { exp: undefined }],
    ["about nobody", { sub: undefined }],
    ["that is bound to a key", { cnf: { jkt: "A".repeat(43) } }],
    ["that describes an event", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }],
  ])("is refused %s", async (_what, changes) => {
    await expect(redeem(await forge.withClaims(changes))).rejects.toMatchObject(refusal);
  });

  it.each(["other", "", null, 1, ["gatehouse"], { gatehouse: true }])("is refused with azp %j", async (azp) => {
    await expect(redeem(await forge.withClaims({ azp }))).rejects.toMatchObject(refusal);
    await expect(redeem(await forge.withClaims({ azp, aud: ["gatehouse"] }))).rejects.toMatchObject(refusal);
  });

  it.each([
    ["a claim twice", (json: string) => json.replace("{", '{"sub":"7",')],
    ["a claim twice, once escaped", (json: string) => json.replace("{", String.raw`{"\u0073ub":"7",`)],
    ["a member of a claim twice", (json: string) => json.replace("{", '{"act":{"sub":"7","sub":"8"},')],
  ])("is refused with %s", async (_, change) => {
    const { header, claims } = forge;
    expect(await redeem(await forge.sign(header, JSON.stringify(claims)))).toMatchObject({ sub: "42" });
    await expect(redeem(await forge.sign(header, change(JSON.stringify(claims))))).rejects.toMatchObject(refusal);
  });

  it("is refused with a member of its header twice", async () => {
    const header = JSON.stringify(forge.header).replace("{", '{"kid":"two",');
    await expect(redeem(await forge.sign(header, forge.claims))).rejects.toMatchObject(refusal);
  });
});
