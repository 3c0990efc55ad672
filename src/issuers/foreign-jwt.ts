import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { isConfirmation } from "#protocol/access-token-claims.ts";
import { CLOCK_TOLERANCE_SECONDS, hasBegun, isNumericDate, isUnexpired } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { isSpendableId } from "#spent-ids/spent-ids.ts";
import type { KeyPublisher } from "./issuer-documents.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/**
 * What a kind of JWT that others sign may be. Everything that is left out is asked for: each kind says what it allows.
 */
export interface ForeignKind {
  /**
   * The types that its header may name, in lower case and without `application/`; `undefined`: it names none. Left out for ID tokens,
   * which come from the token endpoint itself and whose type is not standardised.
   */
  readonly types?: readonly (string | undefined)[];
  /** Whether it may describe security events (RFC 8417 §2.2). */
  readonly isEvent?: true;
  /** Whether it may be for others too. If it is valid at two servers, one of them can use it at the other. */
  readonly sharesAudience?: true;
  /** Whether it may have no expiry. */
  readonly mayLackExpiry?: true;
  /** Whether it may have no id of its own, and so be used again. */
  readonly mayLackId?: true;
  /** The most seconds from now until it expires. */
  readonly lifetimeSecondsMax: number;
  /** The most seconds since it was made, which it must then say. */
  readonly ageSecondsMax?: number;
  /** By how much its issuer's clock may be behind when it expires. */
  readonly expiryToleranceSeconds?: number;
}

/** What a JWT is presented with. */
export interface PresentedWith {
  /** The names of this server as its audience. */
  readonly audiences: readonly string[];
  /** The thumbprint of the key that the sender proves to have. */
  readonly keyThumbprint?: string | undefined;
  readonly now: number;
}

/** Why a JWT does not count as signed by its issuer. */
export type SignatureFault = "algorithm-not-allowed" | "key-unnamed" | "key-unknown" | "signature-wrong";

/** Why a signed JWT is not accepted as what it is presented as. */
export type JwtFault =
  | "other-type"
  | "other-key"
  | "event"
  | "other-audience"
  | "expired"
  | "too-long"
  | "not-recent"
  | "early"
  | "no-id";

/** A kind that is checked as a whole, and how it refuses each fault. `{audience}` and `{type}` stand for what is right. */
export interface RefusedKind extends ForeignKind {
  readonly refusals: Readonly<Record<JwtFault | SignatureFault, readonly [RefusalReason, string]>>;
}

type Check = (jwt: CompactJwt, kind: ForeignKind, presentedWith: PresentedWith) => JwtFault | undefined;

/** Everything that every kind is asked, apart from its signature. Extensions (`crit`) are refused with the signature, by `isSignedBy`. */
const CHECKS = {
  /** A JWT that was signed for another purpose has a valid signature, too (RFC 8725 §3.11). */
  type({ header: { typ } }, { types }) {
    const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : (typ as undefined);
    return types && !types.includes(type) ? "other-type" : undefined;
  },
  /**
   * A stolen token that is bound to a key (RFC 7800) has a valid signature, too. A `cnf` of another kind than a DPoP key can't be
   * proved here.
   */
  key: ({ payload: { cnf } }, _kind, { keyThumbprint }) =>
    cnf === undefined || (isConfirmation(cnf) && cnf.jkt === keyThumbprint) ? undefined : "other-key",
  event: ({ payload }, { isEvent }) => (payload["events"] === undefined || isEvent ? undefined : "event"),
  audience({ payload: { aud } }, { sharesAudience }, { audiences }) {
    const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    const isOurs = (audience: unknown) => typeof audience === "string" && audiences.includes(audience);
    const isForUs = sharesAudience ? named.some(isOurs) : named.length > 0 && named.every(isOurs);
    return isForUs ? undefined : "other-audience";
  },
  times({ payload }, kind, { now }) {
    const { exp, iat } = payload;
    const { ageSecondsMax, expiryToleranceSeconds = CLOCK_TOLERANCE_SECONDS, lifetimeSecondsMax } = kind;
    if (ageSecondsMax !== undefined && !(isNumericDate(iat) && iat >= now - ageSecondsMax)) return "not-recent";
    if (!hasBegun(payload, now)) return "early";
    if (exp === undefined && kind.mayLackExpiry) return undefined;
    if (!isUnexpired(exp, now, expiryToleranceSeconds)) return "expired";
    return exp > now + lifetimeSecondsMax ? "too-long" : undefined;
  },
  id: ({ payload: { jti } }, { mayLackId }) => (mayLackId || isSpendableId(jti) ? undefined : "no-id"),
} satisfies Record<string, Check>;

/** Asks a JWT some of what every kind is asked: what it is, for whom and when. Its signature says only who made it. */
export function findFault(
  jwt: CompactJwt,
  kind: ForeignKind,
  presentedWith: PresentedWith,
  checks: readonly (keyof typeof CHECKS)[],
): JwtFault | undefined {
  for (const name of checks) {
    const fault = (CHECKS[name] as Check)(jwt, kind, presentedWith);
    if (fault) return fault;
  }
  return undefined;
}

/** A JWT that passed every check. */
export interface AcceptedJwt {
  /** Its `jti`; empty if it has none, which only some kinds allow. */
  readonly id: string;
  /** The time from which it is refused as expired or too old: until then, its id has to be remembered if it works once. */
  readonly goodUntil: number;
}

/**
 * Checks a JWT: that it is of this kind and not bound to another key, then its signature, and only then what its claims say, so that
 * nobody without a key can probe which claims are accepted.
 *
 * @param refuse makes the refusal, in the form of the caller
 */
export async function requireForeign(
  jwt: CompactJwt,
  kind: RefusedKind,
  presentedWith: PresentedWith,
  signatureFault: () => Promise<SignatureFault | undefined>,
  refuse: (reason: RefusalReason, description: string, fault: JwtFault | SignatureFault) => Error,
): Promise<AcceptedJwt> {
  const fault =
    findFault(jwt, kind, presentedWith, ["type", "key", "event"]) ??
    (await signatureFault()) ??
    findFault(jwt, kind, presentedWith, ["audience", "times", "id"]);
  if (fault) {
    const [reason, description] = kind.refusals[fault];
    const right = { "{audience}": presentedWith.audiences[0] ?? "", "{type}": kind.types?.find(Boolean) ?? "" };
    throw refuse(
      reason,
      description.replace(/\{\w+\}/, (name) => right[name as keyof typeof right]),
      fault,
    );
  }
  const { exp, iat, jti } = jwt.payload;
  const { ageSecondsMax = Infinity, expiryToleranceSeconds = CLOCK_TOLERANCE_SECONDS } = kind;
  const ends = isNumericDate(exp) ? exp + expiryToleranceSeconds : Infinity;
  const ages = isNumericDate(iat) ? iat + ageSecondsMax + 1 : Infinity;
  return { id: isSpendableId(jti) ? jti : "", goodUntil: Math.min(ends, ages) };
}

/**
 * Checks that an issuer signed a JWT: with an allowed algorithm, and with the published key that the header names.
 *
 * @param algorithms the allowed ones, whatever the header says (RFC 8725 §3.1)
 * @throws {ApiError} `temporarily_unavailable` if no keys of the issuer are known
 */
export async function findSignatureFault(
  jwt: CompactJwt,
  issuer: KeyPublisher,
  algorithms: readonly string[],
  keys: Pick<IssuerKeys, "find">,
  waitUntil: WaitUntil,
): Promise<SignatureFault | undefined> {
  const { alg, kid } = jwt.header;
  const algorithm = algorithms.find((allowed) => allowed === alg);
  if (algorithm === undefined) return "algorithm-not-allowed";
  if (typeof kid !== "string" || kid === "") return "key-unnamed";
  const key = await keys.find(issuer, kid, algorithm, waitUntil);
  if (!key) return "key-unknown";
  return (await isSignedBy(jwt, key, [algorithm])) ? undefined : "signature-wrong";
}
