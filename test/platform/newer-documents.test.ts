import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { evictDocuments, rowsIn, runUpkeep, runUpkeepStep } from "../support/documents.ts";
import { keepHistory } from "../support/history.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueIndexingToken, makeInstance, travel } from "../support/world.ts";

let instance: InstanceRecord;
let token: string;
let indexing: string;

beforeAll(async () => {
  instance = await makeInstance();
  token = (await (await AppClient.registered()).tokens()).access_token;
  indexing = await issueIndexingToken(instance, "documents:global_scope");
  await (await Pipeline.of(instance)).index(draft("kept", { title: "Heron" }));
});

afterEach(() => void vi.restoreAllMocks());

async function setVersion(version: number, oldestReader: number): Promise<void> {
  await rowsIn(instance, "UPDATE state SET value = ?1 WHERE name = 'schema'", version);
  await rowsIn(instance, "UPDATE state SET value = ?1 WHERE name = 'oldest reader'", oldestReader);
  await evictDocuments(instance);
}

describe("an instance's documents that newer code has upgraded", () => {
  it("are served if this code can still serve their tables", async () => {
    await setVersion(9, 1);
    expect(await found(token, "heron")).toEqual(["kept"]);
  });

  it("are not read, changed or cleaned up otherwise: responses are 503 with the reason", async () => {
    await setVersion(9, 2);
    const logged = [vi.spyOn(console, "error"), vi.spyOn(console, "warn"), vi.spyOn(console, "info")];
    const isolate = new ObservedIsolate();
    const searched = await isolate.search(token, { query: "heron" });
    const pushed = await isolate.index(indexing, draft("new"));
    for (const [response, error] of [
      [searched, "search_unavailable"],
      [pushed, "temporarily_unavailable"],
    ] as const) {
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(await readRefusal(response)).toMatchObject({ error, message: expect.stringContaining("newer version") });
    }
    expect(await runUpkeepStep(instance)).toBe(true);
    const lines = logged.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));
    expect(lines.filter((line) => line.includes('"reason":"storage_ahead_of_code"'))).toHaveLength(2);
    expect(lines.filter((line) => /"documents_upkeep_failed".*version 9/.test(line))).toHaveLength(1);
  });

  it("can be restored as they were before the upgrade, by code that can't serve them", async () => {
    keepHistory((_bookmark, _shard, sql) => {
      sql.exec("UPDATE state SET value = 1 WHERE name IN ('schema', 'oldest reader')");
    });
    travel(24 * 3600);
    const { documents } = servicesOf(env).administrationOf(instance, "test");
    expect(await documents.rewind(Math.floor(Date.now() / 1000) - 3600)).toBe(true);
    vi.useRealTimers();
    expect(await found(token, "heron")).toEqual(["kept"]);
  });

  it("are served again by code that can, which continues their clean-up", async () => {
    await setVersion(1, 1);
    expect(await found(token, "heron")).toEqual(["kept"]);
    await runUpkeep(instance);
    expect(await rowsIn(instance, "SELECT external_id FROM documents")).toEqual([{ external_id: "kept" }]);
  });

  it("are indexed again as soon as something wakes them up, if the rules have changed", async () => {
    await rowsIn(instance, "UPDATE state SET value = 1 WHERE name = 'index version'");
    await evictDocuments(instance);
    expect(await found(token, "heron")).toEqual(["kept"]);
    await runUpkeep(instance);
    expect(await rowsIn(instance, "SELECT 1 FROM state WHERE name = 'index version' AND value > 1")).toHaveLength(1);
  });
});
