import { runInDurableObject } from "cloudflare:test";
import { principalsOf } from "#documents/find/access/caller-principals.ts";
import type { Store } from "#documents/store.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { Directory } from "../support/directory.ts";
import { env } from "../support/isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

const BEN = "ben@acme.example";

/** What a token of one datasource plants. */
const USERS = 1000;
const GROUPS = 220;
const INTERSECTIONS_A_DOCUMENT = 500;

/** Twenty thousand memberships and twenty thousand entries of intersections, each looked up a few times. */
const ROWS_READ_MAX = 150_000;

let instance: InstanceRecord;
let planting: Pipeline;
let ben: string;

beforeAll(async () => {
  instance = await makeInstance();
  ben = await issueClientApiToken(instance, BEN, "SEARCH");
  const wiki = await Pipeline.of(instance, "documents:wiki");
  const directory = new Directory(wiki);
  await directory.user("u1", BEN);
  await directory.group("editors", ["u1"]);
  await wiki.index(draft("kept", { title: "Heron", permissions: { allowedGroups: ["editors"] } }));
  // First by name, because a limit for all datasources together would be used up before the wiki's turn.
  planting = await Pipeline.of(instance, "documents:aaa");
});

async function plant(): Promise<void> {
  const names = Array.from({ length: GROUPS }, (_, at) => `g${at}`);
  const only = { uploadId: "planted", datasource: "aaa", isFirstPage: true, isLastPage: true };
  const bulk = async (call: string, body: object) => {
    const response = await planting.post(`/api/index/v1/${call}`, { ...only, ...body });
    if (response.status !== 200) throw new Error(`${call}: ${response.status} ${await response.text()}`);
  };
  await bulk("bulkindexusers", {
    users: Array.from({ length: USERS }, (_, at) => ({ userId: `p${at}`, email: BEN })),
  });
  await bulk("bulkindexgroups", { groups: [...names, "ring"].map((name) => ({ name })) });
  // Ben is in every group, and every group is in one that is in all of them.
  for (const group of names) {
    await bulk("bulkindexmemberships", { group, memberships: [{ memberUserId: "p0" }, { memberGroupName: "ring" }] });
  }
  await bulk("bulkindexmemberships", {
    group: "ring",
    memberships: names.map((memberGroupName) => ({ memberGroupName })),
  });
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => ({ requiredGroups: [one, other] })));
  for (let from = 0; from < pairs.length; from += INTERSECTIONS_A_DOCUMENT) {
    const allowedGroupIntersections = pairs.slice(from, from + INTERSECTIONS_A_DOCUMENT);
    await planting.index(
      draft(`pairs${from}`, { datasource: "aaa", title: "Stork", permissions: { allowedGroupIntersections } }),
    );
  }
}

/**
 * Returns how many rows and statements it takes to read what permissions mean by Ben, and how many principals these are.
 */
function costOfBen(): Promise<{ read: number; principals: number; statements: number }> {
  return runInDurableObject(env.DOCUMENTS.getByName(String(instance.id)), (_object, { storage }) => {
    let read = 0;
    let statements = 0;
    const store: Store = {
      exec: <Row>(statement: string, ...values: readonly unknown[]) => {
        const cursor = storage.sql.exec(statement, ...values);
        const rows = cursor.toArray();
        read += cursor.rowsRead;
        statements += 1;
        return rows as Row[];
      },
    };
    const principals = principalsOf(store, { email: BEN, directoryGroups: [] }).length;
    return { read, principals, statements };
  });
}

describe("the rights that a token of one datasource plants", () => {
  it("don't remove a person from another datasource's groups, and make their search more expensive only up to a limit", async () => {
    const before = await costOfBen();
    await plant();
    const after = await costOfBen();
    expect(await found(ben, "heron")).toEqual(["kept"]);
    expect(after.statements).toBeLessThan(before.statements + 20);
    // 106,415 rows are read for these. All that was planted would take 197,616.
    expect(after.read).toBeLessThan(ROWS_READ_MAX);
    expect(await found(ben, "stork")).not.toEqual([]);
  }, 120_000);
});
