import { ADMIN_OPERATIONS } from "#admin-api/operations.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ADMIN_CALLS, callByCommand } from "../support/admin-calls.ts";
import { verifyWhole } from "../support/audit-entries.ts";
import { rowsIn, runUpkeep } from "../support/documents.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

const { administrationOf, auditVerification, policySnapshots } = servicesOf(env);

/** The operations of the Admin API that call an act, with its name. */
const DECIDING = Object.entries(ADMIN_OPERATIONS).flatMap(([route, { act }]) => (act ? [{ route, act }] : []));

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});
afterEach(async () => {
  await env.DB.exec("DROP TRIGGER IF EXISTS audit_refuses");
});

/** Is recorded each time: somebody has entered the connection again. */
const RECORDED_ALWAYS = "singleSignOn.connect";

/** Tables that acts don't write: what happened, and what follows from other rows. */
const NOT_DECIDED = ["audit", "policy_changes", "failures", "usage_counts"];

/** Reads all rows that acts can change. */
async function stored(): Promise<Record<string, unknown[]>> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND substr(name, 1, 1) <> '_' ORDER BY name",
  ).all<{ name: string }>();
  const names = tables.results.map(({ name }) => name).filter((name) => !NOT_DECIDED.includes(name));
  const rows = await env.DB.batch(names.map((name) => env.DB.prepare(`SELECT * FROM ${name}`)));
  const ofObject = [
    "SELECT datasource, upload_id, stage FROM bulk_uploads ORDER BY datasource",
    "SELECT datasource, count(*) AS count FROM removed_documents GROUP BY datasource",
  ];
  return {
    ...Object.fromEntries(names.map((name, at) => [name, rows[at]?.results ?? []])),
    documents: await Promise.all(ofObject.map((statement) => rowsIn(instance, statement))),
  };
}

async function entries(): Promise<number> {
  return (await env.DB.prepare("SELECT count(*) AS n FROM audit").first<number>("n")) ?? 0;
}

describe("the acts of administrators", () => {
  it("each have a call in the Admin API, and thereby a test here", () => {
    const offered = Object.entries(administrationOf(instance, "test")).flatMap(([noun, { constructor }]) =>
      Object.getOwnPropertyNames((constructor as typeof Object).prototype)
        .filter((name) => name !== "constructor")
        .map((act) => `${noun}.${act}`),
    );
    expect([...new Set(DECIDING.map(({ act }) => act))].sort()).toEqual(offered.sort());
    expect(offered.length).toBeGreaterThan(25);
  });

  it.each(DECIDING)(
    "change nothing without an audit entry, have one exactly if they change something, and take effect immediately: $act ($route)",
    async ({ route, act }) => {
      const sample = (await ADMIN_CALLS[route]?.(instance)) ?? {};
      const call = async () => {
        const response = await callByCommand(route, sample);
        // What documents hold changes in steps.
        if (/held-removals|removed-documents/.test(route)) await runUpkeep(instance);
        return response;
      };
      let before = await stored();
      await env.DB.exec(
        "CREATE TRIGGER audit_refuses BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END",
      );
      expect((await call()).status).toBe(503);
      expect(await stored()).toEqual(before);
      await env.DB.exec("DROP TRIGGER audit_refuses");

      const expire = vi.spyOn(policySnapshots, "expire");
      for (const attempt of ["first", "again"]) {
        const entriesBefore = await entries();
        const { status } = await call();
        if (attempt === "first") expect(status).toBeLessThan(300);
        const after = await stored();
        const hasChanged = JSON.stringify(after) !== JSON.stringify(before);
        const isRecorded = (await entries()) > entriesBefore;
        expect({ attempt, isRecorded }).toEqual({ attempt, isRecorded: hasChanged || act === RECORDED_ALWAYS });
        if (attempt === "first") expect(hasChanged).toBe(true);
        before = after;
      }
      expect(expire).toHaveBeenCalled();
    },
  );

  it("leave the audit's chain intact", async () => {
    const { entries: verified, broken } = await verifyWhole(auditVerification, instance.id);
    expect(broken).toBeUndefined();
    expect(verified).toBeGreaterThan(DECIDING.length);
  });
});
