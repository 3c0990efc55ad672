import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { findMisuse } from "#crypto/jwt-misuse.ts";
import { randomId } from "#crypto/random.ts";
import type { AssertionBasis } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { type ExternalIssuer, givesIdJags } from "#issuers/external-issuer.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { findSignatureFault, type SignatureFault } from "#issuers/issuer-signature.ts";
import { signInAccountClaimOf } from "#issuers/vendor-rules.ts";
import { haveRequired } from "#people/directory-claims.ts";
import type { ExternalPeople } from "#people/external-people.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { OAuthError } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, hasBegun, isNumericDate, isUnexpired } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { isResource, isWithin } from "#protocol/resource-indicator.ts";
import { parseScopes, type Scope } from "#protocol/scopes.ts";
import { readIdentity, requireFound } from "#single-sign-on/external-identity.ts";
import { isSpendableId, SPENT_ID_SECONDS_MAX, type SpentIds } from "#spent-ids/spent-ids.ts";
import { asGrantError, PROOF_REQUIRED, refused } from "./asserted-grant.ts";

/** The access that an identity assertion (ID-JAG) grants an app for a person, without a consent page. */
export interface Assertion {
  readonly issuer: ExternalIssuer;
  readonly personId: string;
  /** The scopes that the identity provider allows; `null` if it leaves that to this server. */
  readonly scopes: readonly Scope[] | null;
  readonly resource: string;
  readonly basis: AssertionBasis;
}

/** The request that presents an assertion. */
export interface PresentedWith {
  /** The client that has authenticated itself. */
  readonly clientId: string;
  /** The resource that the request names. */
  readonly resource: string | undefined;
  /** The thumbprint of the key that the request proves. */
  readonly keyThumbprint: string | undefined;
}

const TYPES = ["oauth-id-jag+jwt"];

const UNSIGNED = "The assertion is not signed by a key that its issuer publishes";

const SIGNATURE_REFUSALS: Readonly<Record<SignatureFault, readonly [RefusalReason, string]>> = {
  "algorithm-not-allowed": ["external_algorithm_not_allowed", "The assertion's algorithm is not allowed"],
  "key-unnamed": ["external_key_unnamed", "The assertion has no kid"],
  "key-unknown": ["external_signature_wrong", UNSIGNED],
  "signature-wrong": ["external_signature_wrong", UNSIGNED],
};

/** Identity assertions of identity providers (draft-ietf-oauth-identity-assertion-authz-grant-04). */
export class IdJags {
  readonly #keys: IssuerKeys;
  readonly #people: ExternalPeople;
  readonly #spentIds: SpentIds;

  constructor(keys: IssuerKeys, people: ExternalPeople, spentIds: SpentIds) {
    this.#keys = keys;
    this.#people = people;
    this.#spentIds = spentIds;
  }

  /**
   * Verifies an assertion, spends it and finds its person (§4.4.1). Until its signature is verified, nothing in it is trusted
   * except the issuer, which selects the key.
   *
   * @throws {OAuthError} `invalid_grant` if any check fails; `invalid_target` for a resource that the assertion is not for;
   *   `temporarily_unavailable` while the issuer's keys are unavailable
   */
  async redeem(
    instance: RequestInstance,
    jwt: CompactJwt,
    { clientId, resource: wanted, keyThumbprint }: PresentedWith,
    waitUntil: WaitUntil,
    now: number,
  ): Promise<Assertion> {
    const { payload } = jwt;
    const issuer = idJagIssuerOf(instance, jwt);
    if (!issuer) {
      throw refused("id_jag_issuer_unknown", "The issuer's identity assertions are not accepted: ask an administrator");
    }
    await asGrantError(() => this.#requireSignature(jwt, issuer, waitUntil));
    requireClient(payload["client_id"], clientId, issuer);
    requireAudience(payload["aud"], instance.issuer);
    if (!haveRequired(payload, issuer.requiredClaims)) {
      throw refused("external_required_claim_differs", "The assertion belongs to another organisation of its issuer");
    }
    requireProof(jwt, keyThumbprint);
    if (payload["authorization_details"] !== undefined) {
      // They would narrow the grant in a way that this server does not enforce.
      throw refused("id_jag_with_details", "authorization_details are not supported: use scope");
    }
    const scopes = scopesIn(payload["scope"]);
    const resource = resourceIn(payload["resource"], wanted, instance.issuer);
    const { id, expiresAt, issuedAt } = requireTimes(payload, now);
    const identity = await asGrantError(() => readIdentity(payload, asAssertion(issuer)));
    const { instanceId } = instance.policy;
    const isFirst = await this.#spentIds.spend({
      instanceId,
      purpose: "id_jag",
      sender: issuer.issuer,
      id,
      expiresAt: expiresAt + CLOCK_TOLERANCE_SECONDS,
    });
    if (!isFirst) throw refused("id_jag_replayed", "The assertion was used before: get a new one");
    const found = await this.#people.find(instanceId, identity, Math.min(issuedAt, now), randomId(), now);
    const personId = await asGrantError(() => requireFound(found, issuer, payload["iat"]));
    const signedOutAt = typeof found === "string" ? null : found.signedOutAt;
    return { issuer, personId, scopes, resource, basis: { policyVersion: instance.policy.version, signedOutAt } };
  }

  async #requireSignature(jwt: CompactJwt, issuer: ExternalIssuer, waitUntil: WaitUntil): Promise<void> {
    const fault = await findSignatureFault(jwt, issuer, issuer.algorithms, this.#keys, waitUntil);
    if (fault) throw refused(...SIGNATURE_REFUSALS[fault]);
  }
}

/**
 * Finds the issuer that an assertion names, if an administrator lets it assert identities. It is trusted once the signature is
 * verified.
 */
export function idJagIssuerOf({ policy }: RequestInstance, { payload }: CompactJwt): ExternalIssuer | undefined {
  const { iss } = payload;
  const issuer = typeof iss === "string" ? policy.externalIssuers.get(iss) : undefined;
  return issuer && givesIdJags(issuer) ? issuer : undefined;
}

/** Checks the type of a JWT: nothing that was signed for another purpose is an assertion (RFC 8725 §3.11). */
export function isIdJag(jwt: CompactJwt): boolean {
  return findMisuse(jwt, { types: TYPES }) !== "other-type";
}

/** Adapts an issuer to identity assertions, which name people as ID tokens do and not as access tokens do. */
function asAssertion(issuer: ExternalIssuer): ExternalIssuer {
  const accountClaim = signInAccountClaimOf(issuer);
  return { ...issuer, accountClaim, personClaim: issuer.personBy === "subject" ? "sub" : issuer.personClaim };
}

/** Requires that the assertion is for the client that presents it, and that an administrator has listed that client. */
function requireClient(named: unknown, clientId: string, { clientIds }: ExternalIssuer): void {
  if (named !== clientId) throw refused("id_jag_of_another_client", "The assertion was issued for another client");
  if (!clientIds.includes(clientId)) {
    throw refused("id_jag_client_not_listed", "An administrator has not listed this client for the issuer");
  }
}

/** Requires this server as the only audience. A slash after the origin means the same URL, and URL libraries add it by themselves. */
function requireAudience(aud: unknown, issuer: string): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length === 1 && (named[0] === issuer || named[0] === `${issuer}/`)) return;
  throw refused("id_jag_audience_wrong", `The assertion's audience must be ${issuer} alone`);
}

/** Requires that a request with a key-bound assertion proves that key (§9.8.1.2). */
function requireProof(jwt: CompactJwt, keyThumbprint: string | undefined): void {
  const misuse = findMisuse(jwt, { types: TYPES, keyThumbprint });
  if (misuse === "other-key") throw refused("assertion_of_another_key", PROOF_REQUIRED);
  if (misuse) throw refused("assertion_type_wrong", "The assertion describes an event");
}

function scopesIn(scope: unknown): readonly Scope[] | null {
  if (scope === undefined) return null;
  if (typeof scope === "string") return parseScopes(scope);
  throw refused("id_jag_scope_malformed", "The assertion's scope must be a string");
}

/**
 * Returns the resource to grant: the requested one, which must be within one of the assertion's; if none is requested, the
 * assertion's first.
 */
function resourceIn(claim: unknown, wanted: string | undefined, issuer: string): string {
  if (claim === undefined) return wanted ?? issuer;
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const known = named
    .map((resource) => (typeof resource === "string" ? resource.replace(/\/$/, "") : resource))
    .filter((resource) => isResource(resource, issuer));
  const [first] = known;
  if (first === undefined) throw refused("id_jag_resource_unknown", "The assertion is for no resource of this server");
  if (wanted === undefined) return first;
  if (known.some((resource) => isWithin(wanted, resource))) return wanted;
  throw new OAuthError("invalid_target", {
    reason: "resource_beyond_grant",
    description: `The assertion is for ${known.join(", ")}: request that, or a resource below it`,
  });
}

function requireTimes({ exp, iat, nbf, jti }: CompactJwt["payload"], now: number) {
  if (!isSpendableId(jti)) {
    throw refused("id_jag_id_malformed", "The assertion needs an id of its own (jti)");
  }
  if (!isNumericDate(exp) || !isNumericDate(iat)) throw refused("id_jag_expired", "The assertion needs exp and iat");
  if (!isUnexpired(exp, now)) throw refused("id_jag_expired", "The assertion has expired: get a new one");
  if (exp > now + SPENT_ID_SECONDS_MAX - CLOCK_TOLERANCE_SECONDS) {
    throw refused("id_jag_too_long", "The assertion must expire within an hour");
  }
  if (!hasBegun({ iat, nbf }, now)) {
    throw refused("id_jag_not_yet_valid", "The assertion is not valid yet: check its issuer's clock");
  }
  return { id: jti, expiresAt: exp, issuedAt: Math.floor(iat) };
}
