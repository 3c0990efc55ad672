import { expect, it } from "vitest";
import { AppClient, search } from "./app-client.ts";
import { TokenForge } from "./forged-tokens.ts";
import { makeInstance } from "./world.ts";

/** A token that somebody made up, and what is wrong with it. */
export type Attack = [what: string, make: () => string | Promise<string>];

/** A genuine access token with its app, the forge of its instance's key, and the forge of another instance's. */
export async function makeForgeryScene() {
  await makeInstance();
  await makeInstance("other");
  const app = await AppClient.registered();
  const tokens = await app.tokens("ben", { scope: "SEARCH offline_access" });
  const elsewhere = await (await AppClient.registered({}, "http://other.localhost")).tokens();
  return {
    app,
    tokens,
    forge: await TokenForge.of("acme", tokens.access_token),
    foreign: await TokenForge.of("other", elsewhere.access_token),
  };
}

/** Promises that no attack gets in: 401, whether or not the token is announced as an identity provider's. */
export function refusesAll(attacks: readonly Attack[]): void {
  it.each(attacks)("refuses %s", async (_what, make) => {
    const token = await make();
    expect((await search(token)).status).toBe(401);
    const announced = await search(token, undefined, { "X-Gatehouse-Auth-Type": "OAUTH" });
    expect([401, 403]).toContain(announced.status);
  });
}
