import { ID_JAG } from "#authorization-server/token/id-jag.ts";
import { WORKLOAD_TOKEN } from "#authorization-server/token/workload-grant.ts";
import { CLIENT_ASSERTION } from "#clients/client-assertions.ts";
import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { findFault, type ForeignKind, type RefusedKind, requireForeign } from "#issuers/foreign-jwt.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";
import { EXTERNAL_ACCESS_TOKEN } from "#resource-server/authentication/external-token-steps.ts";
import { LOGOUT_TOKEN, REVOCATION_REQUEST, SECURITY_EVENT_TOKEN } from "#signals/signed-message.ts";
import { describe, expect, it } from "vitest";

type Json = Readonly<Record<string, unknown>>;

const NOW = 1_800_000_000;
const US = "https://acme.example";
const KEY = "A".repeat(43);
const LATER = NOW + CLOCK_TOLERANCE_SECONDS;

const KINDS: [string, ForeignKind][] = [
  ["a client assertion", CLIENT_ASSERTION],
  ["an identity assertion", ID_JAG],
  ["a workload token", WORKLOAD_TOKEN],
  ["an external access token", EXTERNAL_ACCESS_TOKEN],
  ["a logout token", LOGOUT_TOKEN],
  ["a security event token", SECURITY_EVENT_TOKEN],
  ["a revocation request", REVOCATION_REQUEST],
];

/** Returns a good JWT of a kind, with changes; `undefined` leaves a member out. */
function jwtOf({ types, lifetimeSecondsMax }: ForeignKind, claims: Json = {}, header: Json = {}): CompactJwt {
  const exp = NOW + Math.min(20, lifetimeSecondsMax);
  return {
    token: "",
    header: { alg: "RS256", kid: "one", typ: types?.find(Boolean), ...header },
    payload: { aud: US, iat: NOW, exp, jti: "one", ...claims },
  };
}

const faultOf = (kind: ForeignKind, claims: Json = {}, header: Json = {}, keyThumbprint?: string) =>
  findFault(jwtOf(kind, claims, header), kind, { audiences: [US], keyThumbprint, now: NOW }, [
    "type",
    "key",
    "event",
    "audience",
    "times",
    "id",
  ]);

const EVENTS = { events: { "https://schemas.example/event": {} } };

describe.each(KINDS)("%s, as every JWT that others sign,", (name, kind) => {
  it(`passes as ${name} with what this kind must have`, () => {
    expect(faultOf(kind)).toBeUndefined();
  });

  it.each(["dpop+jwt", "id_token+jwt", "application/dpop+jwt", 7, null, {}])(
    `is not ${name} with the type %j`,
    (typ) => {
      expect(faultOf(kind, {}, { typ })).toBe("other-type");
    },
  );

  it(`is not ${name} without a type, or with a general one, unless the kind allows it`, () => {
    for (const type of [undefined, "jwt"]) {
      const fault = kind.types?.includes(type) ? undefined : "other-type";
      expect(faultOf(kind, {}, { typ: type?.toUpperCase() })).toBe(fault);
    }
  });

  it(`works for nobody as ${name} if it is bound to a key that the sender doesn't prove`, () => {
    const cnf = { jkt: KEY };
    expect(faultOf(kind, { cnf })).toBe("other-key");
    expect(faultOf(kind, { cnf }, {}, "B".repeat(43))).toBe("other-key");
    expect(faultOf(kind, { cnf: { "x5t#S256": KEY } }, {}, KEY)).toBe("other-key");
    expect(faultOf(kind, { cnf: { ...cnf, jwk: {} } }, {}, KEY)).toBe("other-key");
    expect(faultOf(kind, { cnf: null }, {}, KEY)).toBe("other-key");
    expect(faultOf(kind, { cnf }, {}, KEY)).toBeUndefined();
  });

  it(`is not ${name} if it describes an event, unless the kind is one`, () => {
    expect(faultOf(kind, EVENTS)).toBe(kind.isEvent ? undefined : "event");
  });

  it(`is not ${name} for another audience, and for others beside us only if the kind allows it`, () => {
    for (const aud of ["https://other.example", [], undefined, [[US]], { 0: US }, `${US}.example`]) {
      expect(faultOf(kind, { aud })).toBe("other-audience");
    }
    expect(faultOf(kind, { aud: [US] })).toBeUndefined();
    const shared = kind.sharesAudience ? undefined : "other-audience";
    expect(faultOf(kind, { aud: [US, "https://other.example"] })).toBe(shared);
  });

  it(`is no longer ${name} when it has expired, and never without an expiry unless the kind allows it`, () => {
    const tolerance = kind.expiryToleranceSeconds ?? CLOCK_TOLERANCE_SECONDS;
    expect(faultOf(kind, { exp: NOW - tolerance })).toBe("expired");
    expect(faultOf(kind, { exp: NOW - tolerance + 1 })).toBeUndefined();
    for (const exp of ["9999999999", Number.NaN, 9e15, null]) expect(faultOf(kind, { exp })).toBe("expired");
    expect(faultOf(kind, { exp: undefined })).toBe(kind.mayLackExpiry ? undefined : "expired");
  });

  it(`is not ${name} if it is good for longer than the kind may be`, () => {
    if (kind.lifetimeSecondsMax === Infinity) return;
    expect(faultOf(kind, { exp: NOW + kind.lifetimeSecondsMax })).toBeUndefined();
    expect(faultOf(kind, { exp: NOW + kind.lifetimeSecondsMax + 1 })).toBe("too-long");
  });

  it(`is not ${name} before it begins`, () => {
    expect(faultOf(kind, { nbf: LATER })).toBeUndefined();
    expect(faultOf(kind, { nbf: LATER + 1 })).toBe("early");
    expect(faultOf(kind, { iat: LATER + 1 })).toBe("early");
  });

  it(`is not ${name} without a time of its own if the kind must be recent`, () => {
    const fault = kind.ageSecondsMax === undefined ? undefined : "not-recent";
    expect(faultOf(kind, { iat: undefined })).toBe(fault);
    if (!kind.ageSecondsMax || kind.ageSecondsMax === Infinity) return;
    expect(faultOf(kind, { iat: NOW - kind.ageSecondsMax })).toBeUndefined();
    expect(faultOf(kind, { iat: NOW - kind.ageSecondsMax - 1 })).toBe("not-recent");
  });

  it(`is not ${name} without an id that can be remembered, unless the kind allows it`, () => {
    const fault = kind.mayLackId ? undefined : "no-id";
    for (const jti of [undefined, "", 7, "x".repeat(257)]) expect(faultOf(kind, { jti })).toBe(fault);
  });
});

describe("a whole check", () => {
  const refuse = (reason: string, description: string) => new Error(`${reason}: ${description}`);
  const check = (kind: RefusedKind, claims: Json, signature?: "signature-wrong") =>
    requireForeign(jwtOf(kind, claims), kind, { audiences: [US], now: NOW }, async () => signature, refuse);

  it("says nothing about claims that are compared with ours before the signature is verified", async () => {
    const strange = { aud: "https://other.example", exp: 1, jti: undefined };
    await expect(check(CLIENT_ASSERTION, strange, "signature-wrong")).rejects.toThrow("assertion_signature_wrong");
    await expect(check(CLIENT_ASSERTION, strange)).rejects.toThrow(`assertion_audience_wrong`);
    await expect(check(CLIENT_ASSERTION, strange)).rejects.toThrow(US);
  });

  it("returns the id, and until when it has to be remembered", async () => {
    expect(await check(ID_JAG, { exp: NOW + 60 })).toEqual({
      id: "one",
      goodUntil: NOW + 60 + CLOCK_TOLERANCE_SECONDS,
    });
    const age = LOGOUT_TOKEN.ageSecondsMax ?? 0;
    expect(await check(LOGOUT_TOKEN, { exp: NOW + 9e6, iat: NOW - 10 })).toEqual({
      id: "one",
      goodUntil: NOW - 10 + age + 1,
    });
    expect(await check(WORKLOAD_TOKEN, { jti: 7 })).toMatchObject({ id: "" });
  });
});
