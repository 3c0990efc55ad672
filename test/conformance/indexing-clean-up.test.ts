import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "#index.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { Directory } from "../support/directory.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

let pipeline: Pipeline;
let wiki: Directory;
let ben: string;

beforeAll(async () => {
  const instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  wiki = new Directory(pipeline);
  ben = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

/** Two runs are a whole lap through each table, wherever the first began. */
async function cleanUp(): Promise<void> {
  for (let run = 0; run < 2; run += 1) await worker.scheduled(createScheduledController(), env);
}

async function names(table: "principals" | "filter_terms"): Promise<string[]> {
  const column = table === "principals" ? "kind || ' ' || name" : "field || ' ' || value";
  const { results } = await env.DB.prepare(`SELECT ${column} AS name FROM ${table} ORDER BY 1`).all<{ name: string }>();
  return results.map((row) => row.name);
}

describe("the clean-up of the index by cron", () => {
  it("removes names that no document has any more, and keeps all others", async () => {
    const permissions = {
      allowedUsers: [{ email: "ben@acme.example" }],
      allowedGroups: ["kept"],
      allowedGroupIntersections: [{ requiredGroups: ["left", "right"] }],
    };
    await pipeline.index(
      draft("stays", { title: "Wigeon", objectType: "Page", permissions }),
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
    await cleanUp();
    await cleanUp();
    expect(await names("principals")).toEqual([
      "group kept",
      "group left",
      "group right",
      'intersection ["left","right"]',
      "person ben@acme.example",
    ]);
    expect(await names("filter_terms")).toEqual(["datasource wiki", "type page"]);
    await wiki.permissions("stays", { allowedGroupIntersections: permissions.allowedGroupIntersections });
    expect(await found(ben, "wigeon")).toEqual(["stays"]);
  });

  it("keeps filter terms that only custom metadata has", async () => {
    await env.DB.batch(
      [
        "INSERT INTO filter_terms (id, instance_id, field, value) SELECT 900, id, 'k1', 'approved' FROM instances",
        "INSERT INTO metadata_groups (id, instance_id, name, display_name, created_at) SELECT 1, id, 'g', 'g', 0 FROM instances",
        `INSERT INTO metadata_keys (id, instance_id, group_id, name, display_name, facet_name, property_type)
         SELECT 1, id, 1, 'k', 'k', 'gk', 'PICKLIST' FROM instances`,
        "UPDATE documents SET metadata_filters = 'f900' WHERE external_id = 'stays'",
      ].map((statement) => env.DB.prepare(statement)),
    );
    await cleanUp();
    expect(await names("filter_terms")).toContain("k1 approved");
  });

  it("never gives an id again, so an old word in the index is nobody's", async () => {
    await pipeline.index(draft("last", { permissions: { allowedGroups: ["brief"] } }));
    const top = () => env.DB.prepare("SELECT max(id) AS id FROM principals").first<number>("id");
    const before = Number(await top());
    await wiki.act("deletedocument", { id: "last" });
    await cleanUp();
    expect(Number(await top())).toBeLessThan(before);
    await pipeline.index(draft("next", { permissions: { allowedGroups: ["another"] } }));
    expect(Number(await top())).toBeGreaterThan(before);
  });

  it("forgets a deleted group once no document names it, and then the directory's may have the name", async () => {
    await env.DB.prepare(
      "UPDATE people SET directory_groups = '[\"committee\"]' WHERE email = 'ben@acme.example'",
    ).run();
    await wiki.group("committee");
    await pipeline.index(draft("minutes", { title: "Garganey", permissions: { allowedGroups: ["committee"] } }));
    await wiki.act("deletegroup", { groupName: "committee" });
    await cleanUp();
    expect(await found(ben, "garganey")).toEqual([]);
    await wiki.act("deletedocument", { id: "minutes" });
    await cleanUp();
    await cleanUp();
    await pipeline.index(draft("minutes", { title: "Garganey", permissions: { allowedGroups: ["committee"] } }));
    expect(await found(ben, "garganey")).toEqual(["minutes"]);
  });

  it("keeps a deleted group while another has it as a member: the directory's gets in by no repeated membership", async () => {
    await env.DB.prepare(
      "UPDATE people SET directory_groups = '[\"trainees\"]' WHERE email = 'ben@acme.example'",
    ).run();
    await wiki.group("trainees");
    await wiki.group("vault", [], ["trainees"]);
    await pipeline.index(draft("ledger", { title: "Gadwall", permissions: { allowedGroups: ["vault"] } }));
    await wiki.act("deletegroup", { groupName: "trainees" });
    // A pipeline that has not heard of it says it again.
    await wiki.act("indexmembership", { membership: { groupName: "vault", memberGroupName: "trainees" } });
    await cleanUp();
    expect(await found(ben, "gadwall")).toEqual([]);
    const kept = () => env.DB.prepare("SELECT count(*) AS n FROM datasource_groups WHERE name = 'trainees'").first("n");
    expect(await kept()).toBe(1);
    await wiki.act("deletemembership", { membership: { groupName: "vault", memberGroupName: "trainees" } });
    await cleanUp();
    expect(await kept()).toBe(0);
  });
});
