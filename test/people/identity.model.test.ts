import { randomId } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { D1ExternalPeople } from "#people/external-people.d1.ts";
import { LookedUpPeople } from "#people/looked-up-people.ts";
import type { PersonLookup } from "#people/external-people.ts";
import { D1People } from "#people/people.d1.ts";
import { servicesOf } from "#services.ts";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { env } from "../support/isolate.ts";
import { runs } from "../support/properties.ts";
import { connectSso } from "../support/world.ts";
import { audited } from "../support/audited.ts";

const SSO = "https://sso.example";
const PROVIDERS = ["https://idp-1.example", "https://idp-2.example", SSO];
const EMAILS = ["ann", "bob", "cy"].map((name) => `${name}@acme.example`);

type Step =
  | { readonly kind: "sign-in"; readonly account: number; readonly email: number; readonly verified: boolean }
  | {
      readonly kind: "token";
      readonly provider: number;
      readonly account: number;
      readonly email: number;
      /** How long ago it was issued, in steps. */
      readonly age: number;
      /** Whether the provider's tokens identify the account by something else than `sub`, like Entra's `oid`. */
      readonly namesApart: boolean;
    }
  | { readonly kind: "appoint" | "deactivate" | "reactivate" | "release"; readonly email: number };

const index = (length: number) => fc.nat({ max: length - 1 });

/** Whether sign-ins say what tokens call the account: never or always. If always, all tokens of the SSO do, too. */
type Sso = "tells no account" | "tells the account";

/**
 * Accounts are few, so that they meet: one person with several providers, an email that moves, or that two accounts have.
 */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("sign-in" as const),
        account: index(4),
        email: index(3),
        verified: fc.boolean(),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("token" as const),
        provider: index(3),
        account: index(4),
        email: index(3),
        age: index(6),
        namesApart: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom("appoint" as const, "deactivate" as const, "reactivate" as const, "release" as const),
        email: index(3),
      }),
    },
  ),
  { minLength: 1, maxLength: 30 },
);

/** Records who acted as whom, independently of the database. */
class Witness {
  /** The account of each provider that acted as a person, by person. */
  readonly #accountsOf = new Map<string, Map<string, string>>();
  readonly #personOf = new Map<string, string>();
  readonly #releasedAt = new Map<string, number>();
  /** When each email last lost its person. */
  readonly #freeSince = new Map<string, number>();
  readonly #deactivated = new Set<string>();

  /** With an email that was released since, a token may only act as a person as whom its account acted before. */
  actsByToken(provider: string, account: string, personId: string, email: string, issuedAt: number): void {
    if (issuedAt <= (this.#freeSince.get(email) ?? -1)) {
      const known = this.#accountsOf.get(personId)?.get(provider);
      expect(known, "a token issued before a release acts as whoever comes after it").toBe(account);
    }
    this.acts(provider, account, personId, issuedAt);
  }

  /** @param issuedAt when the account's proof was issued */
  acts(provider: string, account: string, personId: string, issuedAt: number): void {
    expect(this.#deactivated.has(personId), "a deactivated person acts").toBe(false);
    expect(this.#releasedAt.has(personId), "a released person acts").toBe(false);
    const accounts = this.#accountsOf.get(personId) ?? new Map<string, string>();
    expect(accounts.get(provider) ?? account, "two accounts of one provider act as one person").toBe(account);
    accounts.set(provider, account);
    this.#accountsOf.set(personId, accounts);
    const before = this.#personOf.get(`${provider} ${account}`);
    if (before !== undefined && before !== personId) {
      const releasedAt = this.#releasedAt.get(before);
      expect(releasedAt, "an account acts as another person than before").toBeDefined();
      expect(issuedAt > (releasedAt ?? 0), "what was issued before a release acts after it").toBe(true);
    }
    this.#personOf.set(`${provider} ${account}`, personId);
  }

  decided(kind: string, personId: string, email: string, at: number): void {
    if (kind === "deactivate") this.#deactivated.add(personId);
    if (kind === "reactivate") this.#deactivated.delete(personId);
    if (kind === "release") {
      this.#releasedAt.set(personId, at);
      this.#freeSince.set(email, at);
    }
  }
}

let histories = 0;

/** Runs one history, with ten seconds for each step. */
async function live(history: readonly Step[], sso: Sso = "tells no account"): Promise<void> {
  histories += 1;
  const { administrationOf, people } = servicesOf(env);
  const instance: InstanceRecord = await createInstance(servicesOf(env), `model-${histories}`, "test");
  await connectSso(instance, SSO);
  const [signIns, tokens, witness] = [new D1People(audited()), new D1ExternalPeople(env.DB), new Witness()];
  const lookedUp = new LookedUpPeople(tokens);
  const start = Math.floor(Date.now() / 1000) - 10_000;
  const roles = new Map<string, boolean>();
  for (const [at, step] of history.entries()) {
    const now = start + at * 10;
    const email = EMAILS[step.email] ?? "";
    switch (step.kind) {
      case "sign-in": {
        const subject = `account-${step.account}`;
        const account = sso === "tells the account" ? `oid-${step.account}` : undefined;
        const identity = {
          issuer: SSO,
          subject,
          account,
          email,
          name: email,
          groups: [],
          groupsMeetDirectory: true,
          isEmailVerified: step.verified,
        };
        const before = await people.findByEmail(instance.id, email);
        const isClaim = before !== null && before.role !== null && before.lastSignInAt === null;
        const outcome = await signIns.signIn(instance.id, identity, randomId(), now);
        if (outcome.outcome !== "signed-in") break;
        witness.acts(SSO, subject, outcome.personId, now);
        const linked = roles.get(`${SSO} ${subject}`) ?? false;
        if (isClaim && outcome.personId === before.id && !step.verified)
          expect(linked, "a role was claimed").toBe(true);
        roles.set(`${SSO} ${subject}`, true);
        break;
      }
      case "token": {
        const issuer = PROVIDERS[step.provider] ?? "";
        const isTold = issuer === SSO && sso === "tells the account";
        const namesApart = step.namesApart || isTold;
        const subject = `${namesApart ? "oid" : "account"}-${step.account}`;
        const account = { issuer, subject, isSignInSubject: !namesApart };
        const issuedAt = now - step.age * 10;
        const person = { email, account, emailDomains: ["acme.example"] };
        const identity = { person, name: undefined, groups: undefined, groupsMeetDirectory: false };
        const newPersonId = randomId();
        const foretold = await lookedUp.find(instance.id, identity, issuedAt, newPersonId);
        const found = await tokens.find(instance.id, identity, issuedAt, newPersonId, now);
        expect(foretold, "what is said of a token is not what it gets").toEqual(found);
        if (typeof found === "string" || found.isDeactivated) break;
        // If nothing tells which identifiers of the two kinds belong to one account, each kind is checked separately.
        const provider = namesApart && !isTold ? `${issuer} by oid` : issuer;
        const known = isTold ? `account-${step.account}` : subject;
        witness.actsByToken(provider, known, found.personId, email, issuedAt);
        roles.set(`${issuer} ${known}`, true);
        break;
      }
      case "appoint":
      case "deactivate":
      case "reactivate":
      case "release":
      default: {
        const person = await people.findByEmail(instance.id, email);
        if (step.kind === "appoint") {
          await administrationOf(instance, "test")
            .people.nameRole(email, "administrator")
            .catch(() => undefined);
        } else if (person) {
          await administrationOf(instance, "test").people[step.kind](person);
          // Acts use the service's clock, but the history has its own.
          await env.DB.prepare("UPDATE people SET released_at = ?2 WHERE id = ?1 AND released_at IS NOT NULL")
            .bind(person.id, now)
            .run();
          witness.decided(step.kind, person.id, email, now);
        }
      }
    }
  }
}

describe("an identity, over random histories of sign-ins, tokens, renames, deactivations and releases", () => {
  it("is never somebody else's", async () => {
    const ssos = fc.constantFrom<Sso>("tells no account", "tells the account");
    await fc.assert(fc.asyncProperty(steps, ssos, live), { numRuns: runs(60) });
  });

  it("is nobody's by a token from before the release of an account that only ever signed in", async () => {
    await live([
      { kind: "sign-in", account: 1, email: 0, verified: false },
      { kind: "release", email: 0 },
      { kind: "token", provider: PROVIDERS.indexOf(SSO), account: 1, email: 0, age: 1, namesApart: false },
    ]);
  });

  it("is nobody's by a token from before the release of an account that tokens identify differently", async () => {
    const sso = PROVIDERS.indexOf(SSO);
    await live([
      { kind: "sign-in", account: 0, email: 0, verified: false },
      { kind: "token", provider: sso, account: 0, email: 0, age: 0, namesApart: true },
      { kind: "release", email: 0 },
      { kind: "token", provider: sso, account: 0, email: 1, age: 1, namesApart: false },
    ]);
  });

  it("is nobody's by a token from before the release of an account that was refused since", async () => {
    const token = { kind: "token", email: 2, age: 0, namesApart: false } as const;
    const signIn = { kind: "sign-in", email: 2, verified: false } as const;
    await live([
      { ...signIn, account: 1 },
      { kind: "release", email: 2 },
      { ...signIn, account: 0 },
      { ...signIn, account: 1 },
      { ...token, provider: PROVIDERS.indexOf(SSO), account: 1, email: 0, age: 3 },
    ]);
    await live([
      { ...token, provider: 0, account: 1 },
      { kind: "release", email: 2 },
      { ...token, provider: 0, account: 0 },
      { ...token, provider: 0, account: 1 },
      { ...token, provider: 0, account: 1, email: 0, age: 3 },
    ]);
  });

  it.each(PROVIDERS)("is nobody's by an old token of %s that the person never presented", async (provider) => {
    for (const newcomer of [[], [{ kind: "sign-in" as const, account: 2, email: 0, verified: true }]]) {
      await live([
        { kind: "sign-in", account: 1, email: 0, verified: true },
        { kind: "release", email: 0 },
        ...newcomer,
        { kind: "token", provider: PROVIDERS.indexOf(provider), account: 1, email: 0, age: 3, namesApart: true },
      ]);
    }
  });
});

describe("an account that access tokens identify differently than sign-ins (Entra's oid)", () => {
  const person = (oid: string, email: string) => ({
    email,
    account: { issuer: SSO, subject: oid, isSignInSubject: false },
    emailDomains: ["acme.example"],
  });
  const [tokens, signIns] = [new D1ExternalPeople(env.DB), new D1People(audited())];
  let instanceId: number;

  beforeAll(async () => {
    const instance = await createInstance(servicesOf(env), "oids", "test");
    await connectSso(instance, SSO);
    instanceId = instance.id;
  });

  const byToken = (oid: string, email: string, now = 1000) =>
    tokens.find(
      instanceId,
      { person: person(oid, email), name: undefined, groups: undefined, groupsMeetDirectory: false },
      now - 1,
      randomId(),
      now,
    );
  const bySignIn = (subject: string, account: string | undefined, email: string) =>
    signIns.signIn(
      instanceId,
      {
        issuer: SSO,
        subject,
        account,
        email,
        name: email,
        groups: [],
        groupsMeetDirectory: true,
        isEmailVerified: true,
      },
      randomId(),
      2000,
    );
  const idOf = (found: PersonLookup) => (typeof found === "string" ? found : found.personId);

  it("is the same person at the first sign-in after its first token, under any email", async () => {
    const personId = idOf(await byToken("oid-ann", "ann@acme.example"));
    expect(await bySignIn("sub-ann", "oid-ann", "ann.new@acme.example")).toMatchObject({
      outcome: "signed-in",
      personId,
    });
    expect(idOf(await byToken("oid-ann", "ann@acme.example", 3000))).toBe(personId);
  });

  it("is the same person at the first token after its first sign-in, under any email", async () => {
    const signedIn = await bySignIn("sub-bob", "oid-bob", "bob@acme.example");
    const personId = "personId" in signedIn && signedIn.personId;
    expect(idOf(await byToken("oid-bob", "robert@acme.example", 3000))).toBe(personId);
  });

  it("is never another account's person, even if both have the email", async () => {
    const cy = idOf(await byToken("oid-cy", "cy@acme.example"));
    expect(await bySignIn("sub-mallory", "oid-mallory", "cy@acme.example")).toEqual({ outcome: "email-taken" });
    expect(await bySignIn("sub-mallory", undefined, "cy@acme.example")).toEqual({ outcome: "email-taken" });
    expect(await bySignIn("sub-cy", "oid-cy", "cy@acme.example")).toMatchObject({ outcome: "signed-in", personId: cy });
    const signedIn = await bySignIn("sub-dee", "oid-dee", "dee@acme.example");
    expect(signedIn.outcome).toBe("signed-in");
    expect(await byToken("oid-mallory", "dee@acme.example", 3000)).toBe("taken");
  });

  it("stays deactivated at its first sign-in under another email", async () => {
    const personId = idOf(await byToken("oid-eve", "eve@acme.example"));
    await env.DB.prepare("UPDATE people SET deactivated_at = 1 WHERE id = ?1").bind(personId).run();
    expect(await bySignIn("sub-eve", "oid-eve", "eve.new@acme.example")).toMatchObject({ outcome: "deactivated" });
  });
});

describe("a role that was given to an email before its person signed in", () => {
  it("is not given to somebody who signs in with that email unverified", async () => {
    const { administrationOf, people } = servicesOf(env);
    const instance = await createInstance(servicesOf(env), "roles", "test");
    await connectSso(instance, SSO);
    const [email = ""] = EMAILS;
    await administrationOf(instance, "test").people.nameRole(email, "administrator");
    const signIn = (subject: string, isEmailVerified: boolean) => {
      const identity = {
        issuer: SSO,
        subject,
        account: undefined,
        email,
        name: "Ann",
        groups: [],
        groupsMeetDirectory: true,
      };
      return new D1People(audited()).signIn(instance.id, { ...identity, isEmailVerified }, randomId(), 1);
    };
    expect(await signIn("mallory", false)).toEqual({ outcome: "email-taken" });
    const named = (await people.findByEmail(instance.id, email)) ?? expect.fail();
    expect(await signIn("ann", true)).toMatchObject({ outcome: "signed-in", personId: named.id });
    expect((await people.findByEmail(instance.id, email))?.role).toBe("administrator");
  });
});
