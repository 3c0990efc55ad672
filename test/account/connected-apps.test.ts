import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { makeInstance } from "../support/world.ts";

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
});
