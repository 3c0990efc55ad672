import type { InstanceRecord } from "#instance/instances.ts";
import { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import { REQUESTS_PER_CALLER } from "#authorization-requests/pending-requests.ts";
import { GRANTS_PER_PERSON_AND_HOUR } from "#grants/token-grants.ts";
import { hashToken } from "#crypto/secrets.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { ConsoleBrowser, fieldOf } from "../support/console-browser.ts";
import { AppClient, CHALLENGE, REDIRECT_URI } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { expectErrorAtApp } from "../support/oauth-answers.ts";
import { knownPerson } from "../support/people.ts";
import { exhaust } from "../support/rate-limits.ts";
import { makeInstance, ORIGIN, policyOf, send } from "../support/world.ts";
import { audited } from "../support/audited.ts";

const ALLOW = { name: "decision", value: "allow" };

let instance: InstanceRecord;
let app: AppClient;

beforeAll(async () => {
  instance = await makeInstance();
  app = await AppClient.registered();
});

describe("what an authorization request can store", () => {
  it.each([
    ["state", 4096],
    ["login_hint", 512],
  ])("is limited in bytes: %s has at most %i", async (name, bytesMax) => {
    const fits = await send(app.authorizeUrl(CHALLENGE, { [name]: "é".repeat(bytesMax / 2) }));
    expect(new URL(fits.headers.get("Location") ?? "").pathname).not.toBe(new URL(REDIRECT_URI).pathname);
    const over = await send(app.authorizeUrl(CHALLENGE, { [name]: `${"é".repeat(bytesMax / 2)}x` }));
    expectErrorAtApp(over, app.redirectUri, "invalid_request");
  });

  it("includes each prompt once, however often it was sent", async () => {
    const begun = await send(app.authorizeUrl(CHALLENGE, { prompt: `${"login ".repeat(1000)}select_account` }));
    expect(new URL(begun.headers.get("Location") ?? "").searchParams.get("prompt")).toBe("login select_account");
  });

  it("is nothing if the request is refused", async () => {
    const count = () => env.DB.prepare("SELECT COUNT(*) AS n FROM authorization_requests").first("n");
    const before = await count();
    await send(app.authorizeUrl("short"));
    await send(app.authorizeUrl(CHALLENGE, { redirect_uri: "https://evil.example/cb" }));
    expect(await count()).toBe(before);
  });

  it("is limited for each network of callers, without affecting others", async () => {
    const pending = new D1PendingRequests(audited());
    const now = Math.floor(Date.now() / 1000);
    const begin = async (count: number, caller: string | undefined) => {
      const hash = await hashToken(`${count} ${caller}`);
      const request = { clientId: app.clientId } as Parameters<typeof pending.begin>[0]["request"];
      const key = { handleHash: hash, browserHash: hash, instanceId: instance.id };
      return pending.begin({ ...key, request, expiresAt: now + 900, caller }, now);
    };
    for (let count = 0; count < REQUESTS_PER_CALLER; count += 1) {
      if (!(await begin(count, "2001:db8::/64"))) throw new Error(`refused after ${count}`);
    }
    expect(await begin(REQUESTS_PER_CALLER, "2001:db8::/64")).toBe(false);
    expect(await begin(0, "2001:db8:0:1::/64")).toBe(true);
    const from = (address: string) =>
      send(app.authorizeUrl(CHALLENGE), { headers: { "CF-Connecting-IP": address } }).then(({ status }) => status);
    // Every address of the /64 counts as the same caller.
    expect(await from("2001:db8::1")).toBe(429);
    expect(await from("2001:db8::ffff:ffff:ffff:ffff")).toBe(429);
    expect(await from("2001:db8:0:2::1")).toBe(302);
  });

  it.each(["/oauth/authorize", "/sign-in"])("is limited in time: %s responds 429 with Retry-After", async (path) => {
    const person = new ConsoleBrowser(ORIGIN);
    const form = { csrf_token: fieldOf(await person.read("/sign-in"), "csrf_token") ?? "" };
    const ask = (address: string) => {
      const headers = { "CF-Connecting-IP": address };
      return path === "/sign-in" ? person.postRaw(path, form, headers) : send(app.authorizeUrl("short"), { headers });
    };
    let host = 0;
    // Each request has another address of the same /64.
    const { before, after } = await exhaust("RATE_LIMIT_300", () => ask(`2001:db8:1::${((host += 1)).toString(16)}`));
    expect(before.status).not.toBe(429);
    expect(after.status).toBe(429);
    expect(after.headers.get("Retry-After")).toBe("60");
    expect((await ask("2001:db8:2::1")).status).toBe(before.status);
  });
});

describe("what a person can add to the policy snapshot by allowing and revoking apps", () => {
  it("is limited per hour", async () => {
    const grants = new DirectGrants(instance);
    for (let count = 0; count < GRANTS_PER_PERSON_AND_HOUR; count += 1) await grants.grant(app, "deniz@acme.example");
    await expect(grants.grant(app, "deniz@acme.example")).rejects.toThrow("too-many");
    const other = await AppClient.registered();
    const browser = other.browser();
    await grants.grant(other, "ben@acme.example");
    const asked = await other.toConsent(browser, "deniz", other.authorizeUrl(CHALLENGE));
    expect(await browser.press(asked, ALLOW)).toMatchObject({ status: 429 });
    expect(await browser.press(asked, { name: "decision", value: "deny" })).toHaveProperty("leftFor");
  });

  it("is not used up by what others assert for the person", async () => {
    const { id } = await knownPerson(instance, "deniz@acme.example");
    await env.DB.prepare("UPDATE grants SET asserted_by = 'https://idp.example' WHERE person_id = ?1").bind(id).run();
    await new DirectGrants(instance).grant(app, "deniz@acme.example");
  });

  it("is nothing if no token was ever issued", async () => {
    const before = (await policyOf(instance)).revokedGrants.size;
    const grants = new DirectGrants(instance);
    const { grantId } = await grants.grant(app, "carla@acme.example");
    const { clientId } = app;
    const person = await knownPerson(instance, "carla@acme.example");
    const scope = { kind: "grant", grantId, personId: person.id, clientId } as const;
    const ended = await servicesOf(env).grantEndings.end(
      await policyOf(instance),
      scope,
      "revoked_by_person",
      person.id,
    );
    expect(ended).toBe(1);
    expect((await policyOf(instance)).revokedGrants.size).toBe(before);
  });
});

describe("a sign-in in progress", () => {
  it("can be completed however often others register the same app", async () => {
    const metadata = { client_name: "Shared", redirect_uris: [REDIRECT_URI] };
    const mine = await AppClient.registered(metadata, ORIGIN, "198.51.100.7");
    const browser = mine.browser();
    const page = await mine.toConsent(browser, "ben", mine.authorizeUrl(CHALLENGE));
    for (let count = 0; count < 30; count += 1) await AppClient.registered(metadata, ORIGIN, "198.51.100.7");
    const answer = await browser.press(page, ALLOW);
    expect("leftFor" in answer && new URL(answer.leftFor).searchParams.get("code")).toBeTruthy();
  });
});
