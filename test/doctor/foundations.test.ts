import type { DeliveryState } from "#audit/audit-delivery.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { checkFoundations, type Foundations } from "#doctor/foundations.ts";
import { describe, expect, it } from "vitest";
import { timeIs } from "../support/time.ts";

const NOW = 1_800_000_000;

const DELIVERED: DeliveryState = {
  receiver: "https://collector.example/",
  hasAuthorization: false,
  deliveredThrough: 7,
  deliveredAt: NOW - 30,
  failures: 0,
  lastError: null,
  nextAt: NOW - 30,
  waiting: 2,
  lagSeconds: 40,
};

const SOUND: Foundations = {
  cache: { echo: async (word) => word },
  keyring: { open: async () => "secret" },
  signingKeys: { isUsable: async () => true },
  maintenance: { last: async () => ({ ranAt: NOW - 600, failed: [] }) },
  auditDelivery: { state: async () => DELIVERED },
};

const POLICY = { instanceId: 1, name: "acme", singleSignOns: [{ sealedClientSecret: "sealed" } as SingleSignOn] };

/** Returns the problems, by check. */
async function complaints(changes: Partial<Foundations> = {}): Promise<Record<string, string>> {
  timeIs(() => NOW);
  const findings = await checkFoundations({ ...SOUND, ...changes }, POLICY);
  const bad = findings.filter(({ verdict }) => verdict !== "ok");
  // Every problem comes with a remedy.
  expect(bad.every(({ remedy }) => (remedy ?? "") !== "")).toBe(true);
  return Object.fromEntries(bad.map(({ check, verdict, meaning }) => [check, `${verdict}: ${meaning}`]));
}

describe("the doctor's checks of the foundations", () => {
  it("find nothing if all is well", async () => {
    expect(await complaints()).toEqual({});
  });

  it("fail if the database does not respond", async () => {
    const down = await complaints({ maintenance: { last: () => Promise.reject(new Error("no D1")) } });
    expect(down["Database (D1)"]).toMatch(/^failed: .*no D1/);
  });

  it("warn if the cache has not yet spread what was written, and fail if it is missing", async () => {
    expect((await complaints({ cache: { echo: async () => null } }))["Cache (KV)"]).toMatch(/^warning/);
    expect((await complaints({ cache: { echo: () => Promise.reject(new Error("no KV")) } }))["Cache (KV)"]).toMatch(
      /^failed/,
    );
  });

  it("fail while the receiver refuses audit entries, and warn if they wait too long", async () => {
    const at = async (state: Partial<DeliveryState>) =>
      (await complaints({ auditDelivery: { state: async () => ({ ...DELIVERED, ...state }) } }))["Audit delivery"];
    expect(await at({ failures: 3, lastError: "the receiver answered 401" })).toMatch(/^failed: .*answered 401/);
    expect(await at({ failures: 1, waiting: 1 })).toMatch(/^failed: The last attempt failed, and 1 entry waits: /);
    expect(await at({ lagSeconds: 1200 })).toMatch(/^warning: 2 entries wait, the oldest for 20 minutes/);
    expect(await complaints({ auditDelivery: { state: async () => null } })).toEqual({});
  });

  it("fail if no configured master key opens the secrets", async () => {
    const closed = () => Promise.reject(new Error("sealed under a master key that is not configured"));
    const found = await complaints({ keyring: { open: closed }, signingKeys: { isUsable: closed } });
    expect(found["Secret of the single sign-on"]).toMatch(/^failed: .*not configured/);
    expect(found["Signing key"]).toMatch(/^failed: .*not configured/);
  });

  it("warn before the first maintenance, and fail if two were missed or one failed in part", async () => {
    const at = (ranAt: number, failed: string[] = []) =>
      complaints({ maintenance: { last: async () => ({ ranAt, failed }) } });
    expect((await complaints({ maintenance: { last: async () => null } }))["Hourly maintenance"]).toMatch(/^warning/);
    expect(await at(NOW - 2 * 3600)).toEqual({});
    expect((await at(NOW - 3 * 3600))["Hourly maintenance"]).toMatch(/^failed: It last ran 180 minutes ago/);
    expect((await at(NOW, ["audit"]))["Hourly maintenance"]).toMatch(/^failed: .*audit/);
  });
});
