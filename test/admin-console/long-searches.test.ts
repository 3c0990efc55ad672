import { beforeAll, describe, expect, it } from "vitest";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { makeInstance } from "../support/world.ts";

describe("a search of the console", () => {
  let ada: ConsoleBrowser;

  beforeAll(async () => {
    ada = await openConsole(await makeInstance());
  });

  it.each([
    ["/admin/people?search=", "ADA@acme"],
    ["/admin/tokens?search=", "x"],
  ])("%s takes more than the 50 bytes of D1's patterns, and signs as they are", async (path, short) => {
    for (const text of [short, "x".repeat(51), "漢".repeat(400), "%_\\"]) {
      expect((await ada.get(path + encodeURIComponent(text))).status).toBe(200);
    }
  });

  it("finds people in any case", async () => {
    expect(await ada.read("/admin/people?search=ADA%40acme")).toContain("ada@acme.example");
    expect(await ada.read("/admin/people?search=%25")).not.toMatch(/<td>[^<]*ada@acme/);
  });
});
