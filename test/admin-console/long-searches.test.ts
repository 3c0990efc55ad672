import { beforeAll, describe, expect, it } from "vitest";
import type { InstanceRecord } from "#instance/instances.ts";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { issueClientApiToken, makeInstance, makeStaticClient } from "../support/world.ts";

describe("a search of the console", () => {
  let acme: InstanceRecord;
  let ada: ConsoleBrowser;

  beforeAll(async () => {
    acme = await makeInstance();
    ada = await openConsole(acme);
  });

  it.each([
    ["/admin/people?search=", "ADA@acme"],
    ["/admin/tokens?search=", "x"],
  ])(
    "at %s may be longer than the 50 bytes of D1's patterns, and takes special characters literally",
    async (path, short) => {
      for (const text of [short, "x".repeat(51), "漢".repeat(400), "%_\\"]) {
        expect((await ada.get(path + encodeURIComponent(text))).status).toBe(200);
      }
    },
  );

  it("finds people regardless of case", async () => {
    expect(await ada.read("/admin/people?search=ADA%40acme")).toContain("ada@acme.example");
    expect(await ada.read("/admin/people?search=%25")).not.toMatch(/<td>[^<]*ada@acme/);
  });

  it.each(["/admin/people?search=", "/admin/tokens?search=", "/admin/grants?search="])(
    "at %s finds an email by any spelling of the same address",
    async (path) => {
      const email = "özil@acme.example";
      const { id } = await knownPerson(acme, email);
      if (path.startsWith("/admin/tokens")) await issueClientApiToken(acme, email, "SEARCH");
      if (path.startsWith("/admin/grants")) await allow(id);
      for (const spelling of ["ÖZIL@Acme", "o\u0308zil", "O\u0308ZIL@"]) {
        expect(await ada.read(path + encodeURIComponent(spelling)), spelling).toMatch(
          /<t[dh][^>]*>.*özil@acme\.example/,
        );
      }
      expect(await ada.read(`${path}ozil`)).not.toContain(email);
    },
  );

  /** Adds a running grant of a person. */
  async function allow(personId: string): Promise<void> {
    const { client } = await makeStaticClient(acme);
    const now = Math.floor(Date.now() / 1000);
    await env.DB.prepare(
      `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash,
         code_challenge, code_expires_at, created_at, redeemed_at, expires_at, tokens_until)
       VALUES ('özil', ?1, '', ?2, ?3, 'SEARCH', '', '', 'özil', '', ?4, ?4, ?4, ?5, ?5)`,
    )
      .bind(acme.id, client.id, personId, now, now + 3600)
      .run();
  }
});
