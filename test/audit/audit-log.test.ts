import { D1Audit } from "#audit/audit.d1.ts";
import { type AuditedDatabase, record } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { hashEntry } from "#audit/audit-chain.ts";
import { Keyring } from "#crypto/keyring.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { AuditRetention } from "#audit/audit-retention.ts";
import { ChainVerification, ENTRIES_PER_CHECK } from "#audit/chain-verification.ts";
import { runBatch } from "#platform/d1.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { verifyWhole } from "../support/audit-entries.ts";
import { audited } from "../support/audited.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";

const DAY = 86_400;
const START = 1_800_000_000;

let instanceId: number;
let otherId: number;
let now: number;
let database: AuditedDatabase;
let log: AuditLog;
let retention: AuditRetention;
let verification: ChainVerification;

beforeAll(async () => {
  instanceId = (await createInstance(servicesOf(env), "chain", "test")).id;
  otherId = (await createInstance(servicesOf(env), "other", "test")).id;
});

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM audit").run();
  now = START;
  timeIs(() => now);
  ({ database, log, retention, verification } = auditWith(KEYS));
});

const KEYS = `one:${"A".repeat(43)}`;
const NEW_KEY = `two:${"B".repeat(42)}A`;

function auditWith(masterKeys: string) {
  const proving = audited(env.DB, masterKeys);
  const store = new D1Audit(proving);
  const keyring = new Keyring(masterKeys);
  const sealing = new AuditLog(store, keyring);
  return {
    database: proving,
    log: sealing,
    retention: new AuditRetention(store, keyring, sealing),
    verification: new ChainVerification(store, keyring),
  };
}

function verify(id: number, walking = verification) {
  return verifyWhole(walking, id);
}

function append(sessions = 0, instance = instanceId): Promise<void> {
  return put({ instanceId: instance, at: now, actor: "ada", event: "sessions_ended", detail: { sessions } });
}

/** Records and seals an entry, as an act does. */
async function put(entry: AuditEntry): Promise<void> {
  await runBatch(database, [record(database, entry)]);
  await log.seal(entry.instanceId);
}

/** Appends entries a day apart. */
async function appendDaily(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    await append(day);
    now += DAY;
  }
}

/** Appends sealed entries of one moment. */
async function appendMany(entries: number): Promise<void> {
  const entry: AuditEntry = { instanceId, at: now, actor: "ada", event: "sessions_ended", detail: { sessions: 0 } };
  for (let left = entries; left > 0; left -= 1000) {
    await runBatch(
      database,
      Array.from({ length: Math.min(left, 1000) }, () => record(database, entry)),
    );
    await log.seal(instanceId);
  }
}

/** Decides how long entries are kept. */
function keep(days: number): Promise<void> {
  const detail = { before: { auditKeptSeconds: 365 * DAY }, after: { auditKeptSeconds: days * DAY } };
  return put({ instanceId, at: now, actor: "ada", event: "settings_changed", detail });
}

/** Inserts an entry as somebody can who has only the database. */
function insert(event: string, detail: object, actor = "ada", at = now): Promise<unknown> {
  return run(
    `INSERT INTO audit (instance_id, sequence, at, actor, event, detail)
     SELECT ?1, max(sequence) + 1, ?2, ?3, ?4, ?5 FROM audit WHERE instance_id = ?1`,
    instanceId,
    at,
    actor,
    event,
    JSON.stringify(detail),
  );
}

function run(sql: string, ...values: unknown[]): Promise<unknown> {
  return env.DB.prepare(sql)
    .bind(...values)
    .run();
}

async function exported(instance = instanceId): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const line of log.export(instance)) lines.push(JSON.parse(line) as Record<string, unknown>);
  return lines;
}

describe("the audit's chain (ASVS 5.0 §16.4.2)", () => {
  it("gives each of fifty entries that are appended at once its own sequence number", async () => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => append(index)));
    expect(await verify(instanceId)).toEqual({ entries: 50, unsealed: 0 });
    const lines = await exported();
    expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(new Set(lines.map(({ detail }) => (detail as { sessions: number }).sessions)).size).toBe(50);
  });

  it("is separate for each instance", async () => {
    await append();
    await append(0, otherId);
    await append();
    expect(await verify(instanceId)).toEqual({ entries: 2, unsealed: 0 });
    expect(await verify(otherId)).toEqual({ entries: 1, unsealed: 0 });
  });

  it("is intact if nothing was ever done", async () => {
    expect(await verify(instanceId)).toEqual({ entries: 0, unsealed: 0 });
  });

  it.each([
    ["actor", "'mallory'"],
    ["event", "'client_removed'"],
    ["at", "at + 1"],
    ["detail", `'{"sessions":7}'`],
    ["hash", "'AAAA'"],
  ])("detects an entry whose %s was changed", async (column, value) => {
    await appendDaily(4);
    await run(`UPDATE audit SET ${column} = ${value} WHERE instance_id = ?1 AND sequence = 2`, instanceId);
    expect((await verify(instanceId)).broken).toMatch(/^entry [23] (was changed|does not follow entry 2)$/);
  });

  it("detects an entry that was changed and hashed again", async () => {
    await appendDaily(3);
    const [first, second] = await exported();
    const what = { event: "sessions_ended", detail: { sessions: 1 } };
    const entry = { instanceId, sequence: 2, at: START + DAY, actor: "mallory", ...what };
    const hash = await hashEntry(entry, String(first?.["hash"]).slice(0, 43));
    expect(hash).not.toBe(second?.["hash"]);
    await run(
      "UPDATE audit SET actor = 'mallory', hash = ?2 WHERE instance_id = ?1 AND sequence = 2",
      instanceId,
      hash,
    );
    expect((await verify(instanceId)).broken).toBe("entry 3 does not follow entry 2");
  });

  /**
   * Does what somebody with only the database can: changes the actor of entry 3 and all hashes from there on, and keeps the
   * MACs.
   */
  async function rewrite() {
    let previous = "";
    for (const line of await exported()) {
      const { sequence, at, event, hash } = line as { sequence: number; at: string; event: string; hash: string };
      const actor = sequence === 3 ? "mallory" : "ada";
      const entry = { instanceId, sequence, at: Date.parse(at) / 1000, actor, event, detail: line["detail"] as object };
      const made = await hashEntry({ ...entry, detail: { ...entry.detail } }, previous);
      await run(
        "UPDATE audit SET actor = ?3, previous_hash = ?4, hash = ?5 WHERE instance_id = ?1 AND sequence = ?2",
        instanceId,
        sequence,
        actor,
        previous,
        `${made}.${hash.split(".")[1]}`,
      );
      previous = made;
    }
  }
  const REWRITTEN = { brokenAt: 3, broken: "entry 3 is sealed by none of the configured master keys" };

  it("detects a log that somebody with only the database rewrote, including every hash", async () => {
    await appendDaily(5);
    await rewrite();
    expect(await verify(instanceId)).toMatchObject(REWRITTEN);
  });

  it("gets no further seal after such a log, because that would prove every entry of it", async () => {
    await appendDaily(5);
    await rewrite();
    await append();
    await log.sealAll();
    expect(await verify(instanceId)).toMatchObject(REWRITTEN);
  });

  it("gets no further seal after forged ones, even if an entry between them has none", async () => {
    await appendDaily(5);
    await rewrite();
    await run("UPDATE audit SET previous_hash = NULL, hash = NULL WHERE instance_id = ?1 AND sequence = 3", instanceId);
    await append();
    expect((await verify(instanceId)).broken).toBe("entry 3 lost its seal");
  });

  it("is not cut after such a log, because the seal of the cut would prove every entry of it", async () => {
    await appendDaily(5);
    await rewrite();
    now += 400 * DAY;
    expect(await retention.trim(instanceId)).toBe(0);
    expect(await verify(instanceId)).toMatchObject(REWRITTEN);
  });

  it("detects an entry that was put before the first", async () => {
    await append();
    await run("INSERT INTO audit SELECT ?1, -7, at, actor, event, detail, proof, '', 'AAAA' FROM audit", instanceId);
    expect((await verify(instanceId)).broken).toBe("entry -7 comes before the first, which is 1");
  });

  it("outlives a master key: one entry sealed with the next key proves all before it", async () => {
    await appendDaily(3);
    const rotated = auditWith(`${NEW_KEY},${KEYS}`);
    expect(await verify(instanceId, rotated.verification)).toEqual({ entries: 3, unsealed: 0 });
    expect((await verify(instanceId, auditWith(NEW_KEY).verification)).brokenAt).toBe(1);
    ({ database, log } = rotated);
    await append();
    ({ database, log, verification } = auditWith(NEW_KEY));
    expect(await verify(instanceId)).toEqual({ entries: 4, unsealed: 0 });
    await append();
    expect(await verify(instanceId)).toEqual({ entries: 5, unsealed: 0 });
    await run("UPDATE audit SET actor = 'mallory' WHERE instance_id = ?1 AND sequence = 2", instanceId);
    expect((await verify(instanceId)).broken).toBe("entry 2 was changed");
  });

  it("is one chain even if two isolates seal with different master keys", async () => {
    const { log: other, verification: either } = auditWith(`${NEW_KEY},${KEYS}`);
    await appendMany(3);
    await run("UPDATE audit SET hash = NULL, previous_hash = NULL WHERE instance_id = ?1", instanceId);
    await Promise.all([log.seal(instanceId), other.seal(instanceId)]);
    await append();
    await other.seal(instanceId);
    expect(await verify(instanceId, either)).toEqual({ entries: 4, unsealed: 0 });
  });

  it("detects an entry that was moved from another instance", async () => {
    await append(0, otherId);
    await run("UPDATE audit SET instance_id = ?1 WHERE instance_id = ?2", instanceId, otherId);
    expect((await verify(instanceId)).broken).toBe("entry 1 was changed");
  });

  it("detects a missing entry in the middle", async () => {
    await appendDaily(4);
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence = 2", instanceId);
    expect((await verify(instanceId)).broken).toBe("after entry 1 comes 3: what was between them is missing");
  });

  it("detects missing first entries that no retention removed", async () => {
    await appendDaily(4);
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 2", instanceId);
    expect((await verify(instanceId)).broken).toBe("the entries before 3 are missing, and no retention removed them");
  });
});

describe("the database's own reading of entries", () => {
  /** A log that keeps 30 days, and whose first entries were removed. */
  async function trimmedLog(): Promise<void> {
    await keep(30);
    await appendDaily(10);
    now += 25 * DAY;
    expect(await retention.trim(instanceId)).toBe(6);
    await append();
  }

  it("finds no removal in a record whose text has the members twice, of which a parser takes the last", async () => {
    await trimmedLog();
    const [, , last] = await exported();
    await run(
      `UPDATE audit SET detail = '{"through":9,"hash":"' || ?2 || '",' || substr(detail, 2)
       WHERE instance_id = ?1 AND event = 'audit_trimmed'`,
      instanceId,
      String(last?.["hash"]).slice(0, 43),
    );
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 9", instanceId);
    expect((await verify(instanceId)).broken).toBe("entry 12 was changed");
  });

  it("finds a removal only in a record whose seal is verified, even if it is half a seal", async () => {
    await appendDaily(3);
    const [, second] = await exported();
    const hash = String(second?.["hash"]).slice(0, 43);
    const before = new Date(now * 1000).toISOString();
    await insert("audit_trimmed", { through: 2, hash, before, keptSeconds: 30 * DAY }, "retention");
    await run("UPDATE audit SET hash = 'A' WHERE instance_id = ?1 AND sequence = 4", instanceId);
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 2", instanceId);
    expect((await verify(instanceId)).broken).toBe("entry 4 does not follow entry 3");
  });

  it("overlooks no decision about retention whose text has a member twice", async () => {
    await keep(30);
    await keep(3650);
    await appendDaily(3);
    now += 100 * DAY;
    await run(
      `UPDATE audit SET detail = replace(detail, '"after":', '"after":null,"after":') WHERE instance_id = ?1 AND sequence = 2`,
      instanceId,
    );
    expect((await verify(instanceId)).broken).toBe("entry 2 was changed");
    expect(await retention.trim(instanceId)).toBe(0);
  });
});

describe("the seal of entries", () => {
  /** Records an entry as an act's own batch does: without a seal. */
  function recorded(sessions: number, instance = instanceId): Promise<unknown> {
    const entry = {
      instanceId: instance,
      at: now,
      actor: "ada",
      event: "sessions_ended",
      detail: { sessions },
    } as const;
    return runBatch(database, [record(database, entry)]);
  }

  it("may be added later, and entries without one are exported and counted", async () => {
    await append();
    await recorded(1);
    expect((await exported())[1]).toMatchObject({ sequence: 2, previousHash: null, hash: null });
    expect(await verify(instanceId)).toEqual({ entries: 2, unsealed: 1 });
    await log.seal(instanceId);
    expect(await verify(instanceId)).toEqual({ entries: 2, unsealed: 0 });
  });

  it("is added with the next act, or for all instances by the scheduled run", async () => {
    await recorded(1);
    await append();
    expect((await verify(instanceId)).unsealed).toBe(0);
    await recorded(2);
    await recorded(3, otherId);
    expect(await log.sealAll()).toBe(2);
    for (const id of [instanceId, otherId]) expect((await verify(id)).unsealed).toBe(0);
    expect(await log.sealAll()).toBe(0);
  });

  it("is the same if ten writers add it at once", async () => {
    for (let each = 0; each < 5; each += 1) await recorded(each);
    await Promise.all(Array.from({ length: 10 }, () => log.seal(instanceId)));
    expect(await verify(instanceId)).toEqual({ entries: 5, unsealed: 0 });
  });

  it("is added to more entries than are read at once", async () => {
    await appendMany(1200);
    expect(await verify(instanceId)).toEqual({ entries: 1200, unsealed: 0 });
  });

  it("is recorded if it comes a day late, so nobody can remove seals and entries and have the rest sealed again unseen", async () => {
    await appendDaily(3);
    await run("UPDATE audit SET previous_hash = NULL, hash = NULL WHERE instance_id = ?1", instanceId);
    await log.seal(instanceId);
    expect((await exported()).at(-1)).toMatchObject({ event: "audit_sealed_late", detail: { from: 1, through: 2 } });
    expect(await verify(instanceId)).toEqual({ entries: 4, unsealed: 0 });
  });

  it.each([
    ["actor", "'mallory'"],
    ["event", "'client_removed'"],
    ["at", "at + 1"],
    ["detail", `'{"sessions":7}'`],
    ["proof", "NULL"],
    ["proof", "substr(proof, 1, 24) || 'sessions' || substr(proof, 24)"],
  ])("is not added to an entry whose %s was changed to %s before", async (column, value) => {
    await append();
    await recorded(1);
    await run(`UPDATE audit SET ${column} = ${value} WHERE instance_id = ?1 AND sequence = 2`, instanceId);
    await log.sealAll();
    await append();
    expect(await verify(instanceId)).toMatchObject({ unsealed: 2, broken: "entry 2 was not recorded by an act" });
  });

  it("is not added to an entry that somebody inserted who has only the database", async () => {
    await append();
    await insert("person_released", { email: "ben@acme.example" });
    expect(await verify(instanceId)).toMatchObject({ broken: "entry 2 was not recorded by an act", brokenAt: 2 });
    await log.sealAll();
    expect(await verify(instanceId)).toMatchObject({ broken: "entry 2 was not recorded by an act" });
  });

  it("is not added to a copy of an entry, of this instance or of another", async () => {
    const copy =
      "INSERT INTO audit SELECT ?1, 2, at, actor, event, detail, proof, NULL, NULL FROM audit WHERE instance_id = ?2";
    for (const from of [instanceId, otherId]) {
      await run("DELETE FROM audit");
      await append();
      await append(0, otherId);
      await run(copy, instanceId, from);
      await log.sealAll();
      expect(await verify(instanceId)).toMatchObject({ unsealed: 1, broken: "entry 2 was not recorded by an act" });
    }
  });

  it("is not added to a copy whose proof was written in another way", async () => {
    await append();
    await run(
      "INSERT INTO audit SELECT ?1, 2, at, actor, event, detail, proof || '.copy', NULL, NULL FROM audit WHERE instance_id = ?1",
      instanceId,
    );
    await log.sealAll();
    expect(await verify(instanceId)).toMatchObject({ unsealed: 1, broken: "entry 2 was not recorded by an act" });
  });

  it.each([
    ["a member without a name", `'{"sessions":1,"":"by mallory"}'`],
    ["a member twice", `'{"sessions":7,"sessions":1}'`],
    ["no details", "'null'"],
    ["details that are no JSON", "'{'"],
  ])("is not added to an entry that got %s", async (_, detail) => {
    await append();
    await recorded(1);
    await run(`UPDATE audit SET detail = ${detail} WHERE instance_id = ?1 AND sequence = 2`, instanceId);
    await log.sealAll();
    expect(await verify(instanceId)).toMatchObject({ unsealed: 1, broken: "entry 2 was not recorded by an act" });
  });

  it("is not added to an entry so old that its original may have been removed", async () => {
    await append();
    await recorded(1);
    now += 31 * DAY;
    await log.seal(instanceId);
    expect(await verify(instanceId)).toMatchObject({ unsealed: 1 });
  });

  it("is reported as lost if it was removed from an entry that others follow", async () => {
    await appendDaily(3);
    await run("UPDATE audit SET previous_hash = NULL, hash = NULL WHERE instance_id = ?1 AND sequence = 2", instanceId);
    expect((await verify(instanceId)).broken).toBe("entry 2 lost its seal");
  });
});

describe("the verification of a long chain", () => {
  const MANY = ENTRIES_PER_CHECK + 100;

  beforeEach(() => appendMany(MANY));

  it("continues from part to part, each with the maximum number of entries", async () => {
    const part = await verification.verifyPart(instanceId, 0);
    expect(part).toEqual({ entries: ENTRIES_PER_CHECK, unsealed: 0, next: ENTRIES_PER_CHECK });
    expect(await verification.verifyPart(instanceId, ENTRIES_PER_CHECK)).toEqual({
      entries: 100,
      unsealed: 0,
      next: null,
    });
    expect(await verify(instanceId)).toEqual({ entries: MANY, unsealed: 0 });
  });

  it("names the first broken link of a later part", async () => {
    await run(
      "UPDATE audit SET previous_hash = 'AAAA' WHERE instance_id = ?1 AND sequence > ?2",
      instanceId,
      ENTRIES_PER_CHECK,
    );
    expect((await verification.verifyPart(instanceId, 0)).broken).toBeUndefined();
    const broken = "entry 2001 does not follow entry 2000";
    expect(await verification.verifyPart(instanceId, ENTRIES_PER_CHECK)).toMatchObject({ broken, next: null });
    expect((await verify(instanceId)).broken).toBe(broken);
  });

  it("continues after entries that retention removed between two parts, and reports those that anybody else removed", async () => {
    now += 9 * DAY;
    await appendMany(50);
    now += 361 * DAY;
    expect(await retention.trim(instanceId)).toBe(MANY);
    expect(await verification.verifyPart(instanceId, ENTRIES_PER_CHECK)).toMatchObject({ entries: 51, next: null });
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence = ?2", instanceId, MANY + 1);
    expect((await verification.verifyPart(instanceId, ENTRIES_PER_CHECK)).broken).toMatch(
      /^the entries before 2102 are missing/,
    );
  });
});

describe("the audit's retention", () => {
  /** A log that keeps 30 days: its decision, ten entries a day apart, and time until five of them are too old. */
  async function dailyLog(): Promise<void> {
    await keep(30);
    await appendDaily(10);
    now += 25 * DAY;
  }

  it("removes older entries, records the cut, and leaves an intact chain", async () => {
    await dailyLog();
    expect(await retention.trim(instanceId)).toBe(6);
    const lines = await exported();
    expect(lines[0]).toMatchObject({ sequence: 7, detail: { sessions: 5 } });
    const cut = { through: 6, keptSeconds: 30 * DAY };
    expect(lines.at(-1)).toMatchObject({ actor: "retention", event: "audit_trimmed", detail: cut });
    expect(await verify(instanceId)).toEqual({ entries: 6, unsealed: 0 });
  });

  it("cuts repeatedly, and also removes its own old records, without forgetting what was decided", async () => {
    await dailyLog();
    for (let day = 0; day < 45; day += 1) {
      await retention.trim(instanceId);
      expect((await verify(instanceId)).broken).toBeUndefined();
      await append();
      now += DAY;
    }
    expect((await exported()).length).toBeLessThan(65);
  });

  it("waits until it can remove a whole day", async () => {
    await append();
    now += 365 * DAY + DAY / 2;
    expect(await retention.trim(instanceId)).toBe(0);
    expect(await exported()).toHaveLength(1);
    now += DAY;
    expect(await retention.trim(instanceId)).toBe(1);
  });

  it("removes nothing of another instance, and nothing that is not old enough", async () => {
    await append(0, otherId);
    await append();
    now += 300 * DAY;
    expect(await retention.trim(instanceId)).toBe(0);
    now += 100 * DAY;
    await retention.trim(instanceId);
    expect(await exported(otherId)).toHaveLength(1);
  });

  it("removes in one run what many sign-ins an hour add, and another instance's entries too", async () => {
    await appendMany(5500);
    await append(0, otherId);
    now += 400 * DAY;
    expect(await retention.trimOverdue()).toBe(5501);
    expect((await exported()).map(({ event }) => event)).toEqual(["audit_trimmed", "audit_trimmed"]);
    expect((await verify(instanceId)).broken).toBeUndefined();
  });

  it("still knows a decision that was sealed with a master key which is gone", async () => {
    await dailyLog();
    ({ database, log } = auditWith(`${NEW_KEY},${KEYS}`));
    await append();
    ({ database, log, retention, verification } = auditWith(NEW_KEY));
    expect(await retention.trim(instanceId)).toBe(6);
    expect((await verify(instanceId)).broken).toBeUndefined();
  });

  it.each([-864_000, 0, 60, 30 * DAY, "soon"])(
    "does not follow the stored settings, which anybody with the database can write: %s",
    async (kept) => {
      await appendDaily(5);
      now += 300 * DAY;
      const settings = "UPDATE instances SET settings = json_set(settings, '$.auditKeptSeconds', ?2) WHERE id = ?1";
      await run(settings, instanceId, kept);
      expect(await retention.trimOverdue()).toBe(0);
      await run("UPDATE instances SET settings = '{}' WHERE id = ?1", instanceId);
    },
  );

  it("never removes what is less than 30 days old, whatever was decided", async () => {
    await keep(-10);
    await appendDaily(5);
    expect(await retention.trimOverdue()).toBe(0);
    now += 28 * DAY;
    expect(await retention.trim(instanceId)).toBe(4);
    expect((await verify(instanceId)).broken).toBeUndefined();
  });

  it("does not follow a decision that no act recorded, and removes nothing after it", async () => {
    await appendDaily(5);
    now += 300 * DAY;
    await insert("settings_changed", { before: {}, after: { auditKeptSeconds: 30 * DAY } });
    await log.sealAll();
    expect(await retention.trimOverdue()).toBe(0);
    await run("UPDATE audit SET previous_hash = 'A', hash = 'A.A' WHERE instance_id = ?1 AND hash IS NULL", instanceId);
    expect(await retention.trimOverdue()).toBe(0);
    expect(await exported()).toHaveLength(6);
  });

  it("is proven wrong if it followed an older decision, while a newer one was missing", async () => {
    await keep(30);
    await appendDaily(2);
    now += 100 * DAY;
    await keep(365);
    await append();
    const newer = await env.DB.prepare("SELECT * FROM audit WHERE instance_id = ?1 AND sequence = 4")
      .bind(instanceId)
      .first();
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence = 4", instanceId);
    expect(await retention.trim(instanceId)).toBe(3);
    const columns = Object.keys(newer ?? {});
    const places = columns.map((_, at) => `?${at + 1}`).join(", ");
    await run(`INSERT INTO audit (${columns.join(", ")}) VALUES (${places})`, ...Object.values(newer ?? {}));
    expect((await verify(instanceId)).broken).toBe("entry 6 records the removal of entries that had to be kept");
  });

  it.each([
    ["was changed", "UPDATE audit SET actor = 'mallory' WHERE instance_id = ?1 AND sequence = 3"],
    ["is missing", "DELETE FROM audit WHERE instance_id = ?1 AND sequence = 3"],
    ["is missing at the beginning", "DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 3"],
    ["lost its seal", "UPDATE audit SET hash = NULL, previous_hash = NULL WHERE instance_id = ?1 AND sequence = 3"],
  ])("does not remove the evidence that an entry %s", async (_what, tampering) => {
    await dailyLog();
    await run(tampering, instanceId);
    now += 400 * DAY;
    expect(await retention.trim(instanceId)).toBe(0);
    expect((await verify(instanceId)).broken).toBeDefined();
  });

  it("does not remove a new entry that somebody dated back", async () => {
    await keep(30);
    await append();
    await run("UPDATE audit SET at = at - ?2 WHERE instance_id = ?1", instanceId, 40 * DAY);
    expect(await retention.trim(instanceId)).toBe(0);
  });

  it.each(["before it is sealed", "after every chance to seal it"])(
    "isn't taken as the reason for somebody else's cut, whose record is correct except for its seal, %s",
    async (when) => {
      await appendDaily(5);
      const hash = String((await exported())[2]?.["hash"]).split(".")[0] ?? "";
      const detail = { through: 3, hash, before: "2020-01-01T00:00:00.000Z", keptSeconds: 365 * DAY };
      await insert("audit_trimmed", detail, "retention");
      if (when !== "before it is sealed") await log.sealAll();
      await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 3", instanceId);
      expect((await verify(instanceId)).broken).toBe("the entries before 4 are missing, and no retention removed them");
    },
  );

  it("isn't taken as the reason for somebody else's cut, whose record is forged", async () => {
    await appendDaily(5);
    const detail = { through: 3, hash: "AAAA", before: "2020-01-01T00:00:00.000Z", keptSeconds: 365 * DAY };
    await put({ instanceId, at: now, actor: "retention", event: "audit_trimmed", detail });
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 3", instanceId);
    expect((await verify(instanceId)).broken).toBe("the entries before 4 are missing, and no retention removed them");
  });

  it("isn't taken as the reason for more than it cut", async () => {
    await dailyLog();
    await retention.trim(instanceId);
    await run("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= 8", instanceId);
    expect((await verify(instanceId)).broken).toBe("the entries before 9 are missing, and no retention removed them");
  });
});

describe("the audit's export", () => {
  it("is JSON lines, oldest first, with what the chain needs, even for more entries than are read at once", async () => {
    const statements = Array.from({ length: 600 }, (_, index) =>
      env.DB.prepare(
        "INSERT INTO audit (instance_id, sequence, at, actor, event, detail, previous_hash, hash) VALUES (?1, ?2, ?3, 'ada', 'sessions_ended', '{}', '', '')",
      ).bind(instanceId, index + 1, START),
    );
    await env.DB.batch(statements);
    const lines: string[] = [];
    for await (const line of log.export(instanceId)) lines.push(line);
    expect(lines).toHaveLength(600);
    expect(lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n"))).toBe(true);
    expect(JSON.parse(lines[599] ?? "")).toEqual({
      sequence: 600,
      at: "2027-01-15T08:00:00.000Z",
      actor: "ada",
      event: "sessions_ended",
      detail: {},
      previousHash: "",
      hash: "",
    });
  });
});
