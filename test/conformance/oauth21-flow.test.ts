import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

describe("the authorization code flow (OAuth 2.1 §4.1)", () => {
  let app: AppClient;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered();
  });

  it("leads from registration to a search as the person who signed in", async () => {
    const authorized = await app.authorizeAtSso("ben");
    expect(authorized.callback.searchParams.get("state")).toBe("state-of-the-app");
    expect(authorized.callback.searchParams.get("iss")).toBe(ORIGIN);
    const response = await app.redeem(authorized);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const tokens = await response.json<{ access_token: string }>();
    const found = await search(tokens.access_token);
    expect(found.status).toBe(200);
    expect(await found.json()).toMatchObject({ results: [], hasMoreResults: false });
  });
});
