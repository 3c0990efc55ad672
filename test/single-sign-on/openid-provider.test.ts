import { Keyring } from "#crypto/keyring.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

const ISSUER = "https://sso.example";
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};
const PROOF = { state: "s".repeat(43), nonce: "n".repeat(43), codeVerifier: "v".repeat(43) };
const NO_WISHES = { prompt: undefined, maxAge: undefined, loginHint: undefined };
const CALLBACK = "https://acme.example/oauth/callback";

/** An SSO whose metadata was read so long ago, and that answers like this. */
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
  it.each([500, 502, 503])("is answered as unavailable where its token endpoint answers %i", async (status) => {
    const { provider, sso } = await providerOf(0, async () => new Response("<h1>Oops</h1>", { status }));
    const answer = new URL(`${CALLBACK}?code=c&state=${PROOF.state}`);
    await expect(provider.redeem(sso, "acme", answer, CALLBACK, PROOF, NO_WISHES)).rejects.toMatchObject({
      code: "temporarily_unavailable",
      status: 503,
    });
  });

  it("with old metadata and a discovery that hangs is waited for once, not at each sign-in", async () => {
    let asked = 0;
    const { provider, sso } = await providerOf(7200, () => {
      asked += 1;
      return new Promise<Response>(() => undefined);
    });
    for (let signIn = 0; signIn < 5; signIn += 1) {
      const url = await provider.authorizationUrl(sso, CALLBACK, PROOF, NO_WISHES);
      expect(url).toMatch(/^https:\/\/sso\.example\/authorize\?/);
    }
    expect(asked).toBe(1);
  });
});
