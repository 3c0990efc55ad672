import { exportJWK, generateKeyPair } from "jose";
import { expect, it } from "vitest";
import { AppClient, search } from "./app-client.ts";
import { TokenForge } from "./forged-tokens.ts";
import type { Attack, JwtScene } from "./jwt-attacks.ts";
import { makeInstance, send } from "./world.ts";

/**
 * Creates a genuine access token and its app, the forge of its instance's key, and the forge of another instance's key.
 */
export async function makeForgeryScene() {
  const instance = await makeInstance();
  await makeInstance("other");
  const app = await AppClient.registered();
  const tokens = await app.tokens("ben", { scope: "SEARCH offline_access" });
  const elsewhere = await (await AppClient.registered({}, "http://other.localhost")).tokens();
  const { keys } = await (await send("/oauth/jwks")).json<{ keys: [JsonWebKey] }>();
  const scene: JwtScene = {
    genuine: tokens.access_token,
    forge: await TokenForge.of("acme", tokens.access_token),
    foreign: await TokenForge.of("other", elsewhere.access_token),
    publicJwk: keys[0],
    ...(await makeStranger("ES256")),
  };
  return { instance, app, tokens, ...scene };
}

/** Creates a key that nobody published. */
export async function makeStranger(
  algorithm: "ES256" | "RS256",
): Promise<Pick<JwtScene, "strangersKey" | "strangersJwk">> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  return { strangersKey: privateKey, strangersJwk: { ...(await exportJWK(publicKey)) } };
}

/** Checks that no attack gets in: 401, or also 403 if the token is announced as an identity provider's. */
export function refusesAll(attacks: readonly Attack[]): void {
  it.each(attacks)("refuses %s", async (_what, make) => {
    const token = await make();
    expect((await search(token)).status).toBe(401);
    const announced = await search(token, undefined, { "X-Gatehouse-Auth-Type": "OAUTH" });
    expect([401, 403]).toContain(announced.status);
  });
}
