import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

describe("a person's connected apps", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.madeByAdministrator(instance, { name: "Notes", redirectUris: ["https://notes.example/cb"] });
  });

  it("show what would be allowed again in silence, and let it be withdrawn, without a running grant", async () => {
    const { access_token } = await app.tokens("ben", { scope: "SEARCH CHAT" });
    const ben = await ConsoleBrowser.signIn("ben");
    expect(await ben.read("/account")).toContain("last renewed");
    // The app signs out: its grant is over, and what Ben allowed is forgotten with it.
    await app.revoke(access_token);
    expect(await ben.read("/account")).not.toContain("Notes");

    await app.authorize("ben", { scope: "SEARCH CHAT" });
    const html = await ben.read("/account");
    expect(html).toContain("Notes");
    expect(html).toContain("it may connect again without asking you");
    expect(html).toContain("Chat for you");
    await env.DB.exec("UPDATE grants SET expires_at = 1, code_expires_at = 1");

    const withdrawn = await ben.post("/account/end", { client_id: app.clientId });
    expect(withdrawn.headers.get("Location")).toBe("/account?done=ended");
    expect(await ben.read("/account")).not.toContain("Notes");
    const left = env.DB.prepare("SELECT count(*) AS n FROM remembered_consents");
    expect(await left.first("n")).toBe(0);
    const [entry] = await auditEntries(instance, "consents_withdrawn", 1);
    expect(entry?.detail).toMatchObject({ scope: "client-of-person", clientId: app.clientId, consents: 1 });
    const again = await ben.post("/account/end", { client_id: app.clientId });
    expect(again.headers.get("Location")).toBe("/account?done=nothing");
  });
});
