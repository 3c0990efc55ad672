import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance, makeStaticClient } from "../support/world.ts";

let instance: InstanceRecord;
let ada: ConsoleBrowser;
let path: string;

beforeAll(async () => {
  instance = await makeInstance();
  await ConsoleBrowser.signIn("ben");
  ada = await openConsole(instance);
  path = `/admin/people/${(await knownPerson(instance, "ben@acme.example")).id}`;
  const pipeline = await Pipeline.of(instance);
  for (const group of ["authors", "editors"]) {
    await pipeline.post("/rest/api/index/indexgroup", { datasource: "wiki", group: { name: group } });
  }
  for (const membership of [
    { groupName: "authors", memberUserId: "ben@acme.example" },
    { groupName: "editors", memberGroupName: "authors" },
  ]) {
    const added = await pipeline.post("/rest/api/index/indexmembership", { datasource: "wiki", membership });
    if (added.status !== 200) throw new Error(await added.text());
  }
  await pipeline.index(
    draft("nested", { permissions: { allowedGroups: ["editors", "engineering"] } }),
    draft("both", { permissions: { allowedGroupIntersections: [{ requiredGroups: ["engineering", "finance"] }] } }),
    draft("email", { title: "<b>For Ben</b>", permissions: { allowedUsers: [{ email: "ben@acme.example" }] } }),
    draft("nobody", { permissions: {} }),
    draft("known", { permissions: { allowAllDatasourceUsersAccess: true } }),
  );
});

/** Returns what the page says about a document, without markup. */
async function said(document: string, more: { readonly app?: string } = {}): Promise<string> {
  const html = await ada.read(`${path}/access?${new URLSearchParams({ document, ...more }).toString()}`);
  return (/<main.*<\/main>/s.exec(html)?.[0] ?? "").replaceAll(/<\/(td|h2|p|dd)>/g, "|").replaceAll(/<[^>]*>/g, "");
}

describe("the page about what a person can see", () => {
  it("names the rule that lets them see a document, and how they are in its group", async () => {
    const nested = await said("wiki:nested");
    expect(nested).toContain("Can see Title of nested|");
    expect(nested).toContain("Group editors|Yes|Email in wiki → authors → editors|");
    expect(nested).toContain("Group engineering|Yes|Directory group → engineering|");
    expect(await said("https://wiki.acme.example/email")).toContain(
      "ben@acme.example by email|Yes|It names ben@acme.example|",
    );
    expect(await said(" WIKI:email ")).toContain("&lt;b&gt;For Ben&lt;/b&gt;");
  });

  it("says why no rule lets them see a document", async () => {
    const both = await said("wiki:both");
    expect(both).toContain("Can’t see");
    expect(both).toContain("engineering, finance|No|Directory group → engineeringNot a member of finance|");
    expect(await said("wiki:nobody")).toContain("name nobody, so nobody can see it");
    expect(await said("wiki:known")).toContain(
      "Everyone in the datasource wiki|No|It has no active user ben@acme.example|",
    );
  });

  it("lists the person's groups with where each comes from", async () => {
    const groups = await said("wiki:nested");
    expect(groups).toContain("Directory groups (from your directory or single sign-on)engineering|");
    expect(groups).toContain("authors|wiki|Email in wiki → authors|");
  });

  it("says that an app may not search a document that the person can see", async () => {
    const { client } = await makeStaticClient(instance, { name: "Handbook only" });
    const content = [{ field: "datasource", values: ["handbook"] }];
    await servicesOf(env).administrationOf(instance, "test").appRules.limit(client.id, content);
    const through = (document: string, app: string) => said(document, { app });
    expect(await ada.read(`${path}/access`)).toContain(`<option value="${client.id}">Handbook only</option>`);
    expect(await through("wiki:nested", client.id)).toContain(
      "Can’t see Title of nested|This app may not search it. Ben",
    );
    expect(await through("wiki:nobody", client.id)).toContain("name nobody, so nobody can see it");
    expect(await through("wiki:nested", "")).toContain("Can see Title of nested|");
    const unknown = await ada.get(`${path}/access?document=wiki:nested&app=typo`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain("There is no such app");
  });

  it.each(["wiki:none", "none", "https://wiki.acme.example/none", ":", "wiki:"])(
    "says that there is no document %j",
    async (document) => {
      const answer = await ada.get(`${path}/access?${new URLSearchParams({ document }).toString()}`);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain("There is no such document: give its URL");
    },
  );

  it("says that somebody deactivated can't see anything, and what would count if they were reactivated", async () => {
    const deactivate = (at: number | null) =>
      env.DB.prepare("UPDATE people SET deactivated_at = ?1 WHERE email = 'ben@acme.example'").bind(at).run();
    await deactivate(1);
    const html = await said("wiki:email");
    expect(html).toContain("Can’t see");
    expect(html).toContain("would count if they were reactivated");
    await deactivate(null);
  });

  it("is for administrators only", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    expect((await ben.get(`${path}/access?document=wiki:email`)).status).toBe(403);
  });
});
