import type { InstanceRecord } from "#instance/instances.ts";
import { SINGLE_SIGN_ONS_MAX } from "#single-sign-on/connection.ts";
import { servicesOf } from "#services.ts";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { env } from "../support/isolate.ts";
import { addSso, connectionTo, connectSso, makeInstance } from "../support/world.ts";

const OTHER = "https://other-sso.example";
const FIRST = () => inject("sso").issuer;

let instance: InstanceRecord;
let names = 0;

beforeEach(async () => {
  names += 1;
  instance = await makeInstance(`ssos-${names}`);
});

const acts = () => servicesOf(env).administrationOf(instance, "test").singleSignOn;
const stored = async () => (await servicesOf(env).instances.require(instance.name)).singleSignOns;

/** Adds somebody who signed in at an issuer. */
async function addPerson(email: string, issuer: string, role: string | null): Promise<void> {
  const sql = `INSERT INTO people (id, instance_id, sso_issuer, sso_subject, email, name, created_at, role)
    VALUES (?1, ?2, ?3, ?1, ?4, ?4, 0, ?5)`;
  await env.DB.prepare(sql).bind(crypto.randomUUID(), instance.id, issuer, email, role).run();
}

describe("a second single sign-on", () => {
  it("has its own secret, number, groups and domains, and leaves the first as it is", async () => {
    await addSso(instance, FIRST(), OTHER, { emailDomains: ["@Other.Example", "other.example"] });
    const [first, second] = await stored();
    expect(first).not.toHaveProperty("number");
    expect(first).not.toHaveProperty("groupsMeetDirectory");
    expect(second).toMatchObject({
      issuer: OTHER,
      number: 2,
      groupsMeetDirectory: false,
      emailDomains: ["other.example"],
    });
    expect(second?.sealedClientSecret).not.toBe(first?.sealedClientSecret);
    // What a change leaves out never makes its groups the directory's.
    await acts().connect(connectionTo(OTHER, { emailDomains: ["other.example"], label: "Other" }));
    expect((await stored())[1]).toMatchObject({ number: 2, groupsMeetDirectory: false, label: "Other" });
    expect((await stored())[0]).toEqual(first);
  });

  it("needs the domains of the first, too", async () => {
    const other = connectionTo(OTHER, { emailDomains: ["other.example"] });
    await expect(acts().put(other)).rejects.toThrow(/First enter the email domains of localhost/);
    await addSso(instance, FIRST(), OTHER);
    await expect(acts().connect(connectionTo(FIRST()))).rejects.toThrow(/each needs its own/);
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ["none", []],
    ["one of the first", ["other.example", "acme.example"]],
    ["one of the first in capitals", ["ACME.example"]],
    ["one of the first with @", ["@acme.example"]],
    ["one with a dot at its end", ["acme.example."]],
    ["one without a dot", ["example"]],
    ["one with an empty label", ["other..example"]],
    ["a whole address", ["ben@other.example"]],
    ["one that reads as ASCII", ["o\u212Aher.example"]],
    ["a host that is written in another way", ["bücher.example"]],
    ["a path", ["other.example/x"]],
  ])("is refused with these domains: %s", async (_which, emailDomains) => {
    const domains = ["acme.example", "xn--bcher-kva.example"];
    await acts().connect(connectionTo(FIRST(), { emailDomains: domains }));
    await expect(acts().put(connectionTo(OTHER, { emailDomains }))).rejects.toMatchObject({ member: "emailDomains" });
    expect(await stored()).toHaveLength(1);
  });

  it("has another issuer, in any case, and a secret of its own", async () => {
    await addSso(instance, FIRST(), OTHER);
    const emailDomains = ["third.example"];
    const path = "https://sso.example/Acme";
    await acts().put(connectionTo(path, { emailDomains }));
    const alike = connectionTo(path.toLowerCase(), { emailDomains: ["fourth.example"] });
    await expect(acts().put(alike)).rejects.toThrow(/already connected/);
    const without = connectionTo("https://new.example", { emailDomains: ["new.example"], clientSecret: undefined });
    await expect(acts().put(without)).rejects.toThrow(/client secret/);
  });

  it("is one of a few", async () => {
    await addSso(instance, FIRST(), OTHER);
    for (let number = 3; number <= SINGLE_SIGN_ONS_MAX; number += 1) {
      const connection = connectionTo(`https://sso-${number}.example`, { emailDomains: [`d${number}.example`] });
      await acts().put(connection);
    }
    const more = connectionTo("https://more.example", { emailDomains: ["more.example"] });
    await expect(acts().put(more)).rejects.toThrow(/at most 4/);
  });

  it("is never connected in place of another by accident", async () => {
    await addSso(instance, FIRST(), OTHER);
    const third = connectionTo("https://third.example", { emailDomains: ["third.example"] });
    await expect(acts().connect(third)).rejects.toThrow(/several single sign-ons/);
  });

  it("stays if both are added at the same time", async () => {
    await acts().connect(connectionTo(FIRST(), { emailDomains: ["acme.example"] }));
    const added = ["two", "three"].map((name) =>
      acts().put(connectionTo(`https://${name}.example`, { emailDomains: [`${name}.example`] })),
    );
    await Promise.all(added);
    expect(new Set((await stored()).map(({ number }) => number))).toEqual(new Set([undefined, 2, 3]));
  });
});

describe("removing a single sign-on", () => {
  it("is refused for the only one, and for one that isn't there", async () => {
    await expect(acts().remove(FIRST())).rejects.toThrow(/only single sign-on/);
    await expect(acts().remove(OTHER)).rejects.toThrow(/not a single sign-on/);
  });

  it("is recorded, and leaves the other with its number and its groups", async () => {
    await addSso(instance, FIRST(), OTHER);
    await acts().remove(FIRST());
    expect(await stored()).toMatchObject([{ issuer: OTHER, number: 2, groupsMeetDirectory: false }]);
    const entry = (await auditEntries(instance)).find(({ event }) => event === "single_sign_on_removed");
    expect(entry?.detail).toMatchObject({ issuer: FIRST(), before: { issuer: FIRST() } });
    expect(JSON.stringify(entry)).not.toContain("sealedClientSecret");
  });

  it("is refused if no owner could sign in any more", async () => {
    await addSso(instance, FIRST(), OTHER);
    await addPerson("boss@acme.example", FIRST(), "owner");
    await addPerson("helper@other.example", OTHER, "administrator");
    await expect(acts().remove(FIRST())).rejects.toThrow(/No owner could sign in/);
    await addPerson("chief@other.example", OTHER, "owner");
    await acts().remove(FIRST());
    expect(await stored()).toHaveLength(1);
  });

  it("or its domains, is refused if the only owners left are outside its domains or deactivated", async () => {
    await addSso(instance, FIRST(), OTHER);
    await addPerson("boss@acme.example", FIRST(), "owner");
    const moved = connectionTo(FIRST(), { emailDomains: ["acme.test.example"] });
    await expect(acts().connect(moved)).rejects.toThrow(/No owner could sign in/);
    await addPerson("chief@elsewhere.example", OTHER, "owner");
    await expect(acts().connect(moved)).rejects.toThrow(/No owner could sign in/);
    await addPerson("chief@other.example", OTHER, "owner");
    await env.DB.exec("UPDATE people SET deactivated_at = 1 WHERE email = 'chief@other.example'");
    await expect(acts().remove(FIRST())).rejects.toThrow(/No owner could sign in/);
  });

  it("never stops an administrator from changing the issuer of the only one", async () => {
    await addPerson("boss@acme.example", FIRST(), "owner");
    await connectSso(instance, "https://new-sso.example");
    expect(await stored()).toMatchObject([{ issuer: "https://new-sso.example" }]);
  });
});
