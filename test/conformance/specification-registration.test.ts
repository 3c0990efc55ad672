import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI, register } from "../support/app-client.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import { makeInstance, send } from "../support/world.ts";

beforeAll(async () => {
  await makeInstance();
});

/** Registers an app, and returns the scopes that the response names. */
async function scopesOf(metadata: Record<string, unknown>): Promise<string[]> {
  const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", ...metadata });
  expect(response.status).toBe(201);
  return (await response.json<{ scope: string }>()).scope.split(" ");
}

/** Returns the error that an authorization request gets before the person signs in; `null` if it goes on to the sign-in. */
async function errorOf(app: AppClient, scope: string | undefined): Promise<string | null> {
  const response = await send(app.authorizeUrl(CHALLENGE, { scope }));
  expect(response.status).toBe(302);
  return new URL(response.headers.get("Location") ?? "").searchParams.get("error");
}

describe("a registration with scopes of other servers", () => {
  it.each(["openid email profile", "openid", "mcp:tools", "claudeai", "read write", "offline_access"])(
    "does not bind the app that registers with %j to nothing: it may ask for what the resource lists",
    async (scope) => {
      expect(await scopesOf({ scope })).toEqual(await scopesOf({}));
      expect(await errorOf(await AppClient.registered({ scope }), "SEARCH CHAT DOCUMENTS")).toBeNull();
    },
  );

  it("keeps an app that names a scope of this service to the scopes that it names", async () => {
    expect(await scopesOf({ scope: "mcp:tools SEARCH profile" })).toEqual(["SEARCH"]);
    expect(await errorOf(await AppClient.registered({ scope: "mcp:tools SEARCH" }), "CHAT")).toBe("invalid_scope");
  });
});

describe("the address of an app's keys", () => {
  it.each([
    "https://10.0.0.1/jwks.json",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/jwks.json",
    "https://[fd00::1]/jwks.json",
    "https://keys.corp.internal/jwks.json",
    "https://metadata.google.internal./jwks.json",
  ])("is refused at registration if it is private, as a document's is: %s", async (jwks_uri) => {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "private_key_jwt" };
    await expectOAuthError(await register({ ...metadata, jwks_uri }), 400, "invalid_client_metadata");
    expect((await register({ ...metadata, jwks_uri: "https://app.example/jwks.json" })).status).toBe(201);
  });
});
