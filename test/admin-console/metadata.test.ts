import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import {
  ConsoleBrowser,
  errorBeside,
  type Fields,
  fieldOf,
  openConsole,
  tickedOf,
} from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { type Key, MetadataPipeline } from "../support/metadata-pipeline.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { runUpkeep } from "../support/documents.ts";
import { found } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";
import { everybodyOf } from "../support/people.ts";
import { allTokens } from "../support/service-tokens.ts";

const STATUS: Key = { name: "Status", propertyType: "PICKLIST" };
const OWNER: Key = { name: "owner", propertyType: "TEXT", skipIndexing: true };

let instance: InstanceRecord;
let elsewhere: InstanceRecord;
let ada: ConsoleBrowser;
let adaId: string;
let pipeline: MetadataPipeline;

/** Numbers the groups, because an instance has a limit for them: each test uses other names. */
let groups = 0;
let hr: string;

beforeAll(async () => {
  [instance, elsewhere] = [await makeInstance(), await makeInstance("other")];
  ada = await openConsole(instance);
  const people = await everybodyOf(instance);
  adaId = people.find(({ email }) => email === "ada@acme.example")?.id ?? "";
  pipeline = await MetadataPipeline.of(instance);
});

beforeEach(() => {
  groups += 1;
  hr = `Hr${groups}x`;
});

/** Returns the rows of a form, numbered from 0. */
function rows(...keys: readonly (Key | undefined)[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [row, key] of keys.entries()) {
    fields[`name${row}`] = key?.name ?? "";
    fields[`type${row}`] = key?.propertyType ?? "TEXT";
    if (key?.skipIndexing) fields[`hidden${row}`] = "on";
  }
  return fields;
}

function pathOf(group: string): string {
  return `/admin/metadata/groups/${group.toLowerCase()}`;
}

async function create(group: string, ...keys: readonly (Key | undefined)[]): Promise<void> {
  const response = await ada.post("/admin/metadata/new", { group, ...rows(...keys) });
  expect([response.status, response.headers.get("Location")]).toEqual([303, `${pathOf(group)}?done=created`]);
}

async function refused(path: string, fields: Fields): Promise<string> {
  const response = await ada.post(path, fields);
  expect(response.status).toBe(422);
  return response.text();
}

async function stored(group: string): Promise<unknown> {
  const { metadataKeys } = await (await pipeline.schema("GET", group)).json<{ metadataKeys: unknown }>();
  return metadataKeys;
}

async function audited(group: string) {
  const entries = await auditEntries(instance, "metadata_group_");
  return entries
    .filter(({ detail }) => detail["group"] === group.toLowerCase())
    .map(({ actor, event, detail }) => ({ actor, event, detail }))
    .toReversed();
}

describe("metadata groups in the console", () => {
  it("are listed with their keys and the number of documents that have values", async () => {
    await pipeline.describe(hr, [STATUS, OWNER]);
    for (const [id, values] of [
      ["a", { Status: "approved", owner: "Ada" }],
      ["b", { Status: "draft" }],
      ["c", {}],
    ] as const) {
      await pipeline.index(`${hr}${id}`);
      await pipeline.attach(`wiki:${hr}${id}`, hr, values);
    }
    const list = await ada.read("/admin/metadata");
    const row = new RegExp(`<tr>(?:(?!</tr>).)*>${hr}<.*?</tr>`, "s").exec(list)?.[0] ?? "";
    expect(row).toContain(`href="${pathOf(hr)}"`);
    expect(row).toContain('<td data-heading="Keys" class="number">2</td>');
    expect(row).toContain("2 documents");
    const page = await ada.read(pathOf(hr));
    expect(page).toContain(`<code>hr${groups}xstatus:</code>`);
    const keys = page.slice(page.indexOf('aria-label="Keys"'), page.indexOf('aria-label="Tokens"'));
    expect(keys).toMatch(/Status<.*PICKLIST.*>yes<.*2 documents.*owner<.*TEXT.*>no<.*1 document</s);
  });

  it("can have hyphens, underscores and dots in their names, which their pages show joined with each key", async () => {
    const group = `${hr}-emea_2.v1`;
    await create(group, STATUS, { ...OWNER, name: "owner.id" });
    const page = await ada.read(pathOf(group));
    expect(page).toContain(`<code>${group.toLowerCase()}status:</code>`);
    expect(page).toContain(`<code>${group.toLowerCase()}owner.id:</code>`);
    expect((await ada.post(`${pathOf(group)}/delete`, {})).status).toBe(303);
    expect((await pipeline.schema("GET", group)).status).toBe(404);
  });

  it("have no documents any more when the key with the last value is removed", async () => {
    await pipeline.describe(hr, [STATUS, OWNER]);
    await pipeline.index(hr);
    await pipeline.attach(`wiki:${hr}`, hr, { Status: "approved" });
    await pipeline.describe(hr, [OWNER]);
    await runUpkeep(instance);
    expect(await ada.read(pathOf(hr))).toMatch(/Values on<\/dt><dd>0 documents/);
  });

  it("are created by a form that ignores rows without a name, and pipelines and searches can use them immediately", async () => {
    await create(hr, undefined, { ...STATUS, name: " Status " }, undefined, OWNER);
    expect(await stored(hr)).toEqual([STATUS, OWNER]);
    await pipeline.index(hr);
    await pipeline.attach(`wiki:${hr}`, hr, { status: "Approved" });
    const person = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
    expect(await found(person, `${hr}status:approved`)).toEqual([hr]);
  });

  it("can have 20 keys by form", async () => {
    const keys = Array.from({ length: 20 }, (_, at) => ({
      name: `key${at}`,
      propertyType: "TEXT",
      skipIndexing: true,
    }));
    await create(hr, ...keys);
    expect(await stored(hr)).toEqual(keys);
    const page = await ada.read(`${pathOf(hr)}/schema`);
    expect(fieldOf(page, "name19")).toBe("key19");
    expect(tickedOf(page, "hidden19")).toEqual(["on"]);
    const fewer = { ...rows(keys[0]), dropped: keys.map(({ name }) => name).join(",") };
    expect((await ada.post(`${pathOf(hr)}/schema`, fewer)).status).toBe(303);
    expect((await ada.post(`${pathOf(hr)}/schema`, { ...rows(...keys), dropped: "key0" })).status).toBe(303);
  });

  it("may have the same name as a page of the console", async () => {
    await create("new", STATUS);
    expect(await ada.read("/admin/metadata/groups/new")).toContain("<h1>new</h1>");
    expect((await ada.post("/admin/metadata/groups/new/delete")).status).toBe(303);
  });

  it("link to the form for a token, and show which tokens can write them", async () => {
    await create(hr, STATUS);
    const { administrationOf } = servicesOf(env);
    const issue = (name: string, scope: string) =>
      administrationOf(instance, "test").serviceTokens.issue({
        kind: "indexing",
        name,
        scopes: [scope],
        person: null,
        lifetimeSeconds: 60,
        networks: [],
      });
    await issue("of this group", `custommetadata:${hr}`);
    await issue("in another case", `custommetadata:${hr.toUpperCase()}`);
    await issue("of every group", "custommetadata:global_scope");
    await issue("of another", "custommetadata:other");
    await issue("of another, longer", `custommetadata:${hr}y`);
    await issue("of another family", `documents:${hr}`);
    const { token } = await issue("that was revoked", `custommetadata:${hr}`);
    await administrationOf(instance, "test").serviceTokens.revoke(token.id);
    const page = await ada.read(pathOf(hr));
    for (const name of ["of this group", "in another case", "of every group"]) expect(page).toContain(name);
    expect(page).not.toMatch(/of another|that was revoked/);
    const link = /href="(\/admin\/tokens\/new[^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(fieldOf(await ada.read(link), "target")).toBe(hr);
  });

  it("of another instance are not found", async () => {
    const there = await MetadataPipeline.of(elsewhere);
    await there.describe("secret", [STATUS]);
    expect(await ada.read("/admin/metadata")).not.toContain("secret");
    for (const path of [pathOf("secret"), `${pathOf("secret")}/schema`, `${pathOf("secret")}/delete`]) {
      await expectPage(await ada.get(path), 404);
    }
    await expectPage(await ada.post(`${pathOf("secret")}/schema`, rows(OWNER)), 404);
    await expectPage(await ada.post(`${pathOf("secret")}/delete`), 404);
    expect((await there.schema("GET", "secret")).status).toBe(200);
    expect((await pipeline.schema("GET", "secret")).status).toBe(404);
  });
});

describe("a form for a metadata group", () => {
  it("comes back filled in if it is refused, with the message in the row of the key, even among empty rows", async () => {
    const page = await refused("/admin/metadata/new", {
      group: hr,
      ...rows(STATUS, undefined, { ...OWNER, name: "a b" }),
    });
    expect(errorBeside(page, "name2")).toBe(
      "A name has 1 to 50 letters, digits, hyphens, underscores and dots, and begins with a letter or a digit.",
    );
    expect(page).toContain('href="#name2"');
    expect([fieldOf(page, "group"), fieldOf(page, "name0"), fieldOf(page, "name2")]).toEqual([hr, "Status", "a b"]);
    expect(page).toMatch(/<option value="PICKLIST" selected/);
    expect(tickedOf(page, "hidden2")).toEqual(["on"]);
    expect((await pipeline.schema("GET", hr)).status).toBe(404);
    expect(await audited(hr)).toEqual([]);
  });

  it.each([
    ["no key", {}, "name0", /at least one key/],
    ["a key twice, in two cases", rows(STATUS, undefined, { ...OWNER, name: "sTATUS" }), "name2", /another key/i],
    ["an unknown type", rows({ ...STATUS, propertyType: "DATE" }), "type0", /property type/],
    ["no type", { name0: "Status" }, "type0", /./],
    ["a name that is markup", rows({ ...STATUS, name: "<b>" }), "name0", /letters/],
  ])("is refused for %s", async (_what, fields, field, message) => {
    const page = await refused("/admin/metadata/new", { group: hr, ...fields });
    expect(errorBeside(page, field)).toMatch(message);
    expect(page).not.toContain("<b>");
    expect((await pipeline.schema("GET", hr)).status).toBe(404);
  });

  it.each(["", "-b", "größe", "g".repeat(51), "../keys"])("is refused for the group %j", async (group) => {
    expect(errorBeside(await refused("/admin/metadata/new", { group, ...rows(STATUS) }), "group")).toMatch(/letters/);
  });

  it("is refused with a message at the key if the field's name is already another field's", async () => {
    const page = await refused("/admin/metadata/new", {
      group: "data",
      ...rows(undefined, { ...STATUS, name: "Source" }),
    });
    expect(errorBeside(page, "name1")).toMatch(/another field/);
    await create(hr, { ...STATUS, name: "yStatus" });
    const taken = await refused("/admin/metadata/new", { group: `${hr}Y`, ...rows(OWNER, STATUS) });
    expect(errorBeside(taken, "name1")).toMatch(/another field/);
  });

  it("is refused if the group exists, which stays unchanged: of ten forms sent at once, one creates it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        ada.post("/admin/metadata/new", {
          group: at % 2 ? hr : hr.toUpperCase(),
          ...rows({ ...STATUS, name: `k${at}` }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      303,
      ...Array.from({ length: 9 }, () => 422),
    ]);
    const before = await stored(hr);
    const page = await refused("/admin/metadata/new", { group: hr, ...rows(OWNER) });
    expect(errorBeside(page, "group")).toMatch(/already/);
    expect(await stored(hr)).toEqual(before);
    expect(await audited(hr)).toHaveLength(1);
  });

  it("is refused with a message at the type if it would change a key's type", async () => {
    await create(hr, STATUS, OWNER);
    const page = await refused(`${pathOf(hr)}/schema`, rows(STATUS, undefined, { ...OWNER, propertyType: "PICKLIST" }));
    expect(errorBeside(page, "type2")).toMatch(/change a key's type/);
    expect(await stored(hr)).toEqual([STATUS, OWNER]);
  });

  it("is refused for the 51st group, with a message about no field", async () => {
    const there = await MetadataPipeline.of(elsewhere);
    for (let group = 0; group < 49; group += 1) await there.describe(`g${group}x`, [STATUS]);
    await there.describe("secret", [STATUS]);
    const browser = await openConsole(elsewhere);
    const response = await browser.post("/admin/metadata/new", { group: "onemore", ...rows(STATUS) });
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("at most 50 groups")]);
  });
});

describe("a change of a metadata group in the console", () => {
  it("that removes a key asks first, with the number of documents, and asks again about keys added meanwhile", async () => {
    await create(hr, STATUS, OWNER);
    await pipeline.index(hr);
    await pipeline.attach(`wiki:${hr}`, hr, { Status: "approved" });
    const asked = await ada.post(`${pathOf(hr)}/schema`, rows(undefined, OWNER));
    const page = await asked.text();
    expect(asked.status).toBe(200);
    expect(page).toMatch(/<strong>Status<\/strong> is removed: 1 document has/);
    expect(fieldOf(page, "name1")).toBe("owner");
    expect(await stored(hr)).toEqual([STATUS, OWNER]);

    await pipeline.describe(hr, [STATUS, OWNER, { name: "Late", propertyType: "TEXT" }]);
    const again = await ada.post(`${pathOf(hr)}/schema`, { ...rows(undefined, OWNER), dropped: "status" });
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("Late")]);

    const taken = await ada.post(`${pathOf(hr)}/schema`, { ...rows(undefined, OWNER), dropped: "status,late" });
    expect([taken.status, taken.headers.get("Location")]).toEqual([303, `${pathOf(hr)}?done=saved`]);
    expect(await stored(hr)).toEqual([OWNER]);
  });

  it("is refused before it asks anything if the form is wrong", async () => {
    await create(hr, STATUS);
    const page = await refused(`${pathOf(hr)}/schema`, rows({ ...OWNER, name: "a b" }));
    expect(errorBeside(page, "name0")).toMatch(/letters/);
  });

  it("that deletes it asks first, with the number of documents and until when their values stay", async () => {
    await create(hr, STATUS);
    await pipeline.index(hr);
    await pipeline.attach(`wiki:${hr}`, hr, { Status: "approved" });
    const page = await ada.read(`${pathOf(hr)}/delete`);
    expect(page).toMatch(/Values on 1 document are/);
    expect(page).toMatch(/until the clean-up/);
    expect((await pipeline.schema("GET", hr)).status).toBe(200);
    expect((await ada.post(`${pathOf(hr)}/delete`)).headers.get("Location")).toBe("/admin/metadata?done=deleted");
    expect((await pipeline.schema("GET", hr)).status).toBe(404);
    await expectPage(await ada.post(`${pathOf(hr)}/delete`), 404);
  });
});

describe("the audit of metadata groups (who, what, before and after)", () => {
  it("has what an administrator does", async () => {
    await create(hr, STATUS);
    await ada.post(`${pathOf(hr)}/schema`, rows(STATUS, OWNER));
    await ada.post(`${pathOf(hr)}/delete`);
    const group = hr.toLowerCase();
    expect(await audited(hr)).toEqual([
      { actor: adaId, event: "metadata_group_created", detail: { group, after: [STATUS] } },
      { actor: adaId, event: "metadata_group_changed", detail: { group, before: [STATUS], after: [STATUS, OWNER] } },
      { actor: adaId, event: "metadata_group_removed", detail: { group, before: [STATUS, OWNER] } },
    ]);
  });

  it("has what a token does, with the token's id, and no entry for a schema that is unchanged or refused", async () => {
    await pipeline.describe(hr, [STATUS]);
    await pipeline.describe(hr.toUpperCase(), [{ ...STATUS, name: "STATUS", skipIndexing: false }]);
    expect((await pipeline.schema("PUT", hr, { metadataKeys: [{ ...STATUS, propertyType: "TEXT" }] })).status).toBe(
      409,
    );
    await pipeline.describe(hr, [OWNER, { ...STATUS, name: "STATUS" }]);
    expect((await pipeline.schema("DELETE", hr)).status).toBe(200);
    const tokens = await allTokens(instance);
    const own = tokens.filter(
      ({ scopes, name }) => scopes.includes("custommetadata:global_scope") && name !== "of every group",
    );
    expect(own).toHaveLength(1);
    const entries = await audited(hr);
    expect(entries.map(({ event }) => event)).toEqual([
      "metadata_group_created",
      "metadata_group_changed",
      "metadata_group_removed",
    ]);
    expect(entries[1]?.detail).toMatchObject({ before: [STATUS], after: [OWNER, STATUS] });
    expect(entries.map(({ actor }) => actor)).toEqual([own[0]?.id, own[0]?.id, own[0]?.id]);
  });
});
