import { Alerts } from "#doctor/alerts.ts";
import { D1Alerts } from "#doctor/alerts.d1.ts";
import { generateSigningKey, importSigningKey } from "#crypto/signing-key.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { failed, type Finding } from "#platform/finding.ts";
import { servicesOf } from "#services.ts";
import { beforeEach, describe, expect, inject, it, vi } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";
import { addSso, changeSettings, connectSso } from "../support/world.ts";

const RECEIVER = "https://hooks.example/gatehouse";
const DEAD = "https://dead.example/";
const DAY = 86_400;

interface Message {
  readonly instance: string;
  readonly text: string;
  readonly alerts: readonly { readonly kind: string; readonly text: string }[];
}

let count = 0;
let instance: InstanceRecord;
/** The requests that the receiver got. */
let got: { readonly url: string; readonly init: RequestInit }[];
let mails: { readonly from: string; readonly to: string; readonly subject: string; readonly text: string }[];
let status: number;
let now: number;
/** What is the case in the instance. */
let world: { waiting: number; refusals: number[]; expiring: { createdAt: number; expiresAt: number }[] };
let signIn: readonly Finding[];
let brokenAt: number | undefined;
let verified: number[];
/** The redirect URIs with which connections were tested. */
let callbacks: string[];

beforeEach(async () => {
  const services = servicesOf(env);
  if (instance !== undefined) await changeSettings(instance.name, { alertReceiver: undefined });
  await createInstance(services, `told${++count}`, "test");
  await changeSettings(`told${count}`, { alertReceiver: RECEIVER, displayName: "Acme" });
  instance = await services.instances.require(`told${count}`);
  [got, mails, status, now] = [[], [], 200, 1_800_000_000];
  world = { waiting: 0, refusals: [], expiring: [] };
  [signIn, brokenAt, verified, callbacks] = [[], undefined, [], []];
});

/** Runs the hourly task. @returns the kinds that were told */
async function run(bindings: object = {}): Promise<string[]> {
  const { privateJwk, kid } = await generateSigningKey();
  const before = got.length;
  const { instances } = servicesOf(env);
  const parts = {
    store: new D1Alerts(env.DB),
    instances,
    connectionCheck: {
      check: (_instance: unknown, _sso: unknown, callback: string) => {
        callbacks.push(callback);
        return Promise.resolve(signIn);
      },
    },
    auditVerification: {
      verifyPart: (_id: number, after: number) => {
        verified.push(after);
        const next = after === 0 ? 2000 : null;
        return Promise.resolve({ entries: 1, unsealed: 0, next, ...(brokenAt === undefined ? {} : { brokenAt }) });
      },
    },
    clientDirectory: { list: () => Promise.resolve({ items: [], total: world.waiting }) },
    documents: { stats: () => Promise.reject(new Error("documents don't answer")) },
    issuedTokens: { list: () => Promise.resolve({ items: world.expiring }) },
    signingKeys: { list: () => Promise.resolve([]) },
    usage: { overview: () => Promise.resolve({ days: world.refusals.map((refusals) => ({ refusals })) }) },
    keyOf: () => importSigningKey(kid, privateJwk),
    fetch: (url: string, init: RequestInit = {}) => {
      got.push({ url, init });
      return Promise.resolve(new Response(null, { status: url === DEAD ? 500 : status }));
    },
    bindings: { ...env, INSTANCE_HOST: "{instance}-be.example.com", ...bindings },
  };
  timeIs(() => now);
  await new Alerts(parts as unknown as ConstructorParameters<typeof Alerts>[0]).run();
  return got.slice(before).flatMap(({ init }) => messageIn(init).alerts.map(({ kind }) => kind));
}

function messageIn({ body }: RequestInit): Message {
  return JSON.parse(typeof body === "string" ? body : "{}") as Message;
}

describe("alerts to administrators", () => {
  it("begin with a message that shows that the receiver works, signed like deliveries of the audit", async () => {
    expect(await run()).toEqual(["started"]);
    expect(await run()).toEqual([]);
    const headers = new Headers(got[0]?.init.headers);
    expect([got[0]?.url, headers.get("Content-Type")]).toEqual([RECEIVER, "application/json"]);
    expect(headers.get("Signature-Input")).toContain('"content-digest"');
  });

  it("tell each thing once, and again when there is more of it", async () => {
    await run();
    world.waiting = 1;
    expect(await run()).toEqual(["appsWaiting"]);
    expect(await run()).toEqual([]);
    world.waiting = 2;
    expect(await run()).toEqual(["appsWaiting"]);
    world.waiting = 0;
    expect(await run()).toEqual([]);
    world.waiting = 1;
    expect(await run()).toEqual(["appsWaiting"]);
    const { text, instance: name } = messageIn(got.at(-1)?.init ?? {});
    expect(name).toBe(instance.name);
    expect(text).toBe(
      `Acme on Gatehouse:\nApps that wait for approval: 1. https://${name}-be.example.com/admin/clients?state=waiting`,
    );
  });

  it("tell that tokens expire, except those for a few days, that refusals rise, and that the SSO fails", async () => {
    await run();
    await connectSso(instance);
    world.expiring = [{ createdAt: now - DAY, expiresAt: now + DAY }];
    expect(await run()).toEqual([]);
    world.expiring = [{ createdAt: now - 80 * DAY, expiresAt: now + DAY }];
    world.refusals = [5, 5, 60];
    signIn = [failed("Client id and secret", "The SSO refuses the client.", "Check it")];
    expect(await run()).toEqual(["tokensExpiring", "refusalsRisen", "signInFails"]);
    expect(await run()).toEqual([]);
    signIn = [];
    now += DAY;
    expect(await run()).toEqual(["refusalsRisen"]);
  });

  it("verify the audit part by part, and tell once that it is damaged", async () => {
    await run();
    await run();
    await run();
    expect(verified).toEqual([0, 2000, 0]);
    brokenAt = 17;
    expect(await run()).toEqual(["auditBroken"]);
    expect(messageIn(got.at(-1)?.init ?? {}).text).toContain("from entry 17 on");
    brokenAt = undefined;
    expect(await run()).toEqual([]);
    brokenAt = 17;
    expect(await run()).toEqual([]);
  });

  it("are sent again if the receiver refused them, and tell another receiver everything", async () => {
    world.waiting = 1;
    status = 500;
    await run();
    status = 200;
    expect(await run()).toEqual(["started", "appsWaiting"]);
    await changeSettings(instance.name, { alertReceiver: "https://elsewhere.example/" });
    expect(await run()).toEqual(["started", "appsWaiting"]);
  });

  it("wait for no receivers that fail, however many", async () => {
    await env.DB.prepare(
      `INSERT INTO instances (id, name, settings, documents, created_at)
       SELECT 7000 + value, 'dead' || value, json_object('alertReceiver', ?1), documents, 0
       FROM instances, json_each(?3) WHERE name = ?2`,
    )
      .bind(DEAD, instance.name, JSON.stringify(Array.from({ length: 50 }, (_, index) => index)))
      .run();
    await run();
    const { length } = got;
    await run();
    await env.DB.exec("UPDATE instances SET settings = '{}' WHERE name GLOB 'dead*'");
    expect(length).toBe(50);
    expect(got.slice(length).map(({ url }) => url)).toContain(RECEIVER);
  });

  it("test each single sign-on with its own redirect URI", async () => {
    await addSso(instance, inject("sso").issuer, "https://spare.example");
    await run();
    const callback = `https://${instance.name}-be.example.com/oauth/callback`;
    expect(callbacks).toEqual([callback, `${callback}/2`]);
  });

  it("go to an email address if the deployment can send email", async () => {
    await changeSettings(instance.name, { alertReceiver: "ops@acme.example" });
    await run();
    expect(mails).toEqual([]);
    const EMAIL = { send: (mail: (typeof mails)[number]) => Promise.resolve(void mails.push(mail)) };
    await run({ EMAIL, ALERT_SENDER: "gatehouse@example.com" });
    await run({ EMAIL, ALERT_SENDER: "gatehouse@example.com" });
    expect(mails).toEqual([
      {
        from: "gatehouse@example.com",
        to: "ops@acme.example",
        subject: "Gatehouse: Acme needs your attention",
        text: "Acme on Gatehouse:\nFrom now on, messages like this one come here.",
      },
    ]);
    expect(got).toEqual([]);
  });

  it("are sent by the hourly trigger, from what is the case in the instance", async () => {
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      got.push({ url, init });
      return Promise.resolve(new Response(null, { status }));
    });
    await servicesOf(env).eachHour();
    vi.unstubAllGlobals();
    expect(got.map(({ url, init }) => [url, messageIn(init).alerts.map(({ kind }) => kind)])).toEqual([
      [RECEIVER, ["started"]],
    ]);
  });

  it("are off without a receiver, and read nothing then but the instances", async () => {
    await changeSettings(instance.name, { alertReceiver: undefined });
    world.waiting = 1;
    expect(await run()).toEqual([]);
    expect(verified).toEqual([]);
  });

  it.each(["http://hooks.example/", "ftp://hooks.example/", "not an address", "https://user@hooks.example/"])(
    "can't be sent to %s",
    async (alertReceiver) => {
      await expect(changeSettings(instance.name, { alertReceiver })).rejects.toThrow("alertReceiver");
    },
  );
});
