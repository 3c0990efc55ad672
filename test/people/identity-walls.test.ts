import { randomId } from "#crypto/secrets.ts";
import { D1People } from "#people/people.d1.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { search } from "../support/app-client.ts";
import { outcomeOf } from "../support/external-attacks.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { ANNOUNCED, TestIssuer } from "../support/test-issuer.ts";
import { connectSso, makeInstance, setDeactivated, travel } from "../support/world.ts";
import { audited } from "../support/audited.ts";

let acme: InstanceRecord;
let first: TestIssuer;
let second: TestIssuer;

beforeAll(async () => {
  acme = await makeInstance();
  first = await TestIssuer.publishing("rsa");
  second = await TestIssuer.publishing("rsa");
  await first.register(acme, { groupsClaim: "groups" });
  await second.register(acme, { groupsClaim: "groups", emailDomains: ["partner.example"] });
});

const IN = [200];
const OUT = [401, "invalid_token"];

/** Returns the groups of the person with this email. */
async function groupsOf(email: string, instance = acme): Promise<string[]> {
  const { id } = await knownPerson(instance, email);
  const text = await env.DB.prepare("SELECT directory_groups FROM people WHERE id = ?1")
    .bind(id)
    .first("directory_groups");
  return JSON.parse(String(text)) as string[];
}

describe("an identity provider", () => {
  it("is only accepted for people of the domains that it was registered for", async () => {
    expect(await outcomeOf(await second.token({ email: "ben@acme.example" }))).toEqual(OUT);
    for (const email of ["a@sub.partner.example", "a@partner.example.evil.example", "a@evilpartner.example"]) {
      expect(await outcomeOf(await second.token({ email }))).toEqual(OUT);
    }
    expect(await outcomeOf(await second.token({ email: "a@Partner.Example" }))).toEqual(IN);
  });

  it("is no longer accepted for a linked person of a removed domain, and can't change their groups", async () => {
    const provider = await TestIssuer.publishing("rsa");
    const [sub, email] = ["account-1", "kim@old.example"];
    const issuedAt = Math.floor(Date.now() / 1000) - 60;
    const of = (changes: Record<string, unknown>) => provider.token({ sub, iat: issuedAt, ...changes });
    for (const groupsMeetDirectory of [false, true]) {
      const configuration = { groupsClaim: "groups", groupsMeetDirectory };
      await provider.register(acme, { ...configuration, emailDomains: ["acme.example", "old.example"] });
      expect(await outcomeOf(await of({ email, groups: ["Sales"] }))).toEqual(IN);
      await provider.register(acme, { ...configuration, emailDomains: ["acme.example"] });
      const before = await groupsOf(email);
      const later = await of({ email: "kim@acme.example", groups: ["Board"], iat: issuedAt + 30 });
      expect(await outcomeOf(later)).toEqual(OUT);
      expect(await groupsOf(email)).toEqual(before);
    }
  });

  it("has its own groups: its Finance is not the directory's finance", async () => {
    await outcomeOf(await second.token({ email: "pat@partner.example", groups: ["Finance"] }));
    expect(await groupsOf("pat@partner.example")).toEqual([`${second.url}|finance`.toLowerCase()]);
  });

  it("can't name another provider's group", async () => {
    const groups = [`${first.url}|finance`, "ops"];
    await outcomeOf(await second.token({ email: "quinn@partner.example", groups }));
    expect(await groupsOf("quinn@partner.example")).not.toContain(`${first.url}|finance`.toLowerCase());
    await second.register(acme, {
      groupsClaim: "groups",
      groupsMeetDirectory: true,
      emailDomains: ["partner.example"],
    });
    await outcomeOf(await second.token({ email: "rae@partner.example", groups }));
    expect(await groupsOf("rae@partner.example")).toEqual(["ops"]);
    await second.register(acme, { groupsClaim: "groups", emailDomains: ["partner.example"] });
  });

  it("doesn't keep a directory group that only looks like its own: it ends when the directory no longer names it", async () => {
    const email = "uma@acme.example";
    const identity = { issuer: inject("sso").issuer, subject: "uma", account: undefined, email, name: "Uma" };
    for (const groups of [["httpx://rota|night", "https: see ://wiki|ops", "ops"], []]) {
      await new D1People(audited()).signIn(
        acme.id,
        { ...identity, isEmailVerified: true, groups, groupsMeetDirectory: true },
        randomId(),
        1,
      );
      expect(new Set(await groupsOf(email))).toEqual(new Set(groups));
    }
  });

  it("loses its groups when it is disabled", async () => {
    const provider = await TestIssuer.publishing("rsa");
    await provider.register(acme, { groupsClaim: "groups" });
    await outcomeOf(await provider.token({ email: "sam@acme.example", groups: ["Board"] }));
    expect(await groupsOf("sam@acme.example")).toHaveLength(1);
    await servicesOf(env).administrationOf(acme, "test").issuers.disable(provider.url);
    expect(await groupsOf("sam@acme.example")).toEqual([]);
  });

  it("that identifies people by the SSO's subjects sets groups in the order of its tokens, and loses them, too", async () => {
    const origin = "http://subjects.localhost";
    const instance = await makeInstance("subjects");
    const provider = await TestIssuer.publishing("rsa");
    await connectSso(instance, provider.url);
    const bySubject = { personBy: "subject", personClaim: "sub", groupsClaim: "groups" };
    await provider.register(await servicesOf(env).instances.require("subjects"), bySubject);
    const email = "tove@acme.example";
    const tove = { issuer: provider.url, subject: "tove", account: undefined, email, name: "Tove", groups: ["ops"] };
    await new D1People(audited()).signIn(
      instance.id,
      { ...tove, isEmailVerified: true, groupsMeetDirectory: true },
      randomId(),
      1,
    );
    const now = Math.floor(Date.now() / 1000);
    const tokenOf = (iat: number, groups: string[]) => provider.token({ sub: "tove", iat, groups });
    for (const [token, groups] of [
      [await tokenOf(now - 20, ["Board"]), [`${provider.url}|board`, "ops"]],
      [await tokenOf(now - 10, ["Wiki"]), [`${provider.url}|wiki`, "ops"]],
      [await tokenOf(now - 15, ["Board"]), [`${provider.url}|wiki`, "ops"]],
    ] as const) {
      expect((await search(token, undefined, ANNOUNCED, origin)).status).toBe(200);
      expect(await groupsOf(email, instance)).toEqual(groups);
    }
    await servicesOf(env).administrationOf(instance, "test").issuers.disable(provider.url);
    expect(await groupsOf(email, instance)).toEqual(["ops"]);
  });
});

describe("an account at an identity provider", () => {
  it("has a verified address as long as the SSO says so", async () => {
    const email = "vera@acme.example";
    const identity = {
      issuer: inject("sso").issuer,
      subject: "vera",
      account: undefined,
      email,
      name: "V",
      groups: [],
      groupsMeetDirectory: true,
    };
    for (const isEmailVerified of [false, true, false]) {
      await new D1People(audited()).signIn(acme.id, { ...identity, isEmailVerified }, randomId(), 1);
      const row = env.DB.prepare("SELECT email_verified FROM people WHERE email = ?1").bind(email);
      expect(await row.first("email_verified")).toBe(isEmailVerified ? 1 : 0);
    }
  });

  it("stays the same person with another email, and a deactivated person does not return with it", async () => {
    const sub = "lasting";
    expect(await outcomeOf(await first.token({ sub, email: "ivy@acme.example" }))).toEqual(IN);
    await setDeactivated(acme, "ivy@acme.example");
    expect(await outcomeOf(await first.token({ sub, email: "ivy.new@acme.example" }))).toEqual(OUT);
    const query = readListQuery(PEOPLE_LIST, new Map([["search", "ivy.new"]]));
    const { items: people } = await servicesOf(env).people.list(acme.id, query);
    expect(people).toEqual([]);
  });

  it("never becomes the person whose email it claims, if that person has an account there", async () => {
    expect(await outcomeOf(await first.token({ sub: "jo-1", email: "jo@acme.example" }))).toEqual(IN);
    expect(await outcomeOf(await first.token({ sub: "mallory", email: "jo@acme.example" }))).toEqual(OUT);
  });

  it("from before a release never becomes the newcomer who has the email now", async () => {
    const email = "lee@acme.example";
    const now = Math.floor(Date.now() / 1000);
    const old = await first.token({ sub: "lee-1", email, iat: now - 60 });
    expect(await outcomeOf(old)).toEqual(IN);
    const { people } = servicesOf(env).administrationOf(acme, "test");
    await people.nameRole(email, "administrator");
    const before = await knownPerson(acme, email);
    await people.release(before);
    expect(await outcomeOf(old)).toEqual(OUT);
    travel(2);
    expect(await outcomeOf(await first.token({ sub: "lee-2", email }))).toEqual(IN);
    const newcomer = await knownPerson(acme, email);
    expect(newcomer.id).not.toBe(before.id);
    expect(newcomer.role).toBeNull();
    expect(await outcomeOf(await first.token({ sub: "lee-1", email, iat: now - 30 }))).toEqual(OUT);
  });
});

describe("an account that presented no token before its person's email was released", () => {
  const email = "max@acme.example";
  const issuedBefore = (sub: string) => first.token({ sub, email, iat: Math.floor(Date.now() / 1000) - 60 });

  beforeAll(async () => {
    await servicesOf(env)
      .administrationOf(acme, "test")
      .people.release(await knownPerson(acme, email));
  });

  it("is nobody with a token from before the release, while the email is free", async () => {
    expect(await outcomeOf(await issuedBefore("max-1"))).toEqual(OUT);
    expect(await servicesOf(env).people.findByEmail(acme.id, email)).toBeNull();
  });

  it("is not the newcomer who has the email now", async () => {
    travel(2);
    const old = await issuedBefore("max-1");
    await knownPerson(acme, email);
    expect(await outcomeOf(old)).toEqual(OUT);
    expect(await outcomeOf(await first.token({ sub: "max-2", email }))).toEqual(IN);
    expect(await outcomeOf(old)).toEqual(OUT);
  });
});

describe("a token of an identity provider", () => {
  it("is refused if it lives longer than a day, or than the configured time", async () => {
    const provider = await TestIssuer.publishing("rsa");
    const lasting = (seconds: number) =>
      provider.token({ email: "tess@acme.example", exp: Math.floor(Date.now() / 1000) + seconds });
    await provider.register(acme);
    expect(await outcomeOf(await lasting(86_400))).toEqual(IN);
    expect(await outcomeOf(await lasting(86_500))).toEqual(OUT);
    await provider.register(acme, { tokenLifetimeSecondsMax: 3600 });
    expect(await outcomeOf(await lasting(3600))).toEqual(IN);
    expect(await outcomeOf(await lasting(7200))).toEqual(OUT);
  });

  it("is refused as an ID token if no audience is registered", async () => {
    const provider = await TestIssuer.publishing("rsa");
    await provider.register(acme, { audiences: [] });
    const forge = await provider.forge();
    const token = (claims: Record<string, unknown>) =>
      forge.sign({ ...forge.header, typ: "JWT" }, { ...forge.claims, ...claims });
    expect(await outcomeOf(await token({}))).toEqual(IN);
    for (const claims of [
      { aud: "portal" },
      { aud: ["portal", "x"] },
      { nonce: "n" },
      { at_hash: "h" },
      { c_hash: "h" },
    ]) {
      expect(await outcomeOf(await token(claims))).toEqual(OUT);
    }
  });
});
