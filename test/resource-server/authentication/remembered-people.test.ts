import { type ExternalIssuer, parseExternalIssuer } from "#issuers/external-issuer.ts";
import type { ExternalIdentity } from "#people/external-people.ts";
import { RememberedPeople, rememberedUntil } from "#resource-server/authentication/remembered-people.ts";
import { describe, expect, it } from "vitest";

const NOW = 1_800_000_000;
const HOUR_SECONDS = 3600;

/** Limits of the cache, which must match src/resource-server. */
const PEOPLE_MAX = 2000;
const KEY_CHARACTERS_MAX = 1000;

const BEN = {
  found: { personId: "ben", email: "ben@acme.example", isDeactivated: false, signedOutAt: null },
  readAt: NOW,
};

const URL_OF_ISSUER = "https://idp.example";
const issuer = registration();

/** Returns a registration of the same issuer, as a new object each time. */
function registration(): ExternalIssuer {
  return parseExternalIssuer({
    issuer: URL_OF_ISSUER,
    name: "IdP",
    clientIds: ["portal"],
    audiences: ["api://gatehouse"],
    scopes: ["SEARCH"],
    emailDomains: ["acme.example"],
  });
}

function account(subject: string, groups?: readonly string[]): ExternalIdentity {
  const person = {
    email: "ben@acme.example",
    account: { issuer: URL_OF_ISSUER, subject, isSignInSubject: true },
    emailDomains: ["acme.example"],
  };
  return { person, name: undefined, groups, groupsMeetDirectory: false };
}

/** Returns the part of a policy snapshot about people. */
function policy({ instanceId = 1, deactivated = [] as string[], signedOut = [] as [string, number][] } = {}) {
  return { instanceId, deactivatedPeople: new Set(deactivated), signedOutPeople: new Map(signedOut) };
}

/** Returns a cache that contains Ben's account. */
function knowingBen(person = BEN): RememberedPeople {
  const people = new RememberedPeople();
  people.keep(policy(), issuer, account("ben-1"), person);
  return people;
}

describe("RememberedPeople", () => {
  it("returns the person of an account for an hour after they were read", () => {
    const people = knowingBen();
    expect(rememberedUntil(BEN)).toBe(NOW + HOUR_SECONDS);
    for (const at of [NOW, NOW + HOUR_SECONDS - 1]) {
      expect(people.find(policy(), issuer, account("ben-1"), at)).toEqual(BEN);
    }
    expect(people.find(policy(), issuer, account("ben-1"), NOW + HOUR_SECONDS)).toBeUndefined();
  });

  it("does not restart the hour when another token of the account is let in", () => {
    const people = knowingBen();
    const known = people.find(policy(), issuer, account("ben-1"), NOW + 3000);
    if (!known) throw new Error("the person was forgotten");
    people.keep(policy(), issuer, account("ben-1"), known);
    expect(people.find(policy(), issuer, account("ben-1"), NOW + HOUR_SECONDS)).toBeUndefined();
  });

  it("returns nobody who was read in the future, which happens after the clock has stepped back", () => {
    expect(knowingBen().find(policy(), issuer, account("ben-1"), NOW - 1)).toBeUndefined();
  });

  it("returns nobody for another instance, issuer or subject", () => {
    const people = knowingBen();
    expect(people.find(policy({ instanceId: 2 }), issuer, account("ben-1"), NOW)).toBeUndefined();
    for (const subject of ["ben-2", "BEN-1", "ben-1 ", "", "__proto__"]) {
      expect(people.find(policy(), issuer, account(subject), NOW)).toBeUndefined();
    }
    const bySubject = { ...account("ben-1"), person: { issuer: "https://other.example", subject: "ben-1" } };
    expect(people.find(policy(), issuer, bySubject, NOW)).toBeUndefined();
  });

  it("returns nobody once the issuer's registration has changed", () => {
    expect(knowingBen().find(policy(), registration(), account("ben-1"), NOW)).toBeUndefined();
  });

  it("returns nobody who is deactivated in the snapshot, as released people are, too", () => {
    const people = knowingBen();
    expect(people.find(policy({ deactivated: ["ben"] }), issuer, account("ben-1"), NOW)).toBeUndefined();
    expect(people.find(policy({ deactivated: ["carla"] }), issuer, account("ben-1"), NOW)).toEqual(BEN);
  });

  it.each([
    ["what storage said", 50, undefined, 50],
    ["what the snapshot says", null, 70, 70],
    ["the later of both", 50, 70, 70],
    ["the later of both, where that is what storage said", 90, 70, 90],
  ])("returns as the time of the person's sign-out: %s", (_which, read, told, signedOutAt) => {
    const people = knowingBen({ ...BEN, found: { ...BEN.found, signedOutAt: read } as typeof BEN.found });
    const snapshot = policy({ signedOut: told === undefined ? [] : [["ben", told]] });
    expect(people.find(snapshot, issuer, account("ben-1"), NOW)?.found.signedOutAt).toBe(signedOutAt);
  });

  it("returns nobody for a token with groups, which may be newer than the stored ones", () => {
    expect(knowingBen().find(policy(), issuer, account("ben-1", []), NOW)).toBeUndefined();
  });

  it("keeps at most 2000 people, drops the oldest first, and keeps nobody with a very long subject", () => {
    const people = new RememberedPeople();
    const subjects = Array.from({ length: PEOPLE_MAX + 2 }, (_, n) => `subject-${n}`);
    for (const subject of subjects) people.keep(policy(), issuer, account(subject), BEN);
    const forgotten = subjects.filter((subject) => !people.find(policy(), issuer, account(subject), NOW));
    expect(forgotten).toEqual(["subject-0", "subject-1"]);
    const longest = "x".repeat(KEY_CHARACTERS_MAX - `1 ${URL_OF_ISSUER} `.length);
    for (const subject of [longest, `${longest}x`]) people.keep(policy(), issuer, account(subject), BEN);
    expect(people.find(policy(), issuer, account(longest), NOW)).toEqual(BEN);
    expect(people.find(policy(), issuer, account(`${longest}x`), NOW)).toBeUndefined();
  });
});
