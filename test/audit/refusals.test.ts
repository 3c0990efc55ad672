import type { InstanceRecord } from "#instance/instances.ts";
import { D1Refusals, type AuditedRefusal } from "#audit/refusals.d1.ts";
import { type RefusedCall, Refusals } from "#audit/refusals.ts";
import type { Refusal } from "#protocol/errors.ts";
import { servicesOf } from "#services.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { verifyWhole } from "../support/audit-entries.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";
import { makeInstance } from "../support/world.ts";
import { audited } from "../support/audited.ts";

const CALL: RefusedCall = {
  operation: "POST /rest/api/v1",
  requestId: "r",
  network: "192.0.2.1",
  actor: undefined,
  isAtGate: false,
};

let now: number;
let written: AuditedRefusal[][];
let refusals: Refusals;
let behind: Promise<unknown>[];
let callsRead: number;

beforeEach(() => {
  now = 1_800_000_000;
  timeIs(() => now);
  [written, behind, callsRead] = [[], [], 0];
  refusals = new Refusals({ record: async (all) => void written.push([...all]) });
});

async function refuse(refusal: Partial<Refusal>, call: Partial<RefusedCall> = {}): Promise<void> {
  const whole = { code: "invalid_token", reason: "token_signature_wrong" as const, connection: undefined, ...refusal };
  const read = () => {
    callsRead += 1;
    return { ...CALL, ...call };
  };
  refusals.note(1, whole, read, (work) => void behind.push(work));
  await Promise.all(behind);
}

describe("refusals in the audit", () => {
  it("are written immediately, and then once a minute with their number", async () => {
    for (let each = 0; each < 50; each += 1) await refuse({});
    expect(written.flat().map(({ detail }) => detail.times)).toEqual([1]);
    now += 60;
    await refuse({});
    expect(written.flat().map(({ detail }) => detail.times)).toEqual([1, 50]);
  });

  it("at a gate wait a minute, and are written with the next refusal of any kind", async () => {
    await refuse({}, { isAtGate: true });
    await refuse({ connection: { personId: "ada" } }, { isAtGate: true });
    now += 59;
    await refuse({}, { isAtGate: true });
    expect(written).toEqual([]);
    now += 1;
    await refuse({ code: "unauthorized", reason: "credential_missing" });
    expect(written.flat().map(({ actor, detail }) => [actor, detail.times])).toEqual([
      [undefined, 2],
      ["ada", 1],
    ]);
  });

  it("are one kind for all unknown callers, whatever they claim, and one for each known person and app", async () => {
    for (let each = 0; each < 50; each += 1) await refuse({ connection: { clientId: `claimed-${each}` } });
    expect(written.flat()).toHaveLength(1);
    expect(written.flat()[0]?.actor).toBeUndefined();
    for (const personId of ["ada", "ben", "ada"]) await refuse({ connection: { personId, clientId: "app" } });
    expect(written.flat().map(({ actor }) => actor)).toEqual([undefined, "ada", "ben"]);
  });

  it("are written with those that waited before, so that no number is lost", async () => {
    await refuse({});
    await refuse({});
    now += 60;
    await refuse({ reason: "token_audience_wrong" });
    expect(written.flat().map(({ detail }) => [detail.reason, detail.times])).toEqual([
      ["token_signature_wrong", 1],
      ["token_signature_wrong", 1],
      ["token_audience_wrong", 1],
    ]);
  });

  it.each([
    ["unauthorized", "credential_missing"],
    ["invalid_token", "token_expired"],
    ["bad_request", "json_broken"],
    ["access_denied", "sign_in_cancelled"],
    ["server_error", "unexpected"],
    ["use_dpop_nonce", "dpop_nonce_missing"],
  ] as const)("leave out %s (%s), which says nothing about rights", async (code, reason) => {
    await refuse({ code, reason });
    expect([written, callsRead]).toEqual([[], 0]);
  });

  it("have a limit of kinds in memory", async () => {
    for (let each = 0; each < 1500; each += 1) await refuse({}, { actor: `token-${each}` });
    expect(written.flat()).toHaveLength(1000);
    now += 60;
    await refuse({}, { actor: "token-1499" });
    expect(written.flat()).toHaveLength(1001);
  });

  describe("in the database", () => {
    let acme: InstanceRecord;
    let instances = 0;
    const countOf = (event: string) =>
      env.DB.prepare("SELECT count(*) AS entries FROM audit WHERE instance_id = ?1 AND event = ?2")
        .bind(acme.id, event)
        .first<number>("entries");
    const refusal = (actor: string | undefined, at = now): AuditedRefusal => ({
      instanceId: acme.id,
      at,
      actor,
      detail: { reason: "r", code: "c", operation: "GET /x", times: 1, requestId: "q" },
    });

    beforeEach(async () => {
      acme = await makeInstance(`refusing-${(instances += 1)}`);
    });

    it("are limited per hour, and strangers' refusals don't count towards the limit of people's", async () => {
      const store = new D1Refusals(audited());
      await store.record(Array.from({ length: 60 }, () => refusal(undefined)));
      expect(await countOf("request_refused")).toBe(30);
      await store.record(Array.from({ length: 150 }, () => refusal("ada")));
      expect(await countOf("access_refused")).toBe(120);
      await store.record([refusal(undefined, now + 3601)]);
      expect(await countOf("request_refused")).toBe(31);
    });

    it("are part of the chain like all entries", async () => {
      await new D1Refusals(audited()).record([refusal("ada"), refusal(undefined)]);
      const { audit, auditVerification } = servicesOf(env);
      await audit.seal(acme.id);
      expect(await verifyWhole(auditVerification, acme.id)).toMatchObject({ unsealed: 0 });
      expect((await verifyWhole(auditVerification, acme.id)).broken).toBeUndefined();
    });
  });
});
