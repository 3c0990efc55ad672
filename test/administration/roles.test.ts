import { ACTS } from "#administration/act-table.ts";
import { boundedBy } from "#administration/bounded-acts.ts";
import type { Administration } from "#administration/administration.ts";
import { authorityOfRole, authorityOfToken } from "#administration/authority.ts";
import { hashToken } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { type Role, ROLES } from "#people/role.ts";
import { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { everybodyOf, knownPerson } from "../support/people.ts";
import { secretsOf } from "../support/service-tokens.ts";
import { makeInstance } from "../support/world.ts";
import { audited } from "../support/audited.ts";

const { administrationOf, administrationWithin, issuedTokens, people } = servicesOf(env);

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

async function withRole(role: Role, email = `${crypto.randomUUID()}@acme.example`) {
  await administrationOf(instance, "test").people.nameRole(email, role);
  return knownPerson(instance, email);
}

/** Returns the acts about people that a role may perform. */
function peopleActsOf(role: Role) {
  return peopleActsAt(instance, "x", role);
}

function peopleActsAt(at: InstanceRecord, actor: string, role: Role) {
  return administrationWithin({ instance: at, actor, authority: authorityOfRole(role) }).people;
}

describe("each act", () => {
  /** The acts that each role may perform, by the start of their names. All others are refused. */
  const REACHED: Readonly<Record<Role, RegExp>> = {
    owner: /^/,
    administrator: /^(?!documents\.)/,
    "app-manager": /^clients\.|^appRules\.(?!limitMachine)|^grants\.revoke$/,
    auditor: /^$/,
  };
  const everything = new Proxy({}, { get: () => () => "decided" });
  const nouns = [...new Set(Object.keys(ACTS).map((act) => act.split(".")[0] ?? ""))];
  const acts = Object.fromEntries(nouns.map((noun) => [noun, everything])) as unknown as Administration;

  it.each(ROLES)("is performed or refused as the role %s requires", async (role) => {
    const bounded = boundedBy(authorityOfRole(role), acts) as unknown as Record<
      string,
      Record<string, () => Promise<unknown>>
    >;
    for (const act of Object.keys(ACTS)) {
      const [noun = "", name = ""] = act.split(".");
      const decided = await bounded[noun]?.[name]?.().catch((error: Error) => error);
      if (REACHED[role].test(act)) expect({ act, decided }).toEqual({ act, decided: "decided" });
      else expect({ act, decided }).toMatchObject({ act, decided: { code: "insufficient_scope" } });
    }
  });

  it("is refused to an auditor, with the names of the roles that may perform it", async () => {
    const { grants, clients } = boundedBy(authorityOfRole("auditor"), acts);
    await expect(grants.revokeAll()).rejects.toMatchObject({
      description: expect.stringContaining("ask an owner or administrator"),
    });
    await expect(clients.enable("x")).rejects.toMatchObject({
      description: expect.stringContaining("ask an owner, administrator or app manager"),
    });
  });
});

describe("owners", () => {
  it("are made only by owners", async () => {
    const somebody = await withRole("auditor");
    const naming = (role: Role) => peopleActsOf(role).nameRole(somebody.email, "owner");
    await expect(naming("administrator")).rejects.toMatchObject({ code: "insufficient_scope" });
    expect((await people.require(instance.id, somebody.id)).role).toBe("auditor");
    expect(await naming("owner")).toBe(true);
  });

  it("lose their role, access or email only if an owner decides it", async () => {
    const owner = await withRole("owner");
    await withRole("owner");
    const acts = peopleActsOf("administrator");
    for (const ending of [
      () => acts.nameRole(owner.email, "auditor"),
      () => acts.removeRole(owner),
      () => acts.deactivate(owner),
      () => acts.deactivateEmail(owner.email),
      () => acts.release(owner),
    ]) {
      await expect(ending()).rejects.toMatchObject({ description: expect.stringContaining("ask an owner") });
      expect((await people.require(instance.id, owner.id)).role).toBe("owner");
    }
    expect(await peopleActsOf("owner").nameRole(owner.email, "auditor")).toBe(true);
  });

  it("can't all be removed: if two end each other's role at once, one remains an owner", async () => {
    const elsewhere = await makeInstance("owners");
    const emails = ["one@acme.example", "two@acme.example"];
    for (const email of emails) await administrationOf(elsewhere, "test").people.nameRole(email, "owner");
    const [one, two] = await Promise.all(emails.map((email) => people.findByEmail(elsewhere.id, email)));
    if (!one || !two) throw new Error("both are known");
    const actsOf = (actor: string) => peopleActsAt(elsewhere, actor, "owner");
    const endings = await Promise.allSettled([
      actsOf(two.id).nameRole(one.email, "administrator"),
      actsOf(one.id).deactivate(two),
    ]);
    expect(endings.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const last = endings[0].status === "fulfilled" ? two : one;
    const acts = actsOf("x");
    for (const ending of [
      () => acts.nameRole(last.email, "auditor"),
      () => acts.removeRole(last),
      () => acts.deactivate(last),
      () => acts.release(last),
    ]) {
      await expect(ending()).rejects.toThrow("is the last owner");
    }
    await expect(actsOf(last.id).removeRole(last)).rejects.toThrow("your own role");
    await expect(actsOf(last.id).nameRole(last.email, "auditor")).rejects.toThrow("your own role");
    expect((await people.require(elsewhere.id, last.id)).role).toBe("owner");
  });
});

describe("an admin token", () => {
  const draftOf = (scopes: readonly string[]) =>
    ({ kind: "admin", name: "t", scopes, person: null, lifetimeSeconds: 3600 }) as const;

  const issue = (issuer: string, scopes: readonly string[]) =>
    administrationOf(instance, issuer).serviceTokens.issue(draftOf(scopes));

  async function tokenOf(issuer: string, scopes: readonly string[]) {
    return (await issue(issuer, scopes)).token.id;
  }

  interface Issued {
    readonly token: { readonly id: string };
    readonly secret: string;
  }

  /** The tokens found by their secrets, remembered from when they were valid. */
  const presented = new Map<string, Parameters<typeof authorityOfToken>[0]>();
  async function authorityOf(secret: string) {
    const found =
      presented.get(secret) ?? (await new D1ServiceTokens(audited()).findByHash(instance.id, await hashToken(secret)));
    if (!found) throw new Error("no such secret");
    presented.set(secret, found);
    // Its expiry would limit that of the tokens it issues.
    return { ...authorityOfToken(found), expiresAt: null };
  }

  async function issueThrough({ token, secret }: Issued, scopes = ["admin:security"]) {
    const by = { instance, actor: token.id, authority: await authorityOf(secret) };
    return administrationWithin(by).serviceTokens.issue(draftOf(scopes));
  }

  async function issueWith(secret: string, tokenId: string) {
    return (await issueThrough({ secret, token: { id: tokenId } })).token.id;
  }

  /** Rotates a token's secret with another token. */
  async function rotateThrough({ token, secret }: Issued, id: string, endsOthersNow = true): Promise<Issued> {
    const by = { instance, actor: token.id, authority: await authorityOf(secret) };
    return { token: { id }, secret: await administrationWithin(by).serviceTokens.rotate(id, endsOthersNow) };
  }

  async function isRevoked(id: string): Promise<boolean> {
    return (await issuedTokens.find(instance.id, id))?.revokedAt !== null;
  }

  it("ends, with the tokens that it issued, when its issuer's new role lacks one of its scopes; others continue", async () => {
    const person = await withRole("owner");
    const wide = await tokenOf(person.id, ["admin:read", "admin:people"]);
    const ofWide = await tokenOf(wide, ["admin:read"]);
    const narrow = await tokenOf(person.id, ["admin:read", "admin:apps"]);
    const ofNarrow = await tokenOf(narrow, ["admin:apps"]);
    const ofOthers = await tokenOf((await withRole("owner")).id, ["admin:people"]);
    const tokens = [wide, ofWide, narrow, ofNarrow, ofOthers];
    const ended = () => Promise.all(tokens.map(isRevoked));
    await administrationOf(instance, "test").people.nameRole(person.email, "administrator");
    expect(await ended()).toEqual([false, false, false, false, false]);
    await administrationOf(instance, "test").people.nameRole(person.email, "app-manager");
    expect(await ended()).toEqual([true, true, false, false, false]);
    await administrationOf(instance, "test").people.nameRole(person.email, "auditor");
    expect(await ended()).toEqual([true, true, true, true, false]);
  });

  it("ends with the person who last rotated its secret, directly or through other tokens", async () => {
    const [owner, deniz] = [await withRole("owner"), await withRole("administrator")];
    const rotate = (id: string, actor: string) => administrationOf(instance, actor).serviceTokens.rotate(id, true);
    const taken = await tokenOf(owner.id, ["admin:read"]);
    await rotate(taken, deniz.id);
    const byToken = await tokenOf("command", ["admin:read"]);
    const first = await issue(deniz.id, ["admin:read", "admin:security"]);
    const second = await issueThrough(first, ["admin:read", "admin:security"]);
    const [own, ofOwn] = [first.token.id, second.token.id];
    await rotateThrough(second, byToken);
    await rotateThrough(await rotateThrough(first, own), own);
    await rotateThrough(second, own);
    const back = await tokenOf(deniz.id, ["admin:read"]);
    await rotate(back, owner.id);
    await administrationOf(instance, "test").people.removeRole(deniz);
    expect(await Promise.all([taken, byToken, own, ofOwn, back].map(isRevoked))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    await expect(rotate(back, deniz.id)).rejects.toThrow("There is no active token");
  });

  it("loses its superseded secret when the person who may know it gets a role that lacks the token's scopes", async () => {
    const [deniz, eve] = [await withRole("administrator"), await withRole("owner")];
    const first = await issue(deniz.id, ["admin:security"]);
    const ids = [first.token.id, await tokenOf(deniz.id, ["admin:apps"])];
    // One is issued through the first token, the other by somebody else.
    const through = await issueWith(first.secret, first.token.id);
    const ofOthers = await tokenOf("command", ["admin:security"]);
    const supersededOf = async (id: string) =>
      (await secretsOf(id)).filter(({ expires_at }) => expires_at !== 0).length;
    for (const id of [through, ofOthers]) await administrationOf(instance, eve.id).serviceTokens.rotate(id, false);
    for (const id of ids) await administrationOf(instance, eve.id).serviceTokens.rotate(id, false);
    const running = async () => {
      const secrets = await Promise.all(ids.map(secretsOf));
      return secrets.map((all) => all.filter(({ expires_at }) => expires_at !== 0).length);
    };
    const version = async () => (await issuedTokens.find(instance.id, ids[0] ?? ""))?.changedAt ?? 0;
    expect(await running()).toEqual([2, 2]);
    const before = await version();
    await administrationOf(instance, "test").people.nameRole(deniz.email, "app-manager");
    expect(await running()).toEqual([1, 2]);
    expect([await supersededOf(through), await supersededOf(ofOthers)]).toEqual([1, 2]);
    expect(await version()).toBeGreaterThan(before);
    await administrationOf(instance, "test").people.deactivate(deniz);
    expect(await running()).toEqual([1, 1]);
    expect(await supersededOf(ofOthers)).toBe(2);
    expect(await Promise.all(ids.map(isRevoked))).toEqual([false, false]);
  });

  it("ends with the only person who knows its secret, even if somebody else took over the token that issued it", async () => {
    const [deniz, eve] = [await withRole("administrator"), await withRole("owner")];
    const { token: taken, secret } = await issue(deniz.id, ["admin:security"]);
    const through = await issueWith(secret, taken.id);
    const newSecret = await administrationOf(instance, eve.id).serviceTokens.rotate(taken.id, false);
    const inOverlap = await issueWith(secret, taken.id);
    const [byEve, kept] = [await issueWith(newSecret, taken.id), await issueWith(newSecret, taken.id)];
    // The second rotation deletes the secret that the first one ended.
    for (const _ of [1, 2]) await administrationOf(instance, eve.id).serviceTokens.rotate(taken.id, true);
    expect((await secretsOf(taken.id)).length).toBe(2);
    const frank = await withRole("owner");
    await administrationOf(instance, frank.id).serviceTokens.rotate(kept, true);
    await administrationOf(instance, "test").people.nameRole(deniz.email, "app-manager");
    const ended = () => Promise.all([taken.id, through, inOverlap, byEve, kept].map(isRevoked));
    expect(await ended()).toEqual([false, true, true, false, false]);
    await expect(issueWith(secret, taken.id)).rejects.toThrow("Your access has ended");
    await administrationOf(instance, frank.id).serviceTokens.rotate(taken.id, true);
    await administrationOf(instance, "test").people.deactivate(eve);
    expect(await ended()).toEqual([false, true, true, true, false]);
  });

  it("continues when the previous holder of the token that issued it leaves, even while their secret is still stored", async () => {
    const [deniz, eve] = [await withRole("administrator"), await withRole("owner")];
    const { token: taken } = await issue(deniz.id, ["admin:security"]);
    const newSecret = await administrationOf(instance, eve.id).serviceTokens.rotate(taken.id, true);
    const byEve = await issueWith(newSecret, taken.id);
    await administrationOf(instance, "test").people.deactivate(deniz);
    expect(await Promise.all([taken.id, byEve].map(isRevoked))).toEqual([false, false]);
  });

  it("loses a superseded secret that it got by rotating itself, even after the secret before that was deleted", async () => {
    const [deniz, eve] = [await withRole("administrator"), await withRole("owner")];
    const issued = await issue(deniz.id, ["admin:security"]);
    const token = issued.token.id;
    const by = { instance, actor: token, authority: await authorityOf(issued.secret) };
    await administrationWithin(by).serviceTokens.rotate(token, true);
    await administrationOf(instance, eve.id).serviceTokens.rotate(token, false);
    expect((await secretsOf(token)).length).toBe(2);
    await administrationOf(instance, "test").people.deactivate(deniz);
    expect((await secretsOf(token)).filter(({ expires_at }) => expires_at !== 0).length).toBe(1);
    expect(await isRevoked(token)).toBe(false);
  });

  it("ends when a token that it descends from is revoked, whatever happened to the tokens and secrets in between", async () => {
    const eve = await withRole("owner");
    const stolen = await issue((await withRole("owner")).id, ["admin:security"]);
    const others = await issue(eve.id, ["admin:security"]);
    const between = await issueThrough(stolen);
    const through = [between, await rotateThrough(stolen, others.token.id, false)];
    const byThief = await Promise.all(through.map((token) => issueThrough(token)));
    // Their owners take both back. The second rotation deletes the secret that the first one ended.
    const taken = through.map(({ token }) => token.id);
    const rotate = (id: string) => administrationOf(instance, eve.id).serviceTokens.rotate(id, true);
    for (const id of [...taken, ...taken]) await rotate(id);
    const secrets = await Promise.all(taken.map(rotate));
    const byEve = await issueWith(secrets[0] ?? "", taken[0] ?? "");
    await administrationOf(instance, "test").serviceTokens.revoke(stolen.token.id);
    const ended = (ids: readonly string[]) => Promise.all(ids.map(isRevoked));
    expect(await ended(byThief.map(({ token }) => token.id))).toEqual([true, true]);
    expect(await ended([...taken, byEve])).toEqual([false, false, false]);
  });

  it("of a token that was taken back continues when the one that took it over is revoked, even in the overlap of secrets", async () => {
    const [deniz, eve] = [await withRole("owner"), await withRole("owner")];
    const [stolen, taken] = [await issue(deniz.id, ["admin:security"]), await issue(eve.id, ["admin:security"])];
    const shown = await rotateThrough(stolen, taken.token.id);
    const secret = await administrationOf(instance, eve.id).serviceTokens.rotate(taken.token.id, false);
    const [byThief, byEve] = [await issueThrough(shown), await issueThrough({ ...taken, secret })];
    await administrationOf(instance, "test").serviceTokens.revoke(stolen.token.id);
    const tokens = [byThief, byEve, taken].map(({ token }) => token.id);
    expect(await Promise.all(tokens.map(isRevoked))).toEqual([true, false, false]);
    await expect(issueThrough(shown)).rejects.toThrow("Your access has ended");
    await expect(rotateThrough(shown, taken.token.id)).rejects.toThrow("There is no active token");
  });

  it("descends from at most ten others", async () => {
    let last: Issued = await issue((await withRole("owner")).id, ["admin:security"]);
    for (let origins = 1; origins <= 10; origins++) last = await issueThrough(last);
    await expect(issueThrough(last)).rejects.toThrow("descends from 10 others");
  });

  it("is not issued with a scope that its issuer's role lacks by then", async () => {
    const { id } = await withRole("app-manager");
    await expect(tokenOf(id, ["admin:read", "admin:security"])).rejects.toThrow("Your access has ended");
    expect(await isRevoked(await tokenOf(id, ["admin:apps"]))).toBe(false);
  });
});

describe("a role", () => {
  it("is one of four, and a change to the same role changes nothing", async () => {
    const { people: acts } = administrationOf(instance, "test");
    await expect(acts.nameRole("x@acme.example", "king")).rejects.toMatchObject({ member: "role" });
    const { email } = await withRole("auditor");
    expect(await acts.nameRole(email, "auditor")).toBe(false);
    expect(await acts.nameRole(email, "administrator")).toBe(true);
  });

  it("can't be given to somebody deactivated, and can't be ended with only admin:people", async () => {
    const person = await withRole("auditor");
    const authority = { ...authorityOfRole("auditor"), scopes: new Set(["admin:people"]) };
    const { people: acts } = administrationWithin({ instance, actor: "x", authority });
    for (const ending of [acts.deactivate(person), acts.release(person)]) {
      await expect(ending).rejects.toMatchObject({ code: "insufficient_scope" });
    }
    await administrationOf(instance, "test").people.deactivate(person);
    expect((await people.require(instance.id, person.id)).role).toBeNull();
    await expect(administrationOf(instance, "test").people.nameRole(person.email, "auditor")).rejects.toThrow(
      "is deactivated",
    );
  });
});

it("a person whose address starts like a service account's name is not affected by acts about service accounts", async () => {
  const email = "service-account:nightly@acme.example";
  const { id } = await knownPerson(instance, email);
  for (const decision of ["disable", "remove"] as const)
    await administrationOf(instance, "x").serviceAccounts[decision](id);
  expect(await everybodyOf(instance)).toContainEqual(expect.objectContaining({ email, deactivatedAt: null }));
  await administrationOf(instance, "x").people.deactivate(await people.require(instance.id, id));
  expect((await people.require(instance.id, id)).deactivatedAt).not.toBeNull();
});
