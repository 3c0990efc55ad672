import type { InstanceRecord } from "#instance/instances.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { servicesOf } from "#services.ts";
import { beforeEach, expect, it } from "vitest";
import { finishMove } from "../support/admin-calls.ts";
import { keepHistory } from "../support/history.ts";
import { env } from "../support/isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

/** What the platform was asked to restore. */
let restored: string[];
/** The shard whose restoring fails. */
let failing: number | null;
let instance: InstanceRecord;
let instances = 0;

const DAY = 24 * 3600;

beforeEach(async () => {
  restored = [];
  failing = null;
  keepHistory((bookmark, shard, sql) => {
    if (shard === failing) throw new Error("connection lost");
    restored.push(`${shard} ${bookmark}`);
    // A restored database has other content with the same counters.
    sql.exec("DELETE FROM memberships");
  });
  instances += 1;
  instance = await makeInstance(`acme${instances}`);
  await servicesOf(env).administrationOf(instance, "test").documents.move("shards:2");
  await finishMove(instance);
  travel(DAY);
});

function rewind(at: number) {
  return servicesOf(env).administrationOf(instance, "test").documents.rewind(at);
}

const now = () => Math.floor(Date.now() / 1000);

it("restores every object to the same time, and reads people’s rights anew", async () => {
  const origin = `http://${instance.name}.localhost`;
  const pipeline = await Pipeline.of(instance, undefined, origin);
  const group = { allowedGroups: ["board"] };
  await pipeline.post("/rest/api/index/indexgroup", { datasource: "wiki", group: { name: "board" } });
  for (const id of ["one", "two", "three", "four"]) await pipeline.index(draft(id, { permissions: group }));
  await pipeline.post("/rest/api/index/indexmembership", {
    datasource: "wiki",
    membership: { groupName: "board", memberUserId: "ada@acme.example" },
  });
  const token = await issueClientApiToken(instance, "ada@acme.example", "SEARCH");
  expect(await found(token, "title", origin)).toHaveLength(4);

  const at = now() - 3600;
  expect(await rewind(at)).toBe(true);
  expect(restored).toEqual([`0 at ${at * 1000}`, `1 at ${at * 1000}`]);
  expect(await found(token, "title", origin)).toEqual([]);
});

it("can be repeated if an object failed", async () => {
  failing = 1;
  await expect(rewind(now() - 3600)).rejects.toThrow(StorageUnavailable);
  expect(restored).toHaveLength(1);
  failing = null;
  expect(await rewind(now() - 3600)).toBe(true);
  expect(restored).toHaveLength(3);
});

it("refuses times in the future, more than 30 days ago, and before the latest move", async () => {
  await expect(rewind(now() + 1)).rejects.toThrow("within the last 30 days");
  await expect(rewind(now() - DAY)).rejects.toThrow("after the latest move");
  travel(30 * DAY);
  await expect(rewind(now() - 30 * DAY - 1)).rejects.toThrow("within the last 30 days");
  expect(restored).toEqual([]);
  expect(await rewind(now() - 30 * DAY + 2)).toBe(true);
});

it("restores nothing during a move", async () => {
  const { documents } = servicesOf(env).administrationOf(instance, "test");
  await documents.eraseOld();
  await finishMove(instance);
  await documents.move("object");
  travel(DAY);
  await expect(rewind(now() - 3600)).rejects.toThrow("after the latest move");
  expect(restored).toEqual([]);
});
