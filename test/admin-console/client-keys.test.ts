import { servicesOf } from "#services.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, REDIRECT_URI } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { type ConsoleBrowser, errorBeside, fieldOf, openConsole } from "../support/console-browser.ts";
import { DocumentHost } from "../support/document-host.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, requireClient } from "../support/world.ts";

const ORDER = { name: "Ledger", redirectUris: REDIRECT_URI, scopes: ["SEARCH", "offline_access"], kind: "keys" };

let instance: InstanceRecord;
let ada: ConsoleBrowser;
let key: ClientKey;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
  key = await ClientKey.make();
});

function setOf(...keys: ClientKey[]): string {
  return JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) });
}

/** Makes an app with keys on the page. */
async function makeApp(keys: string): Promise<AppClient> {
  const made = await ada.post("/admin/clients/new", { ...ORDER, keys });
  const [, id = ""] =
    /^\/admin\/clients\/app\?id=([\w-]+)&done=created$/.exec(made.headers.get("Location") ?? "") ?? [];
  expect(id).not.toBe("");
  return AppClient.of(id, REDIRECT_URI);
}

/** Saves an app's page with other keys. */
async function replaceKeys({ clientId }: AppClient, keys: string): Promise<Response> {
  const page = await ada.read(`/admin/clients/app?id=${clientId}`);
  return ada.post("/admin/clients/app", { ...ORDER, id: clientId, keys, version: fieldOf(page, "version") ?? "" });
}

describe("an app with its own keys (RFC 7523)", () => {
  it("authenticates with a key from the set that an administrator pasted, and with nothing else", async () => {
    const app = await makeApp(setOf(key));
    const authorized = await app.authorize();
    await expectOAuthError(await app.redeem(authorized), 401, "invalid_client");
    const stranger = await ClientKey.make("ES256", key.kid);
    await expectOAuthError(
      await app.redeem(authorized, await stranger.authenticates(app.clientId)),
      401,
      "invalid_client",
    );
    await expectTokens(await app.redeem(authorized, await key.authenticates(app.clientId)));
    const html = await ada.read(`/admin/clients/app?id=${app.clientId}`);
    expect(html).toContain("Confidential, with its own key");
    expect(html).not.toContain("rotate-secret");
  });

  it("authenticates with a key from the URL that an administrator entered", async () => {
    const host = new DocumentHost();
    host.publish("https://app.example/jwks.json", { keys: [key.publicJwk] });
    const app = await makeApp("https://app.example/jwks.json");
    await expectTokens(await app.redeem(await app.authorize(), await key.authenticates(app.clientId)));
    expect(fieldOf(await ada.read(`/admin/clients/app?id=${app.clientId}`), "keys")).toBe(
      "https://app.example/jwks.json",
    );
  });

  it("can't use a replaced key any more, even for existing grants", async () => {
    const app = await makeApp(setOf(key));
    const tokens = await expectTokens(await app.redeem(await app.authorize(), await key.authenticates(app.clientId)));
    const next = await ClientKey.make();
    const saved = await replaceKeys(app, setOf(next));
    expect(saved.headers.get("Location")).toBe(`/admin/clients/app?id=${app.clientId}&done=saved`);
    await expectOAuthError(
      await app.refresh(tokens.refresh_token, await key.authenticates(app.clientId)),
      401,
      "invalid_client",
    );
    await expectTokens(await app.refresh(tokens.refresh_token, await next.authenticates(app.clientId)));
    const row = await env.DB.prepare("SELECT detail FROM audit ORDER BY sequence DESC LIMIT 1").first<string>("detail");
    expect(row).toContain(String(next.publicJwk.x));
  });

  it.each([
    ["nothing", () => ""],
    ["plain http", () => "http://app.example/jwks.json"],
    ["half a set", () => '{"keys": ['],
    ["an empty set", () => '{"keys": []}'],
    ["a private key", () => JSON.stringify({ keys: [{ ...key.publicJwk, d: "AAAA" }] })],
  ])("is refused with an error at the field if the keys are %s", async (_, keys) => {
    const html = await expectPage(await ada.post("/admin/clients/new", { ...ORDER, keys: keys() }), 422);
    expect(errorBeside(html, "keys")).toBeDefined();
    const app = await makeApp(setOf(key));
    const refused = await expectPage(await replaceKeys(app, keys()), 422);
    expect(errorBeside(refused, "keys")).toBeDefined();
  });

  it("can't be made from a public, secret or registered app: none of these gets keys later", async () => {
    const { clients } = servicesOf(env).administrationOf(instance, "test");
    const { publicJwk } = key;
    const keys = { jwks: [{ kty: "EC" as const, crv: "P-256", x: publicJwk.x ?? "", y: publicJwk.y ?? "" }] };
    const others = [
      await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "none" }),
      await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_basic" }),
      await AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", jwks: JSON.parse(setOf(key)) }),
    ];
    for (const { clientId } of others) {
      const change = clients.change(await requireClient(instance, clientId), { keys });
      await expect(change).rejects.toMatchObject({ member: "keys" });
    }
  });
});
