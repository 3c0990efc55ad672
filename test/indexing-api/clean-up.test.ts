import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { Directory } from "../support/directory.ts";
import { rowsIn, runUpkeep, runUpkeepStep } from "../support/documents.ts";
import { env } from "../support/isolate.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

let instance: InstanceRecord;
let pipeline: Pipeline;
let wiki: Directory;
let ben: string;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  wiki = new Directory(pipeline);
  ben = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

/** Sets Ben's groups in the directory, and waits until no isolate remembers older ones. */
async function directoryGroups(...groups: string[]): Promise<void> {
  await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = 'ben@acme.example'")
    .bind(JSON.stringify(groups))
    .run();
  travel(11);
}

async function names(table: "principals" | "filter_terms"): Promise<string[]> {
  const column = table === "principals" ? "kind || ' ' || name" : "field || ' ' || value";
  const rows = await rowsIn<{ name: string }>(instance, `SELECT ${column} AS name FROM ${table} ORDER BY 1`);
  return rows.map((row) => row.name);
}

async function number(statement: string): Promise<number> {
  return Number((await rowsIn<{ n: number }>(instance, statement))[0]?.n);
}

describe("the clean-up of an instance's documents by alarm", () => {
  it("removes names that no document has any more, and keeps all others", async () => {
    const permissions = {
      allowedUsers: [{ email: "ben@acme.example" }],
      allowedGroups: ["kept"],
      allowedGroupIntersections: [{ requiredGroups: ["left", "right"] }],
    };
    await pipeline.index(
      draft("stays", { title: "Wigeon", author: { email: "ada@acme.example" }, permissions }),
      draft("goes", {
        objectType: "Ticket",
        author: { email: "zoe@acme.example" },
        permissions: {
          allowedGroups: ["lost", "kept"],
          allowedGroupIntersections: [{ requiredGroups: ["left", "lost"] }],
        },
      }),
    );
    await wiki.group("left", ["ben@acme.example"]);
    await wiki.group("right", ["ben@acme.example"]);
    await wiki.act("deletedocument", { id: "goes" });
    await runUpkeep(instance);
    expect(await names("principals")).toEqual([
      "group kept",
      "group left",
      "group right",
      'intersection ["left","right"]',
      "person ben@acme.example",
    ]);
    expect(await names("filter_terms")).toEqual(["from ada@acme.example", "name ada"]);
    expect(await number("SELECT count(*) AS n FROM access_classes")).toBe(1);
    await wiki.permissions("stays", { allowedGroupIntersections: permissions.allowedGroupIntersections });
    expect(await found(ben, "wigeon")).toEqual(["stays"]);
  });

  it("keeps filter terms that only custom metadata has", async () => {
    const metadata = await MetadataPipeline.of(instance);
    await metadata.describe("g", [{ name: "k", propertyType: "PICKLIST" }]);
    await metadata.attach("wiki:stays", "g", { k: "Approved" });
    await runUpkeep(instance);
    expect(await names("filter_terms")).toContain("k1 approved");
    await metadata.values("DELETE", "wiki:stays", "g");
    await runUpkeep(instance);
    expect(await names("filter_terms")).not.toContain("k1 approved");
  });

  it("never assigns an id again, so nobody gets the rights that an old class names", async () => {
    await pipeline.index(draft("last", { permissions: { allowedGroups: ["brief"] } }));
    const top = () => number("SELECT max(id) AS n FROM principals");
    const before = await top();
    await wiki.act("deletedocument", { id: "last" });
    await runUpkeep(instance);
    expect(await top()).toBeLessThan(before);
    await pipeline.index(draft("next", { permissions: { allowedGroups: ["another"] } }));
    expect(await top()).toBeGreaterThan(before);
  });

  it("forgets a deleted group once no document names it, and then the directory's group may have the name", async () => {
    await directoryGroups("committee");
    await wiki.group("committee");
    await pipeline.index(draft("minutes", { title: "Garganey", permissions: { allowedGroups: ["committee"] } }));
    await wiki.act("deletegroup", { groupName: "committee" });
    await runUpkeep(instance);
    expect(await found(ben, "garganey")).toEqual([]);
    await wiki.act("deletedocument", { id: "minutes" });
    await runUpkeep(instance);
    await pipeline.index(draft("minutes", { title: "Garganey", permissions: { allowedGroups: ["committee"] } }));
    expect(await found(ben, "garganey")).toEqual(["minutes"]);
  });

  it("keeps a deleted group while another has it as a member, so a repeated membership doesn't let the directory's group in", async () => {
    await directoryGroups("trainees");
    await wiki.group("trainees");
    await wiki.group("vault", [], ["trainees"]);
    await pipeline.index(draft("ledger", { title: "Gadwall", permissions: { allowedGroups: ["vault"] } }));
    await wiki.act("deletegroup", { groupName: "trainees" });
    // A pipeline that doesn't know of the deletion repeats the membership.
    await wiki.act("indexmembership", { membership: { groupName: "vault", memberGroupName: "trainees" } });
    await runUpkeep(instance);
    expect(await found(ben, "gadwall")).toEqual([]);
    const kept = () => number("SELECT count(*) AS n FROM datasource_groups WHERE name = 'trainees'");
    expect(await kept()).toBe(1);
    await wiki.act("deletemembership", { membership: { groupName: "vault", memberGroupName: "trainees" } });
    await runUpkeep(instance);
    expect(await kept()).toBe(0);
  });

  it("reports a failed step, and tries again", async () => {
    const stats = () => servicesOf(env).documents.stats(instance.id);
    const now = () => Math.floor(Date.now() / 1000);
    await pipeline.index(draft("leaves-work"));
    await rowsIn(instance, "ALTER TABLE access_classes RENAME TO classes_away");
    expect(await runUpkeepStep(instance)).toBe(true);
    const failing = await stats();
    expect(failing.alarmFailedAt).toBeGreaterThan(now() - 600);
    expect(failing.alarmAt).toBeGreaterThan(now() - 600);
    await rowsIn(instance, "ALTER TABLE classes_away RENAME TO access_classes");
    expect(await runUpkeepStep(instance)).toBe(true);
    expect((await stats()).alarmFailedAt).toBe(0);
  });

  it("reports what is stored, and the progress of uploads", async () => {
    const bulk = (body: object) =>
      pipeline.post("/api/index/v1/bulkindexdocuments", { uploadId: "u", datasource: "told", documents: [], ...body });
    expect((await bulk({ isFirstPage: true, documents: [draft("one", { datasource: "told" })] })).status).toBe(200);
    expect((await bulk({ documents: [draft("two", { datasource: "told", title: 1 })] })).status).toBe(400);
    const { bytes, datasources, receiving, removing, searches, lastRefusal } = await servicesOf(env).documents.stats(
      instance.id,
    );
    expect([receiving, removing, datasources.find(({ name }) => name === "told")?.documents]).toEqual([1, 0, 1]);
    expect(lastRefusal).toMatchObject({ datasource: "told", message: expect.stringContaining("title") });
    expect([bytes > 100_000, searches > 0]).toEqual([true, true]);
    const large = { ["k".repeat(3_000_000)]: 1 };
    const refused = await bulk({ documents: [draft("two", { datasource: "told", permissions: large })] });
    expect([refused.status, (await refused.text()).length < 3000]).toEqual([400, true]);
    const latest = (await servicesOf(env).documents.stats(instance.id)).lastRefusal?.message ?? "";
    expect([latest.startsWith("documents[0].permissions.kkk"), latest.length < 3000]).toEqual([true, true]);
  });
});
