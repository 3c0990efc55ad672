import type { InstanceRecord } from "#instance/instances.ts";
import { parseSettings } from "#settings/settings.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

const ROUNDS = 20;

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

/** Makes several changes at once, each in an isolate that knows nothing of the others. */
function atOnce(...changes: Record<string, unknown>[]) {
  return Promise.all(
    changes.map((change, index) =>
      servicesOf({ ...env })
        .administrationOf(instance, `administrator ${index}`)
        .settings.change(change),
    ),
  );
}

async function stored() {
  return parseSettings((await servicesOf(env).instances.require(instance.name)).settings);
}

async function entries() {
  return auditEntries(instance, "settings_changed");
}

describe("settings that several administrators change at once", () => {
  it("get all of the changes, in each of twenty rounds", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const oauthEnabled = round % 2 === 1;
      await atOnce({ oauthEnabled }, { displayName: `Round ${round}` }, { supportContact: `r${round}@acme.example` });
      expect(await stored()).toMatchObject({
        oauthEnabled,
        displayName: `Round ${round}`,
        supportContact: `r${round}@acme.example`,
      });
    }
  });

  it("are recorded as they really changed: each entry starts from the result of the one before", async () => {
    const values = new Map<string, unknown>();
    for (const { detail } of (await entries()).toReversed()) {
      const { before, after } = detail as { before: Record<string, unknown>; after: Record<string, unknown> };
      for (const [name, value] of Object.entries(before)) if (values.has(name)) expect(values.get(name)).toEqual(value);
      for (const [name, value] of Object.entries(after)) values.set(name, value);
    }
    const now: Record<string, unknown> = { ...(await stored()) };
    for (const [name, value] of values) expect(now[name]).toEqual(value);
  });

  it("leave no entry if they stay the same", async () => {
    const before = (await entries()).length;
    const { oauthEnabled } = await stored();
    await atOnce({ oauthEnabled }, {});
    expect(await entries()).toHaveLength(before);
  });
});

describe("stored settings", () => {
  it.each(["toString", "constructor", "__proto__"])("never include %s, which every object has", async (name) => {
    const changes = JSON.parse(`{"displayName":"Inherited","${name}":[[1]]}`) as Record<string, unknown>;
    await expect(atOnce(changes)).rejects.toThrow(`There is no setting ${name}`);
  });

  it("are refused with a message about the setting, not about the schema", async () => {
    await expect(atOnce({ appRequirements: "par,dpop" })).rejects.toThrow(
      'appRequirements is not acceptable: expected Array but received "par,dpop"',
    );
  });

  it("contain only what the schema knows: the next change removes anything else", async () => {
    const { id, name } = instance;
    await env.DB.prepare("UPDATE instances SET settings = json_set(settings, '$.gone', 1) WHERE id = ?1")
      .bind(id)
      .run();
    await atOnce({ displayName: "Parsed", supportContact: undefined });
    const { settings } = await servicesOf(env).instances.require(name);
    expect(settings).toMatchObject({ displayName: "Parsed" });
    expect(Object.keys(settings)).not.toContain("gone");
    expect(Object.keys(settings)).not.toContain("grantIdleSeconds");
  });
});
