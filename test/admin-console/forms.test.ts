import type { InstanceRecord } from "#instance/instances.ts";
import { SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";
import { ServiceTokenActs } from "#administration/service-token-acts.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type ConsoleBrowser, fieldOf, openConsole } from "../support/console-browser.ts";
import { makeInstance } from "../support/world.ts";
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
