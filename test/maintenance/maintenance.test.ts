import { createScheduledController } from "cloudflare:test";
import worker from "#index.ts";
import { D1Maintenance } from "#maintenance/maintenance.d1.ts";
import { runMaintenance } from "#maintenance/maintenance.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";
import { changeSettings, makeInstance, travel } from "../support/world.ts";

const DAY = 86_400;

describe("the hourly maintenance", () => {
  beforeAll(async () => {
    await makeInstance();
  });

  it("is recorded when the cron trigger fires", async () => {
    const { stores } = servicesOf(env);
    expect(await stores.maintenance.last()).toBeNull();
    await worker.scheduled(createScheduledController(), env);
    const run = await stores.maintenance.last();
    expect(run?.failed).toEqual([]);
    expect(Math.abs((run?.ranAt ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("leaves only the audit, abandoned sign-ins and spent ids to the trigger of every minute", async () => {
    const { stores } = servicesOf(env);
    const before = await stores.maintenance.last();
    const unsealed = () => env.DB.prepare("SELECT count(*) AS entries FROM audit WHERE hash IS NULL").first("entries");
    await env.DB.prepare("UPDATE audit SET hash = NULL, previous_hash = NULL").run();
    expect(await unsealed()).not.toBe(0);
    const rows = ["session_sign_ins", "authorization_requests", "spent_ids"].map(
      (table) => `(SELECT count(*) FROM ${table})`,
    );
    const abandoned = () => env.DB.prepare(`SELECT ${rows.join(" + ")} AS n`).first<number>("n");
    await env.DB.batch(
      [
        `INSERT INTO session_sign_ins (state_hash, instance_id, browser_hash, return_to, expires_at)
         SELECT 'sign-in-' || value, instances.id, '', '/account', unixepoch() + value FROM instances, json_each('[-1, 900]')`,
        `INSERT INTO authorization_requests (handle_hash, instance_id, stage, browser_hash, client_id, request, expires_at)
         SELECT 'request-' || value, instances.id, 'sign-in', '', '', '{}', unixepoch() + value FROM instances, json_each('[-1, 900]')`,
        `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at)
         SELECT instances.id, 'client_assertion', 'id-' || value, unixepoch() + value FROM instances, json_each('[-1, 900]')`,
      ].map((sql) => env.DB.prepare(sql)),
    );
    expect(await abandoned()).toBe(6);
    await worker.scheduled(createScheduledController({ cron: "* * * * *" }), env);
    expect(await unsealed()).toBe(0);
    expect(await abandoned()).toBe(3);
    expect(await stores.maintenance.last()).toEqual(before);
  });

  it("runs every task even if others fail, and records which failed", async () => {
    const done: string[] = [];
    const tasks = ["first", "second", "third"].map((name) => ({
      name,
      async run() {
        if (name === "second") throw new Error("broken");
        done.push(name);
        return {};
      },
    }));
    const store = new D1Maintenance(env.DB);
    timeIs(() => 1000);
    await expect(runMaintenance(tasks, store)).rejects.toThrow("Tasks failed: second");
    expect(done).toEqual(["first", "third"]);
    expect(await store.last()).toEqual({ ranAt: 1000, failed: ["second"] });
  });

  it("is recorded as failed while it runs, because it may be cut off", async () => {
    const store = new D1Maintenance(env.DB);
    let seen: unknown;
    const tasks = ["only"].map((name) => ({
      name,
      async run() {
        seen = await store.last();
        return {};
      },
    }));
    timeIs(() => 2000);
    await runMaintenance(tasks, store);
    expect(seen).toEqual({ ranAt: 2000, failed: ["only"] });
  });

  it("runs its tasks even if it cannot be recorded, and then fails", async () => {
    const store = { record: () => Promise.reject(new Error("down")) };
    const run = vi.fn(async () => ({}));
    await expect(runMaintenance([{ name: "only", run }], store)).rejects.toThrow("record of the run");
    expect(run).toHaveBeenCalledOnce();
  });

  it.each(["0 * * * *", "* * * * *"])("fails for the platform if a task of the trigger %s fails", async (cron) => {
    const DB = {
      batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
      prepare: (sql: string) => env.DB.prepare(sql.includes("DELETE FROM spent_ids") ? "SELECT broken" : sql),
    } as D1Database;
    const controller = createScheduledController({ cron });
    await expect(worker.scheduled(controller, { ...env, DB })).rejects.toThrow("Tasks failed: spent ids");
  });

  it("cuts each instance's audit by that instance's retention", async () => {
    const instances = [await makeInstance("brief"), await makeInstance("long")];
    await changeSettings("brief", { auditKeptSeconds: 30 * DAY });
    travel(40 * DAY);
    await worker.scheduled(createScheduledController(), env);
    const kept = await Promise.all(instances.map(async (each) => (await auditEntries(each)).length));
    expect(kept[0]).toBe(1);
    expect(kept[1]).toBeGreaterThan(1);
  });
});
