import { AuditDelivery } from "#audit/audit-delivery.ts";
import { D1AuditDeliveries } from "#audit/audit-delivery.d1.ts";
import { record } from "#audit/audited-store.sql.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { D1Audit } from "#audit/audit.d1.ts";
import { Keyring } from "#crypto/keyring.ts";
import { generateSigningKey, importSigningKey } from "#crypto/signing-key.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { runBatch } from "#platform/d1.ts";
import { servicesOf } from "#services.ts";
import { importJWK } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { audited } from "../support/audited.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";
import { changeSettings } from "../support/world.ts";

const RECEIVER = "https://collector.example/gatehouse";
const HOUR = 3600;
const keyring = new Keyring(env.MASTER_KEYS);

/**
 * The receiver's next responses; after them, it responds 200. A number is a status, a text the error that ends the
 * connection.
 */
let answers: (number | string)[];
/** The sequence numbers in each request that the receiver accepted. */
let taken: number[][];
/** Responds to requests. */
let answering: (url: string, init: RequestInit) => Promise<Response>;
let requests: { readonly url: string; readonly init: RequestInit }[];
let now: number;
let instance: InstanceRecord;
let delivery: AuditDelivery;
let key: Awaited<ReturnType<typeof generateSigningKey>>;

beforeAll(async () => {
  instance = await createInstance(servicesOf(env), "pushed", "test");
  await changeSettings("pushed", { auditReceiver: RECEIVER });
  key = await generateSigningKey();
});

beforeEach(async () => {
  await env.DB.batch(["DELETE FROM audit", "DELETE FROM audit_deliveries"].map((sql) => env.DB.prepare(sql)));
  [answers, taken, requests] = [[], [], []];
  now = 1_800_000_000;
  timeIs(() => now);
  answering = receive;
  delivery = makeDelivery();
});

/** Makes the delivery of a new isolate, which knows only what is in the database. */
function makeDelivery(): AuditDelivery {
  return new AuditDelivery(new D1AuditDeliveries(audited()), {
    entries: new D1Audit(audited()),
    keyOf: () => importSigningKey(key.kid, key.privateJwk),
    keyring,
    fetch: (url, init = {}) => answering(url, init),
    service: "Gatehouse",
  });
}

function bodyOf({ body }: RequestInit): string {
  if (typeof body !== "string") throw new Error("the body is no text");
  return body;
}

function receive(url: string, init: RequestInit): Promise<Response> {
  requests.push({ url, init });
  const answer = answers.shift() ?? 200;
  if (typeof answer === "string") return Promise.reject(new Error(answer));
  if (answer === 200) {
    const lines = bodyOf(init).trimEnd().split("\n");
    taken.push(lines.map((line) => (JSON.parse(line) as { metadata: { sequence: number } }).metadata.sequence));
  }
  return Promise.resolve(new Response(null, { status: answer }));
}

async function append(entries: number, isSealed = true): Promise<void> {
  for (let each = 0; each < entries; each += 1) {
    const detail = { sessions: each };
    const entry = { instanceId: instance.id, at: now, actor: "ada", event: "sessions_ended", detail } as const;
    await runBatch(env.DB, [record(audited(), entry)]);
  }
  if (isSealed) await new AuditLog(new D1Audit(audited()), keyring).seal(instance.id);
}

describe("the delivery of audit entries", () => {
  it("sends sealed entries once, in order, and new ones with the next run", async () => {
    await append(3);
    expect(await delivery.run()).toBe(3);
    expect(await delivery.run()).toBe(0);
    await append(2);
    expect(await makeDelivery().run()).toBe(2);
    expect(taken).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(await delivery.state(instance.id)).toMatchObject({ deliveredThrough: 5, failures: 0, lastError: null });
  });

  it("waits for an entry's seal", async () => {
    await append(1);
    await append(1, false);
    await delivery.run();
    expect(taken).toEqual([[1]]);
  });

  it.each([429, 500, 302, 404, "the receiver hung up"])("loses nothing if the receiver fails: %s", async (answer) => {
    await append(3);
    answers = [answer, answer];
    expect(await delivery.run()).toBe(0);
    expect(await delivery.state(instance.id)).toMatchObject({ deliveredThrough: 0, failures: 1 });
    now += HOUR;
    await delivery.run();
    expect(await delivery.state(instance.id)).toMatchObject({ deliveredThrough: 0, failures: 2 });
    now += HOUR;
    expect(await makeDelivery().run()).toBe(3);
    expect(taken).toEqual([[1, 2, 3]]);
    expect(await delivery.state(instance.id)).toMatchObject({ failures: 0, lastError: null });
  });

  it("retries a failing receiver less and less often, but at least every hour", async () => {
    await append(1);
    answers = Array.from({ length: 100 }, () => 503);
    for (let minute = 0; minute < 6 * 60; minute += 1, now += 60) await delivery.run();
    // After 0, 1, 3, 7, 15, 31 and 63 minutes, then each hour.
    expect(requests.length).toBe(11);
  });

  it("continues with the batch at which a run was cut off, and repeats none that was taken", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO audit SELECT ?1, i, ?2, 'ada', 'sessions_ended', '{"sessions":1}', NULL, 'p', 'h.m' FROM n`,
    )
      .bind(instance.id, now)
      .run();
    answers = [200, "the run was cut off"];
    await delivery.run();
    expect((await delivery.state(instance.id))?.deliveredThrough).toBe(500);
    now += HOUR;
    await makeDelivery().run();
    expect(taken.map((batch) => [batch[0], batch.at(-1)])).toEqual([
      [1, 500],
      [501, 1000],
      [1001, 1200],
    ]);
  });

  it("keeps no instance waiting for another's receiver", async () => {
    const other = await createInstance(servicesOf(env), "pushed-too", "test");
    await changeSettings(other.name, { auditReceiver: "https://other.example/" });
    await append(1);
    const hosts: string[] = [];
    const bothAsked = new Promise<void>((resolve) => {
      answering = async (url) => {
        hosts.push(new URL(url).host);
        if (hosts.length === 2) resolve();
        await Promise.race([bothAsked, scheduler.wait(2000)]);
        return new Response(null, { status: hosts.length === 2 ? 200 : 500 });
      };
    });
    await delivery.run();
    expect(hosts.sort()).toEqual(["collector.example", "other.example"]);
    for (const { id } of [instance, other]) expect(await delivery.state(id)).toMatchObject({ failures: 0 });
    await env.DB.prepare("UPDATE instances SET settings = '{}' WHERE id = ?1").bind(other.id).run();
  });

  it("never moves its position back, whichever of two runs is behind", async () => {
    const store = new D1AuditDeliveries(audited());
    await store.noteDelivered(instance.id, 10, now, now);
    await store.noteDelivered(instance.id, 5, now, now);
    expect((await store.state(instance.id))?.deliveredThrough).toBe(10);
  });

  it("sends each entry once if several runs start at once", async () => {
    await append(1);
    await delivery.run();
    await append(3);
    const isolates = [makeDelivery(), makeDelivery(), makeDelivery()];
    expect((await Promise.all(isolates.map((isolate) => isolate.run()))).toSorted((one, other) => one - other)).toEqual(
      [0, 0, 3],
    );
    expect(taken).toEqual([[1], [2, 3, 4]]);
  });

  it("is continued by another run after the run that claimed it died", async () => {
    await append(1);
    await new D1AuditDeliveries(audited()).claim(now, now + 300);
    expect(await delivery.run()).toBe(0);
    now += 300;
    expect(await makeDelivery().run()).toBe(1);
  });

  it("is tried immediately for one instance if an administrator asks, despite the wait", async () => {
    await append(1);
    answers = [503];
    await delivery.run();
    expect([await delivery.run(), requests.length]).toEqual([0, 1]);
    await delivery.deliverNow(instance.id + 1);
    expect(requests.length).toBe(1);
    await delivery.deliverNow(instance.id);
    expect(await delivery.state(instance.id)).toMatchObject({ waiting: 0, failures: 0, lastError: null });
  });

  it("reports how many entries wait, and for how long", async () => {
    expect(await delivery.state(instance.id)).toMatchObject({ receiver: RECEIVER, waiting: 0, lagSeconds: 0 });
    await append(2);
    now += 90;
    await append(1);
    expect(await delivery.state(instance.id)).toMatchObject({ waiting: 3, lagSeconds: 90 });
    await delivery.run();
    expect(await delivery.state(instance.id)).toMatchObject({ deliveredThrough: 3, waiting: 0, lagSeconds: 0 });
  });

  describe("to a receiver that needs a token", () => {
    const authorize = (authorization: string | null) =>
      servicesOf(env).administrationOf(instance, "ada").audit.authorizeReceiver(authorization);
    const sentAuthorization = () => new Headers(requests.at(-1)?.init.headers).get("Authorization");
    const TOKEN = "Splunk 8d6c1b0e-collector";

    it("sends its Authorization header with the signature, and stores and shows it nowhere in plain text", async () => {
      await authorize(TOKEN);
      await delivery.run();
      expect(sentAuthorization()).toBe(TOKEN);
      expect(new Headers(requests[0]?.init.headers).get("Signature")).toMatch(/^audit=:/);
      const state = await delivery.state(instance.id);
      expect(state).toMatchObject({ hasAuthorization: true });
      const rows = await env.DB.prepare("SELECT * FROM audit, audit_deliveries").all();
      expect(JSON.stringify([state, rows.results])).not.toContain("8d6c1b0e");
      expect(await authorize(null)).toBe(true);
      expect(await authorize(null)).toBe(false);
      await append(1);
      await delivery.run();
      expect(sentAuthorization()).toBeNull();
    });

    it("never sends the header that was entered for another URL", async () => {
      await authorize(TOKEN);
      await changeSettings("pushed", { auditReceiver: "https://another.example/" });
      await delivery.run();
      expect(requests.at(-1)?.url).toBe("https://another.example/");
      expect(sentAuthorization()).toBeNull();
      // Somebody with only the database claims that the header was entered for that URL, but it can't be decrypted.
      await env.DB.prepare("UPDATE audit_deliveries SET authorization_for = 'https://another.example/'").run();
      await append(1);
      const sent = requests.length;
      await delivery.run();
      expect(requests).toHaveLength(sent);
      await changeSettings("pushed", { auditReceiver: RECEIVER });
    });

    it("is tried immediately with a new header, despite the wait", async () => {
      await append(1);
      answers = [401];
      await delivery.run();
      await authorize(TOKEN);
      expect(await delivery.run()).toBeGreaterThan(0);
      expect(sentAuthorization()).toBe(TOKEN);
    });

    it("refuses a header that could be guessed or isn't valid", async () => {
      for (const wrong of ["Bearer x", "Bearer two\nlines-and-more-of-it", " ".repeat(20)]) {
        await expect(authorize(wrong)).rejects.toThrow("printable characters");
      }
    });
  });

  it("signs the body and the URL (RFC 9421) with a key from the instance's key set", async () => {
    await append(1);
    await delivery.run();
    const [{ url, init } = { url: "", init: {} }] = requests;
    const headers = new Headers(init.headers);
    const input = (headers.get("Signature-Input") ?? "").replace(/^audit=/, "");
    expect(input).toContain(`;created=${now};keyid="${key.kid}";alg="ecdsa-p256-sha256"`);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bodyOf(init)));
    expect(headers.get("Content-Digest")).toBe(`sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:`);
    const base = `"@method": POST\n"@target-uri": ${url}\n"content-type": application/x-ndjson\n"content-digest": ${headers.get("Content-Digest")}\n"@signature-params": ${input}`;
    const publicKey = await importJWK(key.publicJwk, "ES256");
    const signature = /^audit=:(.+):$/.exec(headers.get("Signature") ?? "")?.[1] ?? "";
    const holds = (text: string) =>
      crypto.subtle.verify(
        { name: "ECDSA", hash: "SHA-256" },
        publicKey as CryptoKey,
        Uint8Array.from(atob(signature), (character) => character.charCodeAt(0)),
        new TextEncoder().encode(text),
      );
    expect(await holds(base)).toBe(true);
    expect(await holds(base.replace(RECEIVER, "https://elsewhere.example/"))).toBe(false);
  });

  it("accepts only https URLs", async () => {
    await expect(changeSettings("pushed", { auditReceiver: "http://collector.example/" })).rejects.toThrow("https URL");
  });
});
