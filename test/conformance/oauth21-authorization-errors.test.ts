import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE } from "../support/app-client.ts";
import { expectErrorAtApp, expectPage } from "../support/oauth-answers.ts";
import { disableClient, makeInstance, ORIGIN, send } from "../support/world.ts";

describe("the authorization endpoint (OAuth 2.1 §4.1.2.1)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance("acme", { dynamicScopes: ["SEARCH", "CHAT", "offline_access"] });
    app = await AppClient.registered();
  });

  it.each([
    ["no client", { client_id: undefined }],
    ["an unknown client", { client_id: "nobody" }],
    ["a redirect URI that is not the client's", { redirect_uri: "https://evil.example/cb" }],
    ["a wrong redirect URI beside another error", { redirect_uri: "https://evil.example/cb", response_type: "token" }],
  ])("shows an error page, without a redirect, for %s", async (_, changes) => {
    await expectPage(await send(app.authorizeUrl(CHALLENGE, changes)), 400);
  });

  it.each(["client_id", "redirect_uri"])("shows an error page, without a redirect, for a repeated %s", async (name) => {
    const value = encodeURIComponent(name === "client_id" ? app.clientId : app.redirectUri);
    await expectPage(await send(`${app.authorizeUrl(CHALLENGE)}&${name}=${value}`), 400);
  });

  it("shows an error page, without a redirect, for a disabled client", async () => {
    const gone = await AppClient.registered();
    await disableClient(instance, gone.clientId);
    await expectPage(await send(gone.authorizeUrl(CHALLENGE)), 400);
  });

  it.each([
    ["response_type missing", { response_type: undefined }, "invalid_request"],
    ["response_type=token", { response_type: "token" }, "unsupported_response_type"],
    ["response_type=code token", { response_type: "code token" }, "unsupported_response_type"],
    ["response_type=none", { response_type: "none" }, "unsupported_response_type"],
    ["PKCE missing", { code_challenge: undefined }, "invalid_request"],
    ["response_mode=fragment", { response_mode: "fragment" }, "invalid_request"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["a request URI", { request_uri: "https://app.example/request.jwt" }, "request_uri_not_supported"],
    ["scopes that mean nothing", { scope: "profile address" }, "invalid_scope"],
    ["a scope that this client may not have", { scope: "DOCUMENTS" }, "invalid_scope"],
    ["offline_access alone", { scope: "offline_access" }, "invalid_scope"],
    ["a resource of somebody else", { resource: "https://api.example" }, "invalid_target"],
    ["prompt=none without a session", { prompt: "none" }, "login_required"],
    ["an unknown prompt", { prompt: "shout" }, "invalid_request"],
    ["prompt=none with another", { prompt: "none login" }, "invalid_request"],
    ["max_age that is no number", { max_age: "soon" }, "invalid_request"],
  ])("redirects to the app with an error, its state and our iss (RFC 9207 §2) for %s", async (_, changes, error) => {
    const answer = expectErrorAtApp(await send(app.authorizeUrl(CHALLENGE, changes)), app.redirectUri, error);
    expect(answer.getAll("state")).toEqual(["state-of-the-app"]);
  });

  it.each(["an error", "prompt=none"])(
    "doesn't redirect (%s) to an https URI that a client registered itself, but shows a page with the host and a link",
    async (what) => {
      const web = await AppClient.registered({ redirect_uris: ["https://login-acme.example/cb"] });
      const url = web.authorizeUrl(CHALLENGE, what === "an error" ? { scope: "nothing" } : { prompt: "none" });
      const html = await expectPage(await send(url), 400);
      expect(html).toContain("<bdi>login-acme.example</bdi>");
      expect(html).toMatch(/href="https:\/\/login-acme\.example\/cb\?error=(invalid_scope|login_required)&amp;/);
    },
  );

  it("redirects errors to a web app that an administrator created", async () => {
    const made = await AppClient.madeByAdministrator(instance, { redirectUris: ["https://made.example/cb"] });
    const response = await send(made.authorizeUrl(CHALLENGE, { scope: "nothing" }));
    expectErrorAtApp(response, made.redirectUri, "invalid_scope");
  });

  it.each(["response_type", "code_challenge", "code_challenge_method", "scope", "prompt"])(
    "redirects to the app with an error for a repeated %s",
    async (name) => {
      const response = await send(`${app.authorizeUrl(CHALLENGE, { [name]: "code" })}&${name}=code`);
      expectErrorAtApp(response, app.redirectUri, "invalid_request");
    },
  );

  it("returns no state if the request had two or none", async () => {
    const twice = await send(`${app.authorizeUrl(CHALLENGE)}&state=another`);
    expect(expectErrorAtApp(twice, app.redirectUri, "invalid_request").has("state")).toBe(false);
    const none = await send(app.authorizeUrl("short", { state: undefined }));
    expect(expectErrorAtApp(none, app.redirectUri, "invalid_request").has("state")).toBe(false);
  });

  it("returns code, state and iss, each once, if there is no error", async () => {
    const { callback } = await app.authorize("ben", { state: "s" });
    expect([...callback.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    expect(callback.searchParams.get("iss")).toBe(ORIGIN);
  });

  it("ignores parameters that it does not know (OAuth 2.1 §3.1)", async () => {
    const response = await send(app.authorizeUrl(CHALLENGE, { nonce: "n", audience: "x", access_type: "offline" }));
    expect(new URL(response.headers.get("Location") ?? "").searchParams.get("client_id")).toBe("gatehouse");
  });
});
