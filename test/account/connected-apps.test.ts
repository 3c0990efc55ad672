import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { approveClient, makeInstance } from "../support/world.ts";

describe("a person's connected apps", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.madeByAdministrator(instance, { name: "Notes", redirectUris: ["https://notes.example/cb"] });
  });

  it("are listed with what each may do, until the person ends one (which the audit records) or the app signs out", async () => {
    const { access_token } = await app.tokens("ben", { scope: "SEARCH CHAT" });
    const ben = await ConsoleBrowser.signIn("ben");
    expect(await ben.read("/account")).toContain("last renewed");
    await app.revoke(access_token);
    expect(await ben.read("/account")).not.toContain("Notes");

    await app.tokens("ben", { scope: "SEARCH CHAT" });
    const html = await ben.read("/account");
    expect(html).toContain("Notes");
    expect(html).toContain("Chat for you");

    const ended = await ben.post("/account/end", { client_id: app.clientId });
    expect(ended.headers.get("Location")).toBe("/account?done=ended");
    expect(await ben.read("/account")).not.toContain("Notes");
    const [entry] = await auditEntries(instance, "grants_ended", 1);
    expect(entry?.detail).toMatchObject({ scope: "client-of-person", clientId: app.clientId, grants: 1 });
    const again = await ben.post("/account/end", { client_id: app.clientId });
    expect(again.headers.get("Location")).toBe("/account?done=nothing");
  });

  it("say which ones administrators created or approved, until an approval is void", async () => {
    const own = await AppClient.registered({ client_name: "Own" });
    await own.tokens("ada", { scope: "SEARCH" });
    const ada = await ConsoleBrowser.signIn("ada");
    expect(await ada.read("/account")).toContain("Not verified.");
    expect(await approveClient(instance, own.clientId)).toBe("approved");
    const html = await ada.read("/account");
    expect(html).toContain("Approved by acme’s administrators.");
    expect(html).not.toContain("Not verified");
    await env.DB.prepare("UPDATE clients SET kept_at = NULL, variant = 'another' WHERE id = ?1")
      .bind(own.clientId)
      .run();
    expect(await ada.read("/account")).toContain("Not verified.");
    await app.tokens("ben", { scope: "SEARCH" });
    const ben = await ConsoleBrowser.signIn("ben");
    expect(await ben.read("/account")).toContain("’s administrators.");
  });
});
