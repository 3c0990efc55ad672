import { sha256 } from "#crypto/secrets.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, basic, CHALLENGE, postForm, REDIRECT_URI, register } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { REFUSED_REDIRECT_URIS } from "../support/redirect-uris.ts";
import { makeInstance, send } from "../support/world.ts";

interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

const PUBLIC = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };

beforeAll(async () => {
  await makeInstance();
});

async function registered(metadata: Record<string, unknown>): Promise<Registered> {
  const response = await register({ ...PUBLIC, ...metadata });
  expect(response.status).toBe(201);
  return response.json<Registered>();
}

function rowOf({ client_id }: { readonly client_id: string }): Promise<Record<string, unknown> | null> {
  return env.DB.prepare("SELECT * FROM clients WHERE id = ?1").bind(client_id).first();
}

describe("the stored record of a client", () => {
  it.each(["client_secret_basic", "client_secret_post"])("has only the hash of its secret, for %s", async (method) => {
    const client = await registered({ token_endpoint_auth_method: method });
    const row = await rowOf(client);
    expect(row?.["proof"]).toBe(await sha256(client.client_secret));
    expect(JSON.stringify(row)).not.toContain(client.client_secret);
  });

  it("has only the hash of the token that manages its registration", async () => {
    const client = await registered({});
    const row = await rowOf(client);
    expect(row?.["registration_token_hash"]).toBe(await sha256(client.registration_access_token));
    expect(JSON.stringify(row)).not.toContain(client.registration_access_token);
  });

  it("says that a registered client is dynamic, whatever kind it claims", async () => {
    expect(await rowOf(await registered({ kind: "static" }))).toMatchObject({ kind: "dynamic" });
  });

  it("of a client with keys contains nothing that works as a secret", async () => {
    const key = await ClientKey.make();
    const keys = { jwks: { keys: [key.publicJwk] } };
    const app = await AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", ...keys });
    const row = await rowOf({ client_id: app.clientId });
    for (const stored of [row?.["keys"], row?.["proof"]]) {
      expect(stored).toBeTypeOf("string");
      const headers = { Authorization: basic(app.clientId, String(stored)) };
      expect((await postForm("/oauth/introspect", { token: "none" }, headers)).status).toBe(401);
    }
  });
});

describe("redirect URIs that are in the database without a registration", () => {
  const OWN_ORIGIN = "https://acme-be.example.com";

  it("are checked again at authorization", async () => {
    const app = await AppClient.registered();
    await plant(app, REFUSED_REDIRECT_URIS);
    for (const redirect_uri of REFUSED_REDIRECT_URIS) {
      await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
    }
  });

  it("never lead back to the instance itself, whether named or the only one", async () => {
    const app = await AppClient.registered({ redirect_uris: ["https://app.example/cb"] }, OWN_ORIGIN);
    const own = `${OWN_ORIGIN}/oauth/authorize?response_type=code&client_id=another&code_challenge=${CHALLENGE}`;
    await plant(app, [own]);
    for (const redirect_uri of [own, undefined]) {
      await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
    }
  });

  async function plant({ clientId }: AppClient, redirectUris: readonly string[]): Promise<void> {
    const statement = env.DB.prepare("UPDATE clients SET redirect_uris = ?2 WHERE id = ?1");
    expect((await statement.bind(clientId, JSON.stringify(redirectUris)).run()).meta.changes).toBe(1);
  }
});
