import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { makeInstance, travel } from "../support/world.ts";
import type { InstanceRecord } from "#instance/instances.ts";

const IDLE_SECONDS = 30 * 60;
const RECORDED_SECONDS = 5 * 60;

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

afterEach(() => void vi.useRealTimers());

function lastUses() {
  return env.DB.prepare("SELECT last_used_at FROM sessions ORDER BY secret_hash")
    .all()
    .then(({ results }) => results);
}

describe("an unused session (ASVS 5.0 §7.3.1)", () => {
  it("ends after half an hour: a page asks to sign in, and a form is refused", async () => {
    const ada = await openConsole(instance);
    const csrfToken = await ada.csrfToken();
    travel(IDLE_SECONDS + 1);
    const page = await ada.get("/admin/oauth");
    expect(page.headers.get("Location")).toBe("/sign-in?to=%2Fadmin%2Foauth");
    await expectPage(await ada.postRaw("/admin/oauth/disable", { csrf_token: csrfToken }), 403);
    expect((await ada.get("/account")).status).toBe(303);
  });

  it("stays ended, even if it is used again", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    travel(IDLE_SECONDS + 1);
    expect((await ben.get("/account")).status).toBe(303);
    vi.useRealTimers();
    travel(IDLE_SECONDS + 2);
    expect((await ben.get("/account")).status).toBe(303);
  });

  it("ends half an hour after its last use", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    for (let views = 0; views < 4; views += 1) {
      travel(IDLE_SECONDS - RECORDED_SECONDS - 1);
      expect((await ben.get("/account")).status).toBe(200);
    }
    travel(IDLE_SECONDS + 1);
    expect((await ben.get("/account")).status).toBe(303);
  });

  it("ends even if a page renews itself, because nobody may be looking at it", async () => {
    const ada = await openConsole(instance);
    const asScript = { "Sec-Fetch-Dest": "empty" };
    for (let renewals = 0; renewals < 4; renewals += 1) {
      travel(RECORDED_SECONDS + 60);
      expect((await ada.get("/admin/document-storage", asScript)).status).toBe(200);
    }
    travel(RECORDED_SECONDS + 61);
    expect((await ada.get("/admin/document-storage", asScript)).status).toBe(303);
  });

  it("has its last use recorded only every five minutes", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    const atSignIn = await lastUses();
    travel(RECORDED_SECONDS - 60);
    await ben.read("/account");
    expect(await lastUses()).toEqual(atSignIn);
    travel(120);
    await ben.read("/account");
    const recorded = await lastUses();
    expect(recorded).not.toEqual(atSignIn);
    await ben.read("/account");
    expect(await lastUses()).toEqual(recorded);
  });

  it("is not counted as signed in", async () => {
    await env.DB.prepare("DELETE FROM sessions").run();
    await ConsoleBrowser.signIn("ben");
    travel(IDLE_SECONDS + 1);
    const ada = await openConsole(instance);
    expect(await ada.read("/admin/settings/sign-everybody-out")).toContain("1 sign-in to this console");
  });
});
