import type { RecordedEntry } from "#audit/audit.ts";
import type { AuditEvent } from "#audit/audit-events.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { sha256 } from "#crypto/secrets.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { auditEntries, verifyWhole } from "../support/audit-entries.ts";
import { AppClient, search } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { DirectoryClient } from "../support/scim.ts";
import { issueClientApiToken, makeInstance, send, setDeactivated, travel } from "../support/world.ts";

let acme: InstanceRecord;
let app: AppClient;

afterEach(async () => {
  const { audit, auditVerification } = servicesOf(env);
  await audit.seal(acme.id);
  expect(await verifyWhole(auditVerification, acme.id)).toEqual({ entries: expect.any(Number), unsealed: 0 });
});

beforeAll(async () => {
  acme = await makeInstance();
  app = await AppClient.madeByAdministrator(acme, { tokenEndpointAuthMethod: "client_secret_basic" });
});

/** Returns the entries of an event, oldest first. */
async function recorded(event: AuditEvent): Promise<RecordedEntry[]> {
  return (await auditEntries(acme, event)).toReversed();
}

describe("the audit", () => {
  it("records each sign-in and each consent, with the person", async () => {
    const { access_token } = await app.tokens("ben", { scope: "SEARCH" });
    const { id } = await knownPerson(acme, "ben@acme.example");
    const [signIn, ...more] = await recorded("signed_in");
    expect(more).toEqual([]);
    expect(signIn).toMatchObject({ actor: id, detail: { email: "ben@acme.example", clientId: app.clientId } });
    const [consent] = await recorded("app_authorized");
    expect(consent).toMatchObject({
      actor: id,
      detail: { clientId: app.clientId, scope: "SEARCH", email: "ben@acme.example" },
    });
    expect((await search(access_token)).status).toBe(200);
  });

  it("records a denied consent", async () => {
    const browser = app.browser(signedInDirectly("ben", send));
    const page = await browser.visit(app.authorizeUrl(await sha256("verifier")));
    if ("leftFor" in page) throw new Error(page.leftFor);
    await browser.press(page, { name: "decision", value: "deny" });
    const { id } = await knownPerson(acme, "ben@acme.example");
    expect(await recorded("app_denied")).toMatchObject([
      { actor: id, detail: { clientId: app.clientId, reason: "consent_denied" } },
    ]);
  });

  it("records a sign-out from the instance's pages once, with the person", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    expect((await recorded("signed_in")).at(-1)?.detail).not.toHaveProperty("clientId");
    await ben.post("/sign-out", {});
    await ben.post("/sign-out", {});
    const { id } = await knownPerson(acme, "ben@acme.example");
    expect(await recorded("signed_out")).toMatchObject([{ actor: id, detail: { email: "ben@acme.example" } }]);
  });

  it("records the refused sign-in of somebody deactivated, with the person, and not as a sign-in", async () => {
    await app.authorize("ada", { scope: "SEARCH" });
    await setDeactivated(acme, "ada@acme.example");
    const before = (await recorded("signed_in")).length;
    await expect(app.authorize("ada")).rejects.toThrow();
    const { id } = await knownPerson(acme, "ada@acme.example");
    expect(await recorded("access_refused")).toMatchObject([
      { actor: id, detail: { reason: "person_deactivated", operation: "GET /oauth/callback", clientId: app.clientId } },
    ]);
    expect(await recorded("signed_in")).toHaveLength(before);
    await setDeactivated(acme, "ada@acme.example", false);
  });

  it("records refused tokens, with the person that a token proves, and never the token itself", async () => {
    const token = await issueClientApiToken(acme, "ben@acme.example", "CHAT");
    expect((await search(token)).status).toBe(403);
    expect((await search("ghc_not-a-token-at-all")).status).toBe(401);
    travel(61);
    expect((await search("ghc_not-a-token-at-all")).status).toBe(401);
    vi.useRealTimers();
    const refused = await recorded("access_refused");
    const { id } = await knownPerson(acme, "ben@acme.example");
    expect(refused.at(-1)).toMatchObject({
      actor: id,
      detail: { reason: "scope_missing", operation: "POST /rest/api/v1", times: 1 },
    });
    const strangers = await recorded("request_refused");
    expect(strangers.at(-1)).toMatchObject({ actor: "unknown", detail: { operation: "POST /rest/api/v1" } });
    expect(JSON.stringify(strangers)).not.toContain("not-a-token");
  });

  it("records the use of a stolen refresh token, with its person", async () => {
    const { refresh_token } = await app.tokens("ben", { scope: "SEARCH offline_access" });
    await env.DB.prepare("UPDATE grants SET generation = generation + 5 WHERE client_id = ?1").bind(app.clientId).run();
    expect((await app.refresh(refresh_token)).status).toBe(400);
    const { id } = await knownPerson(acme, "ben@acme.example");
    expect((await recorded("access_refused")).at(-1)).toMatchObject({
      actor: id,
      detail: { operation: "POST /oauth/token", clientId: app.clientId },
    });
  });

  it("records when users and groups of directories are added, changed and removed", async () => {
    const okta = await DirectoryClient.of(acme);
    const id = await okta.addUser("carl@acme.example");
    await okta.done("PATCH", `/Users/${id}`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", path: "title", value: "Head of carls" }],
    });
    const group = String(
      (await okta.done("POST", "/Groups", { displayName: "Carls", members: [{ value: id }] }))["id"],
    );
    await okta.done("DELETE", `/Groups/${group}`);
    await okta.done("DELETE", `/Users/${id}`);
    const user = [{ actor: "directory:okta", detail: { userId: id, email: "carl@acme.example" } }];
    expect(await recorded("directory_user_added")).toMatchObject(user);
    expect(await recorded("directory_user_changed")).toMatchObject(user);
    expect(await recorded("directory_user_removed")).toMatchObject(user);
    const made = [{ actor: "directory:okta", detail: { groupId: group, group: "Carls" } }];
    expect(await recorded("directory_group_created")).toMatchObject(made);
    expect(await recorded("directory_group_removed")).toMatchObject(made);
    expect(await recorded("directory_group_changed")).toMatchObject([
      { detail: { added: 1 } },
      { detail: { removed: 1 } },
    ]);
  });
});
