import type { InstanceRecord } from "#instance/instances.ts";
import { SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";
import { ServiceTokenActs } from "#administration/service-token-acts.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type ConsoleBrowser, errorBeside, fieldOf, openConsole } from "../support/console-browser.ts";
import { changeSettings, makeInstance, policyOf } from "../support/world.ts";
import { allTokens } from "../support/service-tokens.ts";

const NEW_TOKEN = "/admin/tokens/new";
const TOKEN = { purpose: "admin", name: "Terraform", scopes: ["admin:read"], lifetime: "90" };

let acme: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  acme = await makeInstance();
  ada = await openConsole(acme);
});

/** Returns the id of a form that a page shows. */
async function formIdOf(path = `${NEW_TOKEN}?purpose=admin`): Promise<string> {
  return fieldOf(await ada.read(path), "form_id") ?? "";
}

async function countOf(name: string): Promise<number> {
  return (await allTokens(acme)).filter((token) => token.name === name).length;
}

describe("a form of the console", () => {
  it("does its work once, however often and fast it is sent, and says so", async () => {
    const fields = { ...TOKEN, name: "Sent often", form_id: await formIdOf() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada.post(NEW_TOKEN, fields)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409, 409, 409,
    ]);
    const again = await ada.post(NEW_TOKEN, fields);
    expect(again.status).toBe(409);
    const html = await again.text();
    expect(html).toContain("This form was already submitted");
    expect(html).toContain('href="/admin/tokens"');
    expect(await countOf("Sent often")).toBe(1);
  });

  it("can be sent again after it was refused, because nothing was done", async () => {
    const form_id = await formIdOf();
    expect((await ada.post(NEW_TOKEN, { ...TOKEN, name: "", form_id })).status).toBe(422);
    expect((await ada.post(NEW_TOKEN, { ...TOKEN, name: "Fixed", form_id })).status).toBe(200);
    expect((await ada.post("/admin/tokens/unknown/revoke", { form_id: `${form_id}x` })).status).toBe(404);
    expect((await ada.post("/admin/tokens/unknown/revoke", { form_id: `${form_id}x` })).status).toBe(404);
  });

  it("can't be sent again after it failed, because its work may have been done", async () => {
    const spy = vi.spyOn(ServiceTokenActs.prototype, "issue");
    spy.mockImplementationOnce(async function (this: ServiceTokenActs, ...order) {
      await this.issue(...order);
      throw new Error("the answer of the database was lost");
    });
    const fields = { ...TOKEN, name: "Sent and lost", form_id: await formIdOf() };
    expect((await ada.post(NEW_TOKEN, fields)).status).toBe(500);
    expect((await ada.post(NEW_TOKEN, fields)).status).toBe(409);
    expect(await countOf("Sent and lost")).toBe(1);
  });

  it("has a new id each time it is shown", async () => {
    const ids = await Promise.all([formIdOf(), formIdOf(), formIdOf("/admin/people")]);
    expect(new Set(ids.filter((id) => id !== "")).size).toBe(3);
    const page = await ada.read("/admin/settings");
    const shown = [...page.matchAll(/name="form_id" value="([^"]+)"/g)].map(([, id]) => id);
    expect(shown.length).toBeGreaterThan(1);
    expect(new Set(shown).size).toBe(shown.length);
  });

  it.each([
    ["older than ids are remembered", -SPENT_ID_SECONDS_MAX],
    ["from a time to come", 60],
    ["of nobody", NaN],
  ])("is refused with an id %s, and changes nothing", async (_, seconds) => {
    const made = Math.floor(Date.now() / 1000) + seconds;
    const answer = await ada.post(NEW_TOKEN, {
      ...TOKEN,
      name: "Stale",
      form_id: `${made.toString(36)}.${"a".repeat(22)}`,
    });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain("Nothing was changed");
    expect(await countOf("Stale")).toBe(0);
  });
});

describe("the message at a field", () => {
  const LIFETIMES = {
    accessTokenLifetimeSeconds: "60",
    refreshRepeatSeconds: "10",
    grantIdleSeconds: "30",
    grantLifetimeSeconds: "180",
  };
  const SETTINGS = { displayName: "Acme", auditKeptSeconds: "365", searchLanguages: "en" };
  const CLIENT = { name: "Portal", redirectUris: "https://a.example/cb", scopes: "SEARCH", kind: "keys" };

  it.each<[string, Readonly<Record<string, string>>, string, string]>([
    [
      "/admin/oauth",
      { ...LIFETIMES, accessTokenLifetimeSeconds: "0" },
      "accessTokenLifetimeSeconds",
      "from 1 to 1,440",
    ],
    ["/admin/oauth", { ...LIFETIMES, refreshRepeatSeconds: "" }, "refreshRepeatSeconds", "from 0.5 to 60"],
    ["/admin/oauth", { ...LIFETIMES, grantIdleSeconds: "soon" }, "grantIdleSeconds", "from 0.05 to 90"],
    ["/admin/settings", { ...SETTINGS, auditKeptSeconds: "5" }, "auditKeptSeconds", "from 30 to 3,650"],
    [
      "/admin/settings",
      { ...SETTINGS, supportContact: "me" },
      "supportContact",
      "Write an email address or an https URL.",
    ],
    ["/admin/audit/receiver", { auditReceiver: "http://x" }, "auditReceiver", "Write an https URL."],
    [
      "/admin/metadata/new",
      { group: "my group!", name0: "status" },
      "group",
      "The name of a group has 1 to 50 letters",
    ],
    ["/admin/clients/new", { ...CLIENT, keys: "" }, "keys", "Enter the public keys, or their URL."],
    [
      "/admin/clients/new",
      { ...CLIENT, keys: "http://x" },
      "keys",
      "Enter an https URL at a public host, or the JWK Set itself.",
    ],
  ])("of %s uses the form's words and units: %j", async (path, fields, field, expected) => {
    const response = await ada.post(path, fields);
    expect(response.status).toBe(422);
    const message = errorBeside(await response.text(), field);
    expect(message).toContain(expected);
    expect(message).not.toMatch(/acceptable|[a-z][A-Z]|jwks_uri/);
  });

  it("is not about a duration that the form shows rounded, which stays as it is", async () => {
    const stored = { grantIdleSeconds: 3600, grantLifetimeSeconds: 100_000 };
    await changeSettings(acme.name, stored);
    const page = await ada.read("/admin/oauth");
    const shown = Object.fromEntries(Object.keys(LIFETIMES).map((name) => [name, fieldOf(page, name) ?? ""]));
    expect(shown).toMatchObject({ grantIdleSeconds: "0.04", grantLifetimeSeconds: "1.16" });
    expect((await ada.post("/admin/oauth", { ...shown, refreshRepeatSeconds: "5" })).status).toBe(303);
    expect((await policyOf(acme)).settings).toMatchObject({ ...stored, refreshRepeatSeconds: 300 });
  });
});
