import type { InstanceRecord } from "#instance/instances.ts";
import { SERVICE_TOKEN_KINDS } from "#service-tokens/service-token.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { search } from "../support/app-client.ts";
import { type ConsoleBrowser, errorBeside, fieldOf, openConsole, tickedOf } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { makeInstance, send, setDeactivated } from "../support/world.ts";
import { everybodyOf } from "../support/people.ts";
import { allTokens } from "../support/service-tokens.ts";

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

const OF_BEN = { purpose: "person", name: "Report", person: "ben@acme.example", scopes: ["SEARCH"], lifetime: "30" };
/** Ben has never signed in here, which the form asks about. */
const PERSON = { ...OF_BEN, newPerson: "ben@acme.example" };
const METADATA = { purpose: "metadata", name: "Tagger", reach: "chosen", target: "review", lifetime: "90" };
const ADMIN = { purpose: "admin", name: "Terraform", scopes: ["admin:read"], lifetime: "90" };
const DOCUMENTS = { purpose: "documents", name: "Wiki", reach: "chosen", target: "wiki\r\nblog", lifetime: "90" };

/** Creates a token and returns its secret from the page. */
async function make(fields: Record<string, string | string[]>): Promise<string> {
  const response = await ada.post("/admin/tokens/new", fields);
  const html = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${html}`);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return fieldOf(html.replace('id="secret"', 'name="secret"'), "secret") ?? "";
}

/** Expects a refusal and returns the form's page. */
async function refused(fields: Record<string, string | string[]>): Promise<string> {
  const response = await ada.post("/admin/tokens/new", fields);
  expect(response.status).toBe(422);
  return response.text();
}

async function tokens() {
  return allTokens(instance);
}

async function tokenNamed(name: string) {
  const token = (await tokens()).find((candidate) => candidate.name === name);
  if (!token) throw new Error(`no token ${name}`);
  return token;
}

/** Indexes a document into a datasource and returns the response's status. */
async function index(secret: string, datasource: string): Promise<number> {
  const document = { datasource, id: "1", title: "Words", viewURL: "https://wiki.example/1" };
  const response = await send("/rest/api/index/indexdocument", {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ document }),
  });
  return response.status;
}

function textOf(html: string): string {
  const text = html.replaceAll(/<[^>]+>/g, "").replaceAll(/&(quot|#39);/g, (_, name) => (name === "quot" ? '"' : "'"));
  return text.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

/** Returns the command that the page of a new token shows. */
function commandOn(html: string): string {
  const [, command = ""] = /<pre class="command"[^>]*>(.*?)<\/pre>/s.exec(html) ?? [];
  return textOf(command).trim();
}

/** Sends the request that the command would send. */
function run(command: string, secret: string): Promise<Response> {
  const [, method = "", url = ""] = /^curl -X (\w+) '([^']+)'/.exec(command) ?? [];
  const [, body] = / -d '(.*)'$/s.exec(command) ?? [];
  expect(command).toContain('-H "Authorization: Bearer $GATEHOUSE_TOKEN"');
  const headers = { Authorization: `Bearer ${secret}`, ...(body && { "Content-Type": "application/json" }) };
  return send(url, { method, headers, ...(body && { body }) });
}

async function auditText(): Promise<string> {
  return JSON.stringify(await auditEntries(instance));
}

describe("creating a token in the console", () => {
  it("first asks for the purpose, and then for what that purpose needs", async () => {
    expect(await ada.read("/admin/tokens/new")).toContain('name="purpose"');
    const person = await ada.read("/admin/tokens/new?purpose=person");
    expect(tickedOf(person, "scopes")).toEqual(["SEARCH"]);
    expect(person).not.toContain("offline_access");
    expect(fieldOf(person, "target")).toBeUndefined();
    expect(fieldOf(await ada.read("/admin/tokens/new?purpose=metadata"), "person")).toBeUndefined();
    expect(await ada.read("/admin/tokens/new?purpose=everything")).toContain("Step 1");
    expect((await ada.post("/admin/tokens/new", { purpose: "everything" })).status).toBe(422);
  });

  it("asks before it creates a token for an address that nobody has signed in with, and nobody appears unless that is confirmed", async () => {
    const email = "bne@acme.example";
    const count = async () => (await everybodyOf(instance)).filter((person) => person.email === email).length;
    const html = await expectPage(await ada.post("/admin/tokens/new", { ...OF_BEN, name: "Typo", person: email }), 200);
    expect(textOf(html)).toContain(`Nobody has signed in as ${email} yet.`);
    const fields = { ...OF_BEN, name: fieldOf(html, "name") ?? "", person: fieldOf(html, "person") ?? "" };
    expect(await ada.read("/admin/tokens")).not.toContain("Typo");
    // An answer counts only for the address of its question.
    await ada.post("/admin/tokens/new", { ...fields, newPerson: "ben@acme.example" });
    expect(await count()).toBe(0);
    expect(await make({ ...fields, newPerson: fieldOf(html, "newPerson") ?? "" })).toMatch(/^ghc_/);
    expect(await make({ ...fields, name: "Second" })).toMatch(/^ghc_/);
    expect(await count()).toBe(1);
  });

  it("creates a person's token, which searches as that person", async () => {
    const secret = await make(PERSON);
    expect(secret).toMatch(/^ghc_/);
    expect((await search(secret)).status).toBe(200);
    const token = await tokenNamed("Report");
    expect(token).toMatchObject({ kind: "client-api", personEmail: "ben@acme.example", scopes: ["SEARCH"] });
  });

  it.each([
    ["a person's", { ...PERSON, name: "Searcher" }],
    ["a pipeline's of one datasource", { ...DOCUMENTS, name: "Blog", target: "blog" }],
    ["a pipeline's of every datasource", { ...DOCUMENTS, name: "Everything", reach: "global" }],
    ["an administrator's program's", { ...ADMIN, name: "Lister" }],
    ["a directory's", { purpose: "directory", name: "Okta", target: "okta", lifetime: "90" }],
  ])("shows a command that works unchanged: %s", async (_, fields) => {
    const html = await expectPage(await ada.post("/admin/tokens/new", fields), 200);
    const secret = fieldOf(html.replace('id="secret"', 'name="secret"'), "secret") ?? "";
    expect(html.split(secret)).toHaveLength(2);
    expect((await run(commandOn(html), secret)).status).toBe(200);
  });

  it("shows an example with a document that only the administrator who created the token can find", async () => {
    const html = await expectPage(await ada.post("/admin/tokens/new", { ...DOCUMENTS, name: "Example" }), 200);
    expect(textOf(html)).toContain("only ada@acme.example can find");
    expect(commandOn(html)).toContain('"allowedUsers":[{"email":"ada@acme.example"}]');
    expect(commandOn(html)).toContain('"datasource":"wiki"');
  });

  it("says what to replace in a command that doesn't work unchanged", async () => {
    const metadata = await expectPage(await ada.post("/admin/tokens/new", { ...METADATA, name: "Example" }), 200);
    expect(textOf(metadata)).toContain("Replace DOCUMENT (an id such as wiki:1), KEY and VALUE");
    expect(commandOn(metadata)).toContain("/DOCUMENT/custom-metadata/review'");
    const all = await expectPage(
      await ada.post("/admin/tokens/new", { ...METADATA, name: "Each", reach: "global" }),
      200,
    );
    expect(textOf(all)).toContain("GROUP, KEY and VALUE");
    for (const other of [
      { ...PERSON, name: "Reader", scopes: ["DOCUMENTS"] },
      { ...ADMIN, name: "Actor", scopes: ["admin:apps"] },
    ]) {
      const html = await expectPage(await ada.post("/admin/tokens/new", other), 200);
      expect(textOf(html)).toContain("choose another one at /reference");
    }
  });

  it("creates a custom metadata token with exactly one scope", async () => {
    await make(METADATA);
    expect((await tokenNamed("Tagger")).scopes).toEqual(["custommetadata:review"]);
    await make({ ...METADATA, name: "All", reach: "global", target: "left behind" });
    expect((await tokenNamed("All")).scopes).toEqual(["custommetadata:global_scope"]);
  });

  it("creates a documents token for the chosen datasources only", async () => {
    const secret = await make(DOCUMENTS);
    expect((await tokenNamed("Wiki")).scopes).toEqual(["documents:wiki", "documents:blog"]);
    expect(await index(secret, "wiki")).toBe(200);
    expect(await index(secret, "payroll")).toBe(401);
  });

  it("creates an admin token with the chosen scopes, with an expiry, and for nobody", async () => {
    expect(tickedOf(await ada.read("/admin/tokens/new?purpose=admin"), "scopes")).toEqual(["admin:read"]);
    expect(await make({ ...ADMIN, scopes: ["admin:read", "admin:apps"] })).toMatch(/^gha_/);
    const token = await tokenNamed("Terraform");
    expect(token).toMatchObject({ kind: "admin", personEmail: null, scopes: ["admin:read", "admin:apps"] });
    expect(errorBeside(await refused({ ...ADMIN, scopes: ["SEARCH"] }), "scopes")).toContain("admin:security");
    expect(errorBeside(await refused({ ...ADMIN, lifetime: "367" }), "lifetime")).toContain("366 days");
  });

  it("shows the secret in that response and nowhere else: no list, no audit, no other page", async () => {
    const secret = await make({ ...METADATA, name: "Once" });
    const { id } = await tokenNamed("Once");
    for (const path of ["/admin/tokens", `/admin/tokens/${id}/rotate`, `/admin/tokens/${id}/revoke`, "/admin/audit"]) {
      expect(await ada.read(path)).not.toContain(secret.slice(4, 30));
    }
    expect(await auditText()).not.toContain(secret.slice(4, 30));
  });

  it("records who created which token", async () => {
    const entries = await auditEntries(instance, "service_token_issued");
    const people = await everybodyOf(instance);
    const adasId = people.find(({ email }) => email === "ada@acme.example")?.id;
    expect(entries.every(({ actor }) => actor === adasId)).toBe(true);
    expect(entries.map(({ detail }) => detail["name"])).toContain("Report");
  });
});

describe("a token's form in the console", () => {
  it.each([
    ["name", { ...PERSON, name: " " }],
    ["name", { ...PERSON, name: "x".repeat(81) }],
    ["person", { ...PERSON, person: "nobody" }],
    ["person", { ...PERSON, person: "" }],
    ["scopes", { ...PERSON, scopes: [] }],
    ["scopes", { ...PERSON, scopes: ["offline_access"] }],
    ["scopes", { ...PERSON, scopes: ["documents:wiki"] }],
    ["lifetime", { ...PERSON, lifetime: "0" }],
    ["lifetime", { ...PERSON, lifetime: "soon" }],
    ["lifetime", { ...METADATA, lifetime: "" }],
    ["lifetime", { ...METADATA, lifetime: "367" }],
    ["target", { ...METADATA, target: "" }],
    ["target", { ...METADATA, target: "two groups" }],
    ["target", { ...METADATA, target: "one\r\ntwo" }],
    ["target", { ...METADATA, target: "global_scope" }],
    ["target", { ...METADATA, target: "Global_Scope" }],
    ["target", { ...DOCUMENTS, target: "" }],
    ["target", { ...DOCUMENTS, target: "wiki\r\n-bad-" }],
    ["target", { ...DOCUMENTS, target: "wiki\r\nglobal_scope" }],
    ["networks", { ...PERSON, networks: "192.0.2.0/33" }],
    ["networks", { ...METADATA, networks: "office" }],
  ])("keeps its values if it is refused, with the message at the field %s: %j", async (field, fields) => {
    const before = (await tokens()).length;
    const html = await refused(fields);
    expect(errorBeside(html, field)).toBeTruthy();
    expect(fieldOf(html, "name")).toBe(fields.name);
    expect(fieldOf(html, "networks")).toBe("networks" in fields ? fields.networks : "");
    expect(await tokens()).toHaveLength(before);
  });

  it("adds no person if another field is refused", async () => {
    await refused({ ...PERSON, person: "stranger@acme.example", name: "" });
    const people = await everybodyOf(instance);
    expect(people.map(({ email }) => email)).not.toContain("stranger@acme.example");
  });

  it("refuses a person who is deactivated", async () => {
    await setDeactivated(instance, "gone@acme.example");
    expect(errorBeside(await refused({ ...PERSON, person: "gone@acme.example" }), "person")).toMatch(/deactivated/);
  });

  it("escapes a token's name", async () => {
    await make({ ...METADATA, name: "<b>bold</b>" });
    expect(await ada.read("/admin/tokens")).toContain("&lt;b&gt;bold&lt;/b&gt;");
  });
});

describe("the list of tokens", () => {
  it("can be filtered by every kind", async () => {
    const html = await ada.read("/admin/tokens");
    for (const kind of SERVICE_TOKEN_KINDS) expect(html).toContain(`<option value="${kind}">`);
  });
});

describe("ending a token in the console", () => {
  it("rotates its secret: the old one stays valid, or ends immediately if requested", async () => {
    const first = await make({ ...DOCUMENTS, name: "Rotated" });
    const { id } = await tokenNamed("Rotated");
    expect(await ada.read(`/admin/tokens/${id}/rotate`)).toContain("End the old secret now");
    const second = await (await ada.post(`/admin/tokens/${id}/rotate`)).text();
    const secondSecret = /value="(ghi_[^"]+)"/.exec(second)?.[1] ?? "";
    expect([await index(first, "wiki"), await index(secondSecret, "wiki")]).toEqual([200, 200]);
    const third = await (await ada.post(`/admin/tokens/${id}/rotate`, { end_old: "on" })).text();
    const thirdSecret = /value="(ghi_[^"]+)"/.exec(third)?.[1] ?? "";
    expect([await index(first, "wiki"), await index(secondSecret, "wiki")]).toEqual([401, 401]);
    expect(await index(thirdSecret, "wiki")).toBe(200);
  });

  it("shows when it was last used before it is revoked, and then revokes it", async () => {
    const secret = await make({ ...DOCUMENTS, name: "Revoked" });
    const { id } = await tokenNamed("Revoked");
    expect(await ada.read(`/admin/tokens/${id}/revoke`)).toMatch(/Last used<\/dt><dd><span class="quiet">never/);
    expect(await index(secret, "wiki")).toBe(200);
    expect(await ada.read(`/admin/tokens/${id}/revoke`)).toMatch(/Last used<\/dt><dd><time [^>]+>(now|\d+ \w+ ago)/);
    const done = await ada.post(`/admin/tokens/${id}/revoke`);
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/admin/tokens?done=revoked"]);
    expect(await index(secret, "wiki")).toBe(401);
    expect((await ada.post(`/admin/tokens/${id}/revoke`)).headers.get("Location")).toBe("/admin/tokens?done=gone");
    await expectPage(await ada.get(`/admin/tokens/${id}/rotate`), 400);
    await expectPage(await ada.post(`/admin/tokens/${id}/rotate`), 400);
    expect(await auditText()).toContain("service_token_revoked");
  });

  it("finds no token of another instance", async () => {
    const other = await makeInstance("other");
    const { token } = await servicesOf(env)
      .administrationOf(other, "test")
      .serviceTokens.issue({
        kind: "indexing",
        name: "theirs",
        scopes: ["documents:wiki"],
        person: null,
        lifetimeSeconds: 3600,
      });
    for (const act of ["rotate", "revoke"]) {
      await expectPage(await ada.get(`/admin/tokens/${token.id}/${act}`), 404);
      await expectPage(await ada.post(`/admin/tokens/${token.id}/${act}`), 404);
    }
    expect((await allTokens(other))[0]?.revokedAt).toBeNull();
    expect(await ada.read("/admin/tokens")).not.toContain("theirs");
  });

  it("happens when its person is deactivated", async () => {
    await make({ ...PERSON, name: "Leaver", person: "leaver@acme.example", newPerson: "leaver@acme.example" });
    expect(await ada.read("/admin/tokens")).toContain("Leaver");
    await setDeactivated(instance, "leaver@acme.example");
    expect(await ada.read("/admin/tokens")).not.toContain("Leaver");
    expect(await ada.read("/admin/tokens?state=ended&search=leaver")).toContain("Revoked");
  });
});
