import type { AuditEntry } from "#audit/audit.ts";
import { record, recordCount, recordIfChanged } from "#audit/audited-store.sql.ts";
import { runBatch } from "#platform/d1.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { audited } from "../support/audited.ts";
import { env } from "../support/isolate.ts";

let instanceId: number;

beforeAll(async () => {
  instanceId = (await createInstance(servicesOf(env), "entries", "test")).id;
});

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM audit").run();
  await env.DB.prepare("DELETE FROM session_sign_ins").run();
});

function entry(sessions = 0): AuditEntry<"sessions_ended"> {
  return { instanceId, at: 1, actor: "ada", event: "sessions_ended", detail: { sessions } };
}

/** Adds a row that an act can change. */
function add(state: string): D1PreparedStatement {
  return env.DB.prepare(
    "INSERT INTO session_sign_ins (state_hash, instance_id, browser_hash, return_to, expires_at) VALUES (?1, ?2, '', '/', 0)",
  ).bind(state, instanceId);
}

function change(expiresAt: number, unless = -1): D1PreparedStatement {
  return env.DB.prepare("UPDATE session_sign_ins SET expires_at = ?1 WHERE expires_at NOT IN (?1, ?2)").bind(
    expiresAt,
    unless,
  );
}

async function entries(): Promise<{ sequence: number; sessions: number }[]> {
  const { results } = await env.DB.prepare(
    "SELECT sequence, detail ->> 'sessions' AS sessions FROM audit WHERE instance_id = ?1 ORDER BY sequence",
  )
    .bind(instanceId)
    .all<{ sequence: number; sessions: number }>();
  return results;
}

describe("an act's audit entry (ASVS 5.0 §16.3)", () => {
  it("is written if the statement before it changed something", async () => {
    await runBatch(env.DB, [add("a"), change(5), recordIfChanged(audited(), entry(1))]);
    expect(await entries()).toEqual([{ sequence: 1, sessions: 1 }]);
  });

  it("is not written if the statement right before it changed nothing, whatever changed earlier", async () => {
    await runBatch(env.DB, [add("a"), change(0), recordIfChanged(audited(), entry())]);
    expect(await entries()).toEqual([]);
    await runBatch(env.DB, [env.DB.prepare("SELECT 1"), change(0), recordIfChanged(audited(), entry())]);
    expect(await entries()).toEqual([]);
  });

  it("is unaffected by a statement in between that only reads", async () => {
    await runBatch(env.DB, [add("a"), change(5), env.DB.prepare("SELECT 1"), recordIfChanged(audited(), entry())]);
    expect(await entries()).toHaveLength(1);
  });

  it("has the number of rows that the statement before it changed", async () => {
    await runBatch(env.DB, [add("a"), add("b"), add("c"), change(5), recordCount(audited(), entry(), "sessions")]);
    expect(await entries()).toEqual([{ sequence: 1, sessions: 3 }]);
  });

  it("is rolled back with the act if a later statement of the batch fails, and leaves no gap", async () => {
    await runBatch(env.DB, [record(audited(), entry(1))]);
    const failing = runBatch(env.DB, [add("a"), recordIfChanged(audited(), entry(2)), add("a")]);
    await expect(failing).rejects.toThrow("D1 failed");
    await runBatch(env.DB, [add("b"), recordIfChanged(audited(), entry(3))]);
    expect(await entries()).toEqual([
      { sequence: 1, sessions: 1 },
      { sequence: 2, sessions: 3 },
    ]);
  });

  it("has consecutive numbers for fifty acts at once, and one entry for the change that all of them try", async () => {
    await add("a").run();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        runBatch(env.DB, [
          env.DB.prepare("UPDATE session_sign_ins SET expires_at = ?1 WHERE expires_at = 0").bind(index + 1),
          recordIfChanged(audited(), entry(-1)),
          record(audited(), entry(index)),
        ]),
      ),
    );
    const found = await entries();
    expect(found.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 51 }, (_, index) => index + 1));
    expect(found.filter(({ sessions }) => sessions === -1)).toHaveLength(1);
  });
});
