import { GRANT_LIST } from "#grants/grant-list.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { readListQuery } from "#platform/listing.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient, search } from "../support/app-client.ts";
import { ConsoleBrowser, errorBeside, fieldOf, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { issueToken } from "../support/service-tokens.ts";
import { makeInstance, makeStaticClient, ORIGIN, policyOf, send } from "../support/world.ts";
import { everybodyOf } from "../support/people.ts";

function textOf(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

let instance: InstanceRecord;
let other: InstanceRecord;
let ada: ConsoleBrowser;
let app: AppClient;
let otherApp: AppClient;

beforeAll(async () => {
  [instance, other] = [await makeInstance(), await makeInstance("other")];
  ada = await openConsole(instance);
  app = await AppClient.registered({ client_name: "Notebook" });
  otherApp = await AppClient.registered({ client_name: "Theirs" }, "http://other.localhost");
});

function people(of = instance) {
  return everybodyOf(of);
}

async function personId(email: string, of = instance): Promise<string> {
  return (await people(of)).find((person) => person.email === email)?.id ?? "";
}

async function grants(of = instance) {
  return (await servicesOf(env).grants.list(await policyOf(of), readListQuery(GRANT_LIST, new Map()))).items;
}

function entries(event: string) {
  return auditEntries(instance, event);
}

/** Fills the audit of the other instance with entries of one actor. */
async function recordLogoChanges(count: number, actor: string) {
  await env.DB.prepare(
    `WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < ?2)
     INSERT INTO audit (instance_id, sequence, at, actor, event, detail)
     SELECT ?1, (SELECT max(sequence) FROM audit WHERE instance_id = ?1) + n, 1, ?3, 'logo_changed', '{}' FROM row`,
  )
    .bind(other.id, count, actor)
    .run();
}

describe("the overview", () => {
  it("shows how many people and apps use the instance, and the address that apps connect to", async () => {
    await app.tokens("ben");
    const html = await ada.read("/admin");
    expect(html).toMatch(/<dt>People with connected apps<\/dt><dd>1<\/dd>/);
    expect(html).toMatch(/<dt>Apps in use<\/dt><dd>1<\/dd>/);
    expect(html).toContain(ORIGIN);
  });

  it("lists failures by their request id, and none of another instance", async () => {
    const work: Promise<unknown>[] = [];
    const { usage } = servicesOf(env);
    const note = (of: InstanceRecord, requestId: string) =>
      usage.noteFailure(of.id, { requestId, path: "/<b>", reason: "unexpected" }, (task) => work.push(task));
    note(instance, "request-of-ours");
    note(other, "request-of-theirs");
    await Promise.all(work);
    const html = await ada.read("/admin");
    expect(html).toContain("request-of-ours");
    expect(html).toContain("/&lt;b&gt;");
    expect(html).not.toContain("request-of-theirs");
  });
});

describe("the pages about grants", () => {
  it("find grants by a part of an email or of an app's name, or by either's id", async () => {
    const found = async (query: string) => (await ada.read(`/admin/grants${query}`)).includes("/revoke");
    expect(await found("")).toBe(true);
    expect(await found("?search=BEN@")).toBe(true);
    expect(await found("?search=carla")).toBe(false);
    expect(await found("?search=noteb")).toBe(true);
    expect(await found(`?client=${app.clientId}`)).toBe(true);
    expect(await found(`?person=${await personId("ben@acme.example")}`)).toBe(true);
    expect(await found(`?person=${await personId("ada@acme.example")}`)).toBe(false);
    expect(await found("?search=other")).toBe(false);
    expect(await found("?search=%25")).toBe(false);
  });

  it("link to their person, and are linked from their app", async () => {
    const id = await personId("ben@acme.example");
    expect(await ada.read("/admin/grants")).toContain(`<a href="/admin/people/${id}">ben@acme.example</a>`);
    const page = await ada.read(`/admin/clients/app?id=${app.clientId}`);
    expect(page).toMatch(new RegExp(`href="/admin/grants\\?client=${app.clientId}">1 grant of 1 person<`));
  });

  it("revoke a grant immediately, after asking, with an entry in the audit", async () => {
    const { access_token: token } = await app.tokens("carla");
    const grant = (await grants()).find(({ personEmail }) => personEmail === "carla@acme.example");
    expect(await ada.read(`/admin/grants/${grant?.id}/revoke`)).toContain("carla@acme.example");
    expect((await search(token)).status).toBe(200);
    const done = await ada.post(`/admin/grants/${grant?.id}/revoke`);
    expect(done.headers.get("Location")).toBe("/admin/grants?done=revoked");
    expect((await search(token)).status).toBe(401);
    const [entry] = await entries("grants_ended");
    expect(entry).toMatchObject({ actor: await personId("ada@acme.example"), detail: { grantId: grant?.id } });
    await expectPage(await ada.post(`/admin/grants/${grant?.id}/revoke`), 404);
  });

  it("find no grant of another instance", async () => {
    await otherApp.tokens("ben");
    const [theirs] = await grants(other);
    await expectPage(await ada.get(`/admin/grants/${theirs?.id}/revoke`), 404);
    await expectPage(await ada.post(`/admin/grants/${theirs?.id}/revoke`), 404);
    expect(await grants(other)).toHaveLength(1);
    expect(await ada.read("/admin/grants")).not.toContain("Theirs");
  });

  it("escape an app's name", async () => {
    const html = await AppClient.registered({ client_name: "<img src=x>‮evil" });
    await html.tokens("ben");
    const page = await ada.read("/admin/grants");
    expect(page).toContain("<bdi>&lt;img src=x&gt;");
    expect(page).not.toContain("<img src=x>");
  });
});

describe("signing keys in the console", () => {
  const kids = async () =>
    (await (await send("/oauth/jwks")).json<{ keys: { kid: string }[] }>()).keys.map(({ kid }) => kid);

  it("are rotated routinely so that tokens signed with the old one still verify", async () => {
    const { access_token: token } = await app.tokens("ben");
    const before = await kids();
    expect(await ada.read("/admin/keys")).toContain(before[0]);
    expect((await ada.post("/admin/keys/rotate", { reason: "habit" })).headers.get("Location")).toBe(
      "/admin/keys?done=rotated",
    );
    expect(await kids()).toEqual(expect.arrayContaining(before));
    expect((await search(token)).status).toBe(200);
  });

  it("are rotated as compromised so that their tokens end, after the page said for how many people", async () => {
    const { access_token: token } = await app.tokens("ben");
    const before = await kids();
    expect(await ada.read("/admin/keys/rotate")).toMatch(/apps? of \d+ (person|people)/);
    await ada.post("/admin/keys/rotate", { reason: "compromised" });
    expect((await search(token)).status).toBe(401);
    expect((await kids()).filter((kid) => before.includes(kid))).toEqual([]);
    expect((await entries("signing_key_rotated"))[0]?.detail).toEqual({ isCompromised: true });
  });

  it("are not rotated without a known reason", async () => {
    const before = await kids();
    for (const reason of ["", "curiosity"]) {
      const response = await ada.post("/admin/keys/rotate", { reason });
      expect(response.status).toBe(400);
    }
    expect(await kids()).toEqual(before);
  });
});

describe("people in the console", () => {
  it("are found by name or email", async () => {
    expect(await ada.read("/admin/people?search=OKAFOR")).toContain("ben@acme.example");
    expect(await ada.read("/admin/people?search=okafor")).not.toContain("carla@acme.example");
  });

  it("are listed page by page, forwards and backwards, each person once, with the filters kept", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 120)
       INSERT INTO people (id, instance_id, email, name, created_at)
       SELECT 'row' || n, ?1, printf('row%03d@rows.example', n), 'Row', 0 FROM row`,
    )
      .bind(instance.id)
      .run();
    const emailsOn = (html: string) => [...html.matchAll(/row\d{3}@rows\.example/g)].map(([email]) => email);
    const linkOn = (html: string, rel: string) =>
      new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll("&amp;", "&");
    const walk = async (from: string, rel: string) => {
      const pages: string[][] = [];
      let path: string | undefined = from;
      let last = from;
      while (path !== undefined) {
        const html: string = await ada.read(path);
        expect(html).toContain("120 people");
        pages.push(emailsOn(html));
        last = path;
        path = linkOn(html, rel);
      }
      return { pages, last };
    };
    const there = await walk("/admin/people?search=rows.example&state=active&role=none&sort=email", "next");
    expect(there.pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(there.pages.flat()).toEqual([...new Set(there.pages.flat())].toSorted());
    const back = await walk(there.last, "prev");
    expect(back.pages.toReversed()).toEqual(there.pages);
    expect((await ada.get("/admin/people?sort=colour")).status).toBe(400);
  });

  it("get and lose roles by email, which take effect at their next request", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    expect((await ben.get("/admin")).status).toBe(403);
    await ada.post("/admin/people", { email: "ben@acme.example", role: "app-manager" });
    const path = `/admin/people/${await personId("ben@acme.example")}/role`;
    const asked = await expectPage(await ada.post(path, { role: "auditor" }), 200);
    expect([asked.includes("Change the role of “Ben Okafor”?"), fieldOf(asked, "role")]).toEqual([true, "auditor"]);
    const named = await ada.post("/admin/people", { email: "Ben@acme.example", role: "auditor" });
    expect(await expectPage(named, 200)).toContain(`action="${path}"`);
    expect((await ada.post(path, { role: "auditor", confirmed: "yes" })).status).toBe(303);
    expect((await ada.post(path, { role: "app-manager" })).status).toBe(303);
    expect((await ben.get("/admin")).status).toBe(200);
    expect(await expectPage(await ada.post(path, { role: "none" }), 200)).toContain("Remove the role of “Ben Okafor”?");
    expect((await ben.get("/admin")).status).toBe(200);
    await ada.post(path, { role: "none", confirmed: "yes" });
    expect((await ben.get("/admin")).status).toBe(403);
    expect(await entries("role_changed")).toHaveLength(5);
  });

  it.each(["", "nobody", "a b@acme.example"])(
    "can't be given a role by something that is not an email address: %s",
    async (email) => {
      const before = await people();
      const response = await ada.post("/admin/people", { email });
      expect(response.status).toBe(422);
      expect(errorBeside(await response.text(), "email")).toBeTruthy();
      expect(await people()).toEqual(before);
    },
  );

  it("lose tokens and sign-ins for good when they are deactivated, and can sign in again after reactivation", async () => {
    const { access_token: token } = await app.tokens("ben");
    const ben = await ConsoleBrowser.signIn("ben");
    const path = `/admin/people/${await personId("ben@acme.example")}`;
    const asked = await ada.read(`${path}/deactivate`);
    expect(textOf(asked)).toMatch(/Deactivate “Ben Okafor”\?.*Apps that lose access: .*Notebook/s);
    expect((await search(token)).status).toBe(200);
    await ada.post(`${path}/deactivate`);
    expect([(await search(token)).status, (await ben.get("/account")).status]).toEqual([401, 303]);
    await ada.post(`${path}/reactivate`);
    expect((await search(token)).status).toBe(401);
    expect((await search((await app.tokens("ben")).access_token)).status).toBe(200);
    const standing = await entries("person_standing_changed");
    expect(standing.map(({ detail }) => detail["deactivated"])).toEqual([false, true]);
  });

  it("can be released from the account that they signed in with", async () => {
    const id = await personId("carla@acme.example");
    expect(await ada.read(`/admin/people/${id}/release`)).toContain("Release “Carla Reyes”?");
    expect(await personId("carla@acme.example")).toBe(id);
    await ada.post(`/admin/people/${id}/release`);
    expect(await personId("carla@acme.example")).toBe("");
    const subject = await env.DB.prepare("SELECT sso_subject AS subject FROM people WHERE id = ?1")
      .bind(id)
      .first("subject");
    expect(subject).toBeNull();
    expect(await entries("person_released")).toHaveLength(1);
  });

  it.each([
    ["deactivate", "none"],
    ["role", "none"],
    ["role", "auditor"],
  ])("can't lock themselves out: %s, %s", async (decision, role) => {
    const path = `/admin/people/${await personId("ada@acme.example")}`;
    expect(await ada.read(path)).not.toContain(`${path}/${decision}`);
    await expectPage(await ada.post(`${path}/${decision}`, { role, confirmed: "yes" }), 400);
    expect((await ada.get("/admin")).status).toBe(200);
  });

  it("can't be given an unknown role", async () => {
    const path = `/admin/people/${await personId("ben@acme.example")}/role`;
    await expectPage(await ada.post(path, { role: "emperor" }), 400);
    await expectPage(await ada.post(path), 400);
  });

  it("of another instance are not found", async () => {
    await openConsole(other);
    const theirs = await personId("ada@acme.example", other);
    await expectPage(await ada.get(`/admin/people/${theirs}`), 404);
    for (const decision of ["deactivate", "role", "release"]) {
      const fields = { role: "none", confirmed: "yes" };
      await expectPage(await ada.post(`/admin/people/${theirs}/${decision}`, fields), 404);
    }
    expect((await people(other)).find(({ id }) => id === theirs)).toMatchObject({
      role: "owner",
      deactivatedAt: null,
    });
  });
});

describe("the audit's pages", () => {
  it("filter by person, the start of an event's name, and day", async () => {
    const html = await ada.read("/admin/audit?actor=ADA@acme.example&event=person_");
    expect(html).toContain("&quot;person_standing_changed&quot;");
    expect(html).not.toContain("&quot;settings_changed&quot;");
    expect(await ada.read("/admin/audit?from=2099-01-01")).toContain("No matching entries");
    expect(await ada.read("/admin/audit?until=2020-01-01")).toContain("No matching entries");
    const today = new Date().toISOString().slice(0, 10);
    const ofToday = await ada.read(`/admin/audit?from=${today}&until=${today}`);
    expect(ofToday).toContain("&quot;sequence&quot;: 1,");
    const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(new Date(today));
    expect(ofToday.match(/<h2>[^<]*<\/h2><ol class="entries">/g)).toEqual([`<h2>${day}</h2><ol class="entries">`]);
  });

  it.each(["yesterday", "2026-13-01", "2026-11-21T00:00"])(
    "refuse %s as a day, with the message at the field",
    async (day) => {
      const response = await ada.get(`/admin/audit?from=${encodeURIComponent(day)}`);
      expect(response.status).toBe(422);
      expect(errorBeside(await response.text(), "from")).toBeTruthy();
    },
  );

  it("are read page by page, forwards and backwards", async () => {
    await recordLogoChanges(70, "command");
    const theirs = await openConsole(other);
    const link = (html: string, rel: string) =>
      new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const first = await theirs.read("/admin/audit?event=logo_");
    expect(first).toContain("70 entries");
    const second = await theirs.read(link(first, "next"));
    expect(second).toContain("70 entries");
    expect([first, second].map((html) => html.match(/&quot;logo_changed&quot;/g)?.length)).toEqual([50, 20]);
    expect(await theirs.read(link(second, "prev"))).toBe(first);
  });

  it("describe each entry in a sentence, with the names of apps and tokens", async () => {
    const name = '=HYPERLINK("https://evil.example")';
    const { client } = await makeStaticClient(instance, { name });
    const { id, secret } = await issueToken(instance, { kind: "admin", scopes: ["admin:apps"], lifetimeSeconds: 60 });
    const headers = { Authorization: `Bearer ${secret}` };
    await send(`/rest/api/admin/v1/apps/${client.id}/disable`, { method: "POST", headers });
    const html = textOf(await ada.read("/admin/audit?actor=test&event=client_disabled"));
    expect(html).toContain(`disabled the app “${name}”`);
    expect(html).not.toContain(id.concat("</strong>"));
    const csv = await ada.get("/admin/audit/export?format=csv&event=client_");
    expect(csv.headers.get("Content-Disposition")).toBe('attachment; filename="audit-acme.csv"');
    const [head, ...lines] = (await csv.text()).trimEnd().split("\r\n");
    expect(head).toBe("sequence,at,who,actor,event,what,detail,hash");
    expect(lines.at(0)).toContain(
      `,token “test”,${id.replace(/^-/, "'-")},client_disabled,"disabled the app “=HYPERLINK(""https://evil.example"")”",`,
    );
    expect(lines.every((line) => line.includes(",client_"))).toBe(true);
    // Ignoring the filter would export the whole audit.
    expect((await ada.get("/admin/audit/export?format=csv&from=2026-13-01")).status).toBe(400);
  });

  it("export a filtered audit in batches, each entry once, without counting entries", async () => {
    await recordLogoChanges(1100, "csv");
    const theirs = await openConsole(other);
    const prepare = vi.spyOn(env.DB, "prepare");
    const lines = (await (await theirs.get("/admin/audit/export?format=csv&actor=csv")).text()).trimEnd().split("\r\n");
    const counts = prepare.mock.calls.filter(([sql]) => /count\(\*\).* FROM audit/.test(sql));
    prepare.mockRestore();
    expect(counts).toEqual([]);
    expect(new Set(lines.slice(1)).size).toBe(1100);
    expect(lines).toHaveLength(1101);
  });

  it("find an actor by email address, regardless of case", async () => {
    expect(await ada.read("/admin/audit?actor=Ada@ACME.example")).toContain("ada@acme.example");
    expect(await ada.read("/admin/audit?actor=Ada@ACME.example")).not.toContain("No matching entries");
  });

  it("export only this instance's entries, as JSON lines", async () => {
    const response = await ada.get("/admin/audit/export");
    expect(response.headers.get("Content-Type")).toBe("application/jsonl; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="audit-acme.jsonl"');
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const text = await response.text();
    expect(text.endsWith("\n")).toBe(true);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
    expect(lines[0]).toMatchObject({ event: "instance_created", detail: { name: "acme" }, previousHash: "" });
  });

  it("say whether the chain of hashes is intact", async () => {
    expect(await ada.read("/admin/audit/check")).toContain("The audit is intact");
    await env.DB.prepare("UPDATE audit SET actor = 'mallory' WHERE instance_id = ?1 AND sequence = 2")
      .bind(instance.id)
      .run();
    const html = await ada.read("/admin/audit/check");
    expect(html).toContain("The audit is not intact");
    expect(html).toContain("entry 2 was changed");
  });
});
