import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { DirectoryClient } from "../support/scim.ts";
import { allTokens } from "../support/service-tokens.ts";
import { makeInstance } from "../support/world.ts";

let acme: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  acme = await makeInstance();
  ada = await openConsole(acme);
});

/** Returns the table's rows, as text. */
async function rows(): Promise<string[]> {
  const html = await ada.read("/admin/directories");
  return [...html.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
}

describe("GET /admin/directories", () => {
  it("lists directories with what they provision, their tokens and how to connect one, and none of another instance", async () => {
    expect(await ada.read("/admin/directories")).toContain("No directory is connected");
    const okta = await DirectoryClient.of(acme);
    const one = await okta.addUser("one@acme.example");
    await okta.addUser("two@acme.example");
    await okta.addGroup("Sales", one);
    await DirectoryClient.of(acme, "entra");
    const other = await makeInstance("other");
    await (await DirectoryClient.of(other, "theirs", "http://other.localhost")).addUser("x@other.example");
    expect(await rows()).toEqual([
      expect.stringMatching(/^entra 0 0 expires in \d+ \w+ never$/),
      expect.stringMatching(/^okta 2 1 expires in \d+ /),
    ]);
    expect(await ada.read("/admin/directories")).toContain("http://acme.localhost/scim/v2");
  });

  it("says which directory can no longer call", async () => {
    for (const { id, name } of await allTokens(acme)) {
      if (name === "okta") await servicesOf(env).administrationOf(acme, "test").serviceTokens.revoke(id);
    }
    expect(await rows()).toContainEqual(expect.stringMatching(/^okta 2 1 No active token never$/));
  });
});
