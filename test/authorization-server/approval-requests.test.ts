import type { InstanceRecord } from "#instance/instances.ts";
import { D1AppRequests } from "#clients/app-requests.d1.ts";
import type { Page } from "../../scripts/local/scripted-browser.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { audited } from "../support/audited.ts";
import { AppClient, CHALLENGE } from "../support/app-client.ts";
import { openConsole } from "../support/console-browser.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { approveClient, makeInstance, requireClient, send } from "../support/world.ts";

describe("an app that waits for approval", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance("acme", { registration: "approval" });
  });

  /** Takes a person's browser to the page after the sign-in. */
  async function arrive(app: AppClient, sub = "ben") {
    const browser = app.browser(signedInDirectly(sub, send));
    return { browser, page: (await browser.visit(app.authorizeUrl(CHALLENGE))) as Page };
  }

  const requestsFor = async ({ clientId }: AppClient) => (await requireClient(instance, clientId)).requests;

  it("can be asked for once, with a purpose that administrators read, and is then used without starting again", async () => {
    const app = await AppClient.registered({ client_name: "Planner" });
    const { browser, page } = await arrive(app);
    expect(page).toMatchObject({ status: 403, html: expect.stringContaining("Planner</bdi> waits for approval") });
    expect(page.html).not.toContain('value="allow"');
    const filled = {
      ...page,
      html: page.html.replace('name="reason"', 'name="reason" value="&lt;b Plans \u202efor  spring"'),
    };
    const asked = (await browser.press(filled, { name: "decision", value: "ask" })) as Page;
    expect(asked.html).toContain("Your administrators have been asked.");
    expect(asked.html).not.toContain('value="ask"');
    expect(await requestsFor(app)).toEqual([
      { email: "ben@acme.example", purpose: "<b Plans for spring", askedAt: expect.any(Number) },
    ]);
    const ada = await openConsole(instance);
    for (const path of ["/admin/registration", `/admin/clients/app?id=${app.clientId}`]) {
      const html = await ada.read(path);
      expect(html).toContain("ben@acme.example");
      expect(html).toContain("&lt;b Plans for spring");
    }
    expect(await ada.read("/admin/connections")).toContain("client_pending");

    await approveClient(instance, app.clientId);
    const consent = (await browser.visit(asked.url)) as Page;
    expect(consent).toMatchObject({ status: 200, html: expect.stringContaining("’s administrators.") });
    expect(await browser.press(consent, { name: "decision", value: "allow" })).toHaveProperty(
      "leftFor",
      expect.stringContaining("code="),
    );
  });

  it("gives no code to a browser that answers what it was not asked, and tells the app if the person leaves", async () => {
    const app = await AppClient.registered({ client_name: "Forged" });
    const { browser, page } = await arrive(app);
    const changed = { ...page, html: page.html.replace('value="ask"', 'value="allow"') };
    const forged = await browser.press(changed, { name: "decision", value: "allow" });
    expect(forged).toHaveProperty("leftFor", expect.stringMatching(/error=access_denied/));
    const again = await arrive(app);
    const left = await again.browser.press(again.page, { name: "decision", value: "deny" });
    expect(left).toHaveProperty("leftFor", expect.stringMatching(/error=access_denied/));
    expect(await requestsFor(app)).toEqual([]);
  });

  it("is shown with all who asked for any of its installs, each recorded once, and no person's requests fill the table", async () => {
    const installs = await Promise.all([1, 2].map(() => AppClient.registered({ client_name: "Shared" })));
    for (const [at, sub] of ["ben", "elin"].entries()) {
      const { browser, page } = await arrive(installs[at] as AppClient, sub);
      for (const _ of ["once", "again"]) await browser.press(page, { name: "decision", value: "ask" });
    }
    const asked = (await auditEntries(instance, "app_requested")).toReversed().slice(-2);
    expect(asked.map(({ detail }) => detail["clientId"])).toEqual(installs.map(({ clientId }) => clientId));
    expect(new Set(asked.map(({ actor }) => actor)).size).toBe(2);
    const emails = (await requestsFor(installs[0] as AppClient)).map(({ email }) => email);
    expect(emails.sort()).toEqual(["ben@acme.example", "elin@acme.example"]);
    const { id } = (await env.DB.prepare("SELECT id FROM people WHERE email = 'ben@acme.example'").first<{
      id: string;
    }>()) ?? { id: "" };
    const appRequests = new D1AppRequests(audited());
    for (let n = 0; n < 25; n += 1) {
      const app = { app: `app ${n}`, clientId: `client ${n}` };
      await appRequests.add(instance.id, { id, email: "ben@acme.example" }, app, "", n);
    }
    const count = "SELECT count(*) AS n FROM app_requests WHERE person_id = ?1";
    expect(await env.DB.prepare(count).bind(id).first("n")).toBe(20);
  });
});
