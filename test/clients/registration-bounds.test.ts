import { register as registerClient } from "#authorization-server/registration/register-client.ts";
import { D1Clients } from "#clients/clients.d1.ts";
import { D1Registrations } from "#clients/registrations.d1.ts";
import { UNDISTURBED_SECONDS, UNUSED_PER_CALLER, UNUSED_PER_INSTANCE } from "#clients/registrations.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { epochSeconds } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { register } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { exhaust } from "../support/rate-limits.ts";
import { timeIs } from "../support/time.ts";
import { changeSettings, makeInstance, ORIGIN, policyOf } from "../support/world.ts";

const REDIRECT_URI = "https://claude.ai/api/mcp/auth_callback";
const METADATA = { client_name: "Claude", redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
const EGRESS = "160.79.104.10";

let instance: InstanceRecord;
let now: number;
let instances = 0;

beforeEach(async () => {
  instances += 1;
  instance = await makeInstance(`bounds-${instances}`);
  now = epochSeconds();
  timeIs(() => now);
});

/** Registers a client at the tests' current time and returns its id. */
async function registerFrom(caller: string | undefined, metadata: Record<string, unknown> = METADATA): Promise<string> {
  const at = { issuer: ORIGIN, policy: await policyOf(instance) };
  return (await registerClient({ registrations: store() }, at, metadata, caller)).client.id;
}

function store(): D1Registrations {
  return new D1Registrations(env.DB, () => []);
}

function exists(id: string): Promise<boolean> {
  return new D1Clients(env.DB).findEnabled(instance.id, id).then((client) => client !== null);
}

async function count(): Promise<number> {
  const sql = "SELECT count(*) AS n FROM clients WHERE instance_id = ?1";
  return (await env.DB.prepare(sql).bind(instance.id).first<number>("n")) ?? 0;
}

/** Adds this many registrations from `caller`, or from many networks, at the tests' current time. */
async function fill(rows: number, caller: string | null): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, caller, created_at, changed_at)
     SELECT 'filled-' || ?2 || '-' || ?3 || '-' || i, ?2, 'dynamic', 'x' || i, 'x', '[]', '[]', 'none', COALESCE(?4, 'network ' || (i / 400)), ?3, ?3 FROM n`,
  )
    .bind(rows, instance.id, now, caller)
    .run();
}

describe("what anybody can store by registering", () => {
  it("is limited for each network of callers, whatever it registers, without affecting others", async () => {
    await fill(UNUSED_PER_CALLER - 3, "2001:db8::/64");
    for (let index = 0; index < 3; index += 1) {
      await registerFrom("2001:db8::/64", { ...METADATA, client_name: `App ${index}` });
    }
    const refused = registerFrom("2001:db8::/64", { ...METADATA, client_name: "One more" });
    await expect(refused).rejects.toMatchObject({ code: "slow_down", retryAfterSeconds: 600 });
    expect(await count()).toBe(UNUSED_PER_CALLER);
    await registerFrom("2001:db8:0:1::/64");
    await registerFrom(undefined);
  });

  it("is limited for all addresses of an IPv6 /64 together: 429 with Retry-After", async () => {
    await fill(UNUSED_PER_CALLER, "2001:db8:5::/64");
    const origin = `http://${instance.name}.localhost`;
    for (const address of ["2001:db8:5::1", "2001:db8:5::ffff:ffff:ffff:ffff"]) {
      const answer = await register(METADATA, origin, address);
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([429, "600"]);
    }
    expect((await register(METADATA, origin, "2001:db8:5:1::1")).status).toBe(201);
  });

  it("is rate limited for all addresses of a /64 together", async () => {
    let host = 0;
    const { before, after } = await exhaust("RATE_LIMIT_60", () =>
      register(METADATA, `http://${instance.name}.localhost`, `2001:db8:6::${((host += 1)).toString(16)}`),
    );
    expect([before.status, after.status]).toEqual([201, 429]);
  });

  it("is limited for the instance, however many networks the registrations come from", async () => {
    await fill(UNUSED_PER_INSTANCE, null);
    await expect(registerFrom("198.51.100.1")).rejects.toMatchObject({ code: "slow_down" });
    now += UNDISTURBED_SECONDS;
    await registerFrom("198.51.100.1");
    expect(await count()).toBe(UNUSED_PER_INSTANCE);
  });

  it("doesn't exceed the limit if registrations compete for the last place", async () => {
    await fill(UNUSED_PER_CALLER - 1, EGRESS);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => registerFrom(EGRESS)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is deleted in batches after a week if nobody used it", async () => {
    await fill(4500, null);
    const used = await registerFrom(EGRESS);
    await env.DB.prepare("UPDATE clients SET last_authorized_at = ?2 WHERE id = ?1").bind(used, now).run();
    const sizes: number[] = [];
    const sweep = async (rowsMax: number) => {
      const deleted = await store().sweep(now + 1, rowsMax);
      sizes.push(deleted);
      return deleted;
    };
    expect(await inBatches(sweep)).toBeGreaterThanOrEqual(4500);
    expect(Math.max(...sizes)).toBe(2000);
    expect([await count(), await exists(used)]).toEqual([1, true]);
  });
});

describe("people behind the servers of a host that registers again for each of them", () => {
  it("can all connect: 200 in an hour, and nobody's registration is removed within the hour", async () => {
    const ids: string[] = [];
    for (let person = 0; person < 200; person += 1) {
      ids.push(await registerFrom(EGRESS));
      now += 18;
    }
    expect(await Promise.all(ids.map(exists))).toEqual(ids.map(() => true));
  });

  it("can register again once others' attempts are an hour old: the oldest one is removed", async () => {
    const oldest = await registerFrom(EGRESS);
    now += 1;
    const older = await registerFrom(EGRESS);
    await fill(UNUSED_PER_CALLER - 2, EGRESS);
    now += UNDISTURBED_SECONDS - 2;
    await expect(registerFrom(EGRESS)).rejects.toMatchObject({ code: "slow_down" });
    now += 1;
    const newest = await registerFrom(EGRESS);
    expect([await exists(oldest), await exists(older), await exists(newest)]).toEqual([false, true, true]);
  });

  it("don't count towards the limit after they have allowed the app", async () => {
    await fill(UNUSED_PER_CALLER, EGRESS);
    await env.DB.prepare("UPDATE clients SET last_authorized_at = ?2 WHERE instance_id = ?1")
      .bind(instance.id, now)
      .run();
    await registerFrom(EGRESS);
    expect(await count()).toBe(UNUSED_PER_CALLER + 1);
  });

  it.each(["that waits for an administrator", "with a sign-in under way"])(
    "keep a registration %s, however old it is",
    async (state) => {
      await changeSettings(instance.name, { registration: state.includes("administrator") ? "approval" : "open" });
      const kept = await registerFrom(EGRESS);
      if (state.includes("sign-in")) await signIn(kept);
      await changeSettings(instance.name, { registration: "open" });
      now += 1;
      await fill(UNUSED_PER_CALLER - 1, EGRESS);
      now += UNDISTURBED_SECONDS;
      await expect(registerFrom(EGRESS)).rejects.toMatchObject({ code: "slow_down" });
      expect(await exists(kept)).toBe(true);
    },
  );
});

/** Adds a sign-in for this app that is waiting at the SSO. */
async function signIn(clientId: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO authorization_requests (handle_hash, instance_id, stage, browser_hash, client_id, request, expires_at)
     VALUES (?1, ?2, 'sign-in', '', ?1, '{}', ?3)`,
  )
    .bind(clientId, instance.id, now + 2 * UNDISTURBED_SECONDS)
    .run();
}
