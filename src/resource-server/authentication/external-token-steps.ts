import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { findFault, type ForeignKind, type JwtFault } from "#issuers/foreign-jwt.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { PublicJwk } from "#issuers/key-set.ts";
import { clientClaimOf, requireRegisteredClient } from "#issuers/registered-client.ts";
import { scopesNamedIn } from "#issuers/token-scopes.ts";
import { haveRequired } from "#people/directory-claims.ts";
import { type HostNaming, isInstanceIssuer } from "#platform/host-naming.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { isConfirmation } from "#protocol/access-token-claims.ts";
import { ApiError } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, isNumericDate } from "#protocol/numeric-date.ts";
import { requireTokenForm } from "./bearer.ts";
import { invalid, PERSON_STEP, type TokenPerson } from "./external-person-step.ts";
import { claim, list, notYetValid, shown, type Step, timesFact } from "./steps.ts";

/**
 * An access token. Its types mean that, or it has none (RFC 9068 §2.1, RFC 7519 §5.1): a logout token or a DPoP proof has another.
 * It expires at once, because it is checked again with each request.
 */
export const EXTERNAL_ACCESS_TOKEN: ForeignKind = {
  types: [undefined, "jwt", "at+jwt"],
  sharesAudience: true,
  expiryToleranceSeconds: 0,
  lifetimeSecondsMax: CLOCK_TOLERANCE_SECONDS,
};

/** A JWT that the request announces as an identity provider's. */
export interface PresentedExternalToken extends TokenPerson {
  readonly policy: PolicySnapshot;
  readonly authTypeHeader: string;
  readonly naming: HostNaming;
  readonly keys: IssuerKeys;
  readonly waitUntil: WaitUntil;
  /** The key that the token names, once it is found. */
  key?: PublicJwk;
}

/**
 * The checks of an identity provider's access token. Until its signature is verified, nothing in the token is trusted except the
 * issuer, which selects the key.
 *
 * A step throws 403 if external tokens are off, or the issuer or client is not registered; 401 `invalid_token` if any other check
 * fails; 503 if the issuer's keys are unavailable.
 */
export const EXTERNAL_TOKEN_STEPS: readonly Step<PresentedExternalToken>[] = [
  {
    title: "Form",
    check: ({ jwt }) => requireTokenForm(jwt.token),
    fact: ({ authTypeHeader }) => `It is a signed JWT, and the header ${authTypeHeader}: OAUTH announces it.`,
  },
  {
    title: "Identity providers’ tokens",
    check({ policy }) {
      if (policy.settings.externalTokensEnabled && policy.externalIssuers.size > 0) return;
      throw new ApiError("oauth_not_enabled", {
        reason: "external_tokens_not_enabled",
        description:
          "OAuth is not enabled for identity providers' tokens: ask an administrator to register the provider",
      });
    },
    fact: ({ policy }) =>
      `The setting is ${policy.settings.externalTokensEnabled ? "on" : "off"}; enabled providers: ${policy.externalIssuers.size}.`,
  },
  { title: "Issuer", check: (presented) => void issuerOf(presented), fact: issuerFact },
  {
    title: "Algorithm",
    check: (presented) => void algorithmOf(presented),
    fact: ({ jwt, issuer }) =>
      `The header’s alg is ${shown(jwt.header["alg"])}; allowed for this issuer: ${list(issuer?.algorithms ?? [])}.`,
  },
  {
    title: "Type",
    check(presented) {
      if (!faultOf(presented, "type")) return;
      throw invalid("external_token_type_wrong", "This JWT is not an access token: its header has another type");
    },
    fact: ({ jwt }) => `The header’s typ is ${shown(jwt.header["typ"])}; it must be at+jwt, JWT or absent.`,
  },
  {
    title: "Key",
    async check(presented) {
      const { kid } = presented.jwt.header;
      if (typeof kid !== "string" || kid === "") throw invalid("external_key_unnamed", "The token has no key id (kid)");
      const { keys, waitUntil } = presented;
      const key = await keys.find(issuerOf(presented), kid, algorithmOf(presented), waitUntil);
      if (!key) throw invalid("external_key_unknown", "The token's key is not among those that its issuer publishes");
      presented.key = key;
    },
    fact({ jwt, keys, issuer }) {
      const published = issuer ? keys.published(issuer) : [];
      const named = published.length === 0 ? "" : ` (${published.slice(0, 10).join(", ")})`;
      return `The header’s kid is ${shown(jwt.header["kid"])}; keys that the issuer publishes: ${published.length}${named}.`;
    },
  },
  {
    title: "Signature",
    async check(presented) {
      const { jwt, key } = presented;
      if (key && (await isSignedBy(jwt, key, [algorithmOf(presented)]))) return;
      throw invalid("external_signature_wrong", "The token's signature is invalid");
    },
    fact: () =>
      "It must be that key’s signature over exactly this token: a changed or truncated token, or one that contains a key, fails.",
  },
  {
    title: "Application",
    check: (presented) => void requireRegisteredClient(presented.jwt.payload, issuerOf(presented)),
    fact: applicationFact,
  },
  {
    title: "Audience",
    check(presented) {
      const { audiences } = issuerOf(presented);
      // Without registered audiences, only the client id shows that a token is meant for this service.
      if (audiences.length === 0 || !faultOf(presented, "audience")) return;
      throw invalid("external_audience_wrong", `The token is for another API: request it for ${audiences[0]}`);
    },
    fact: ({ jwt, issuer }) =>
      `${claim(jwt.payload, "aud", "The")}; ${issuer?.audiences.length ? `it must hold one of these: ${issuer.audiences.join(", ")}` : "this issuer has no audience set, so any is accepted"}.`,
  },
  {
    title: "Kind of token",
    check: requireAccessToken,
    fact: ({ jwt }) =>
      `It must be an access token, and no ID token; ${claim(jwt.payload, "cnf")}, which may only name a DPoP key (jkt), and ${claim(jwt.payload, "events")}.`,
  },
  {
    title: "Organisation",
    check(presented) {
      if (haveRequired(presented.jwt.payload, issuerOf(presented).requiredClaims)) return;
      throw invalid("external_required_claim_differs", "The token belongs to another organisation of its issuer");
    },
    fact({ jwt, issuer }) {
      const required = Object.entries(issuer?.requiredClaims ?? {});
      if (required.length === 0) return "This issuer’s tokens need no particular claim.";
      return required
        .map(([name, value]) => `The claim ${name} must be ${shown(value)}; ${claim(jwt.payload, name)}.`)
        .join(" ");
    },
  },
  {
    title: "Scopes",
    check: () => undefined,
    fact({ jwt, issuer }) {
      const named = `It names these scopes of this service: ${list(scopesNamedIn(jwt.payload))}.`;
      if (!issuer) return named;
      const otherwise = issuer.scopesRequired
        ? "without a name, a token has none"
        : "a token that names none has all of them";
      return `${named} Those that this issuer’s tokens can have are ${list(issuer.scopes)}; ${otherwise}.`;
    },
  },
  { title: "Times", check: requireTimes, fact: ({ jwt, now }) => timesFact(jwt.payload, now) },
  PERSON_STEP,
];

/** Returns the registration of the token's issuer. @throws {ApiError} `issuer_not_registered` */
export function issuerOf({ jwt, issuer, naming }: PresentedExternalToken): ExternalIssuer {
  if (issuer) return issuer;
  if (isInstanceIssuer(jwt.payload["iss"], naming)) {
    throw new ApiError("issuer_not_registered", {
      reason: "token_of_another_instance",
      description: "This access token is for another instance of this service: authorize at this one",
    });
  }
  throw new ApiError("issuer_not_registered", { reason: "external_issuer_not_registered" });
}

function issuerFact({ jwt, issuer, policy }: PresentedExternalToken): string {
  const named = claim(jwt.payload, "iss", "The");
  if (issuer) return `${named}, which is registered as ${issuer.name}.`;
  const enabled = list([...policy.externalIssuers.keys()]);
  return `${named}; it must be exactly one of these, which are registered and enabled: ${enabled}.`;
}

function algorithmOf(presented: PresentedExternalToken): string {
  const { alg: algorithm } = presented.jwt.header;
  const allowed: readonly string[] = issuerOf(presented).algorithms;
  if (typeof algorithm === "string" && allowed.includes(algorithm)) return algorithm;
  throw invalid("external_algorithm_not_allowed", "The token's signature algorithm is not allowed for its issuer");
}

function applicationFact({ jwt, issuer }: PresentedExternalToken): string {
  if (!issuer) return "";
  const name = clientClaimOf(jwt.payload, issuer);
  const named = name === undefined ? "No claim names the application" : claim(jwt.payload, name, "The");
  return `${named}; accepted client ids: ${issuer.clientIds.join(", ")}.`;
}

/** Asks what every foreign JWT is asked. The proof of the key is checked with each request, so here a token may name any. */
function faultOf(
  { jwt, issuer, now }: PresentedExternalToken,
  ...checks: Parameters<typeof findFault>[3]
): JwtFault | undefined {
  const { tokenLifetimeSecondsMax = 0, audiences = [] } = issuer ?? {};
  const lifetimeSecondsMax = tokenLifetimeSecondsMax + CLOCK_TOLERANCE_SECONDS;
  const presentedWith = { audiences, keyThumbprint: keyThumbprintOf(jwt), now };
  return findFault(jwt, { ...EXTERNAL_ACCESS_TOKEN, lifetimeSecondsMax }, presentedWith, checks);
}

function requireAccessToken(presented: PresentedExternalToken): void {
  const { jwt } = presented;
  const { header, payload: claims } = jwt;
  const fault = faultOf(presented, "key", "event");
  // Bound to a certificate (RFC 8705 §3), or to something newer that can't be checked here: such a token may be stolen.
  if (fault === "other-key") {
    throw invalid(
      "external_token_sender_constrained",
      "Tokens can be bound to a DPoP key (cnf with jkt) and to nothing else",
    );
  }
  // Logout tokens and other security events (RFC 8417 §2.2), many of which have no type.
  if (fault === "event")
    throw invalid("external_token_is_event", "This JWT describes an event: it is not an access token");
  const issuer = issuerOf(presented);
  if (issuer.audiences.length === 0 && !saysAccessToken(header["typ"]) && isIdToken(claims, issuer)) {
    throw invalid(
      "external_token_is_id_token",
      "This is an ID token, which is for its application: send an access token",
    );
  }
}

/** Checks whether a type names an access token (RFC 9068 §2.1). */
function saysAccessToken(type: unknown): boolean {
  return typeof type === "string" && /^(application\/)?at\+jwt$/i.test(type);
}

/**
 * Checks whether a token is an ID token. An ID token is for the application that it was issued to (OpenID Connect Core §2), and
 * if no audience is registered, nothing else tells it from an access token.
 */
function isIdToken(claims: Readonly<Record<string, unknown>>, { clientIds }: ExternalIssuer): boolean {
  if (["nonce", "at_hash", "c_hash", "s_hash"].some((name) => claims[name] !== undefined)) return true;
  const named: unknown[] = Array.isArray(claims["aud"]) ? claims["aud"] : [claims["aud"]];
  return named.some((audience) => typeof audience === "string" && clientIds.includes(audience));
}

/** Returns the thumbprint of the key that an admitted token is bound to, if any. */
export function keyThumbprintOf({ payload: { cnf } }: CompactJwt): string | undefined {
  return isConfirmation(cnf) ? cnf.jkt : undefined;
}

/** Returns when the token expires. @throws {ApiError} `invalid_token` if it does not say */
export function expiryOf({ payload: { exp } }: CompactJwt): number {
  if (isNumericDate(exp)) return exp;
  throw invalid("external_expiry_missing", "The token has no expiry");
}

function requireTimes(presented: PresentedExternalToken): void {
  expiryOf(presented.jwt);
  const fault = faultOf(presented, "times");
  if (fault === "too-long") {
    throw invalid("external_expiry_too_far", "The token's lifetime exceeds the maximum for its issuer");
  }
  if (fault === "expired") throw invalid("external_token_expired", "The access token has expired: get a new one");
  if (fault) throw notYetValid();
}
