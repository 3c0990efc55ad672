import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import { randomId } from "#crypto/random.ts";
import { haveRequired } from "#people/directory-claims.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { type HostNaming, isInstanceIssuer } from "#platform/host-naming.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { Caller } from "./caller.ts";
import { isTime, requireBegun } from "./token-times.ts";
import { VerifiedTokens } from "./verified-tokens.ts";
import { readIdentity, speaksFor } from "./external-identity.ts";
import type { ExternalPeople } from "#people/external-people.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { PublicJwk } from "#issuers/key-set.ts";
import { requireRegisteredClient } from "#issuers/registered-client.ts";

/** Other people's servers keep other people's time. */
const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * An isolate goes by what it has verified for this long. Then the person is looked at again: who was deactivated longer ago than a
 * day stands in no policy snapshot.
 */
const REMEMBERED_SECONDS_MAX = 3600;

/** Types that say "access token" or nothing (RFC 9068 §2.1, RFC 7519 §5.1); a logout token's, or a proof's, says otherwise. */
const TOKEN_TYPES = [undefined, "jwt", "at+jwt", "application/at+jwt"];

interface VerifiedToken {
  /** Instances may register the same issuer; a person is one instance's. */
  readonly instanceId: number;
  /** As it was registered when the token was verified. */
  readonly issuer: ExternalIssuer;
  /** What its signature was verified with. */
  readonly key: PublicJwk;
  readonly algorithm: string;
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Until when it is taken as verified, at most until it expires. */
  readonly trustedUntil: number;
}

/**
 * Verifies access tokens that identity providers issued and an administrator lets in. Like own tokens they are verified once an
 * isolate and recognised whole; what can change meanwhile (time, registration, key, person) is looked at on every request.
 */
export class ExternalTokens {
  readonly #keys: IssuerKeys;
  readonly #people: ExternalPeople;
  readonly #clock: Clock;
  readonly #naming: HostNaming;
  readonly #verified = new VerifiedTokens<VerifiedToken>();

  constructor(keys: IssuerKeys, people: ExternalPeople, clock: Clock, naming: HostNaming) {
    this.#naming = naming;
    this.#keys = keys;
    this.#people = people;
    this.#clock = clock;
  }

  /** A token that this isolate has verified before, and that still holds. `undefined` says nothing about the token. */
  recognise(policy: PolicySnapshot, token: string, waitUntil: WaitUntil): Caller | undefined {
    const verified = this.#verified.get(token);
    if (!verified) return undefined;
    const { instanceId, issuer, key, algorithm, trustedUntil, personId } = verified;
    const holds =
      instanceId === policy.instanceId &&
      policy.settings.externalTokensEnabled &&
      policy.externalIssuers.get(issuer.issuer) === issuer &&
      trustedUntil > this.#clock() &&
      !policy.deactivatedPeople.has(personId) &&
      this.#keys.holds(issuer, key, algorithm, waitUntil);
    if (holds) return verified;
    this.#verified.remove(token);
    return undefined;
  }

  /**
   * Nothing in the token is believed before its signature holds, but the issuer, which selects the key.
   *
   * @throws {ApiError} 403 when external tokens are off, or the issuer or client is not registered; 401 `invalid_token` when
   *   anything else does not hold; 503 when the issuer's keys cannot be had
   */
  async verify(policy: PolicySnapshot, jwt: CompactJwt, waitUntil: WaitUntil): Promise<Caller> {
    const issuer = requireRegisteredIssuer(policy, jwt, this.#naming);
    const { kid, alg: algorithm, typ: type } = jwt.header;
    if (typeof algorithm !== "string" || !(issuer.algorithms as readonly string[]).includes(algorithm)) {
      throw invalid("external_algorithm_not_allowed", "The token's signature algorithm is not allowed for its issuer");
    }
    if (!TOKEN_TYPES.includes(typeof type === "string" ? type.toLowerCase() : (type as undefined))) {
      throw invalid("external_token_type_wrong", "This JWT is not an access token: its header says another type");
    }
    if (typeof kid !== "string" || kid === "") throw invalid("external_key_unnamed", "The token names no key (kid)");
    const key = await this.#keys.find(issuer, kid, algorithm, waitUntil);
    if (!key) throw invalid("external_key_unknown", "The token's key is not among those that its issuer publishes");
    if (!(await isSignedBy(jwt, key, [algorithm]))) {
      throw invalid("external_signature_wrong", "The token's signature does not hold");
    }
    requireRegisteredClient(jwt.payload, issuer);
    const verified = {
      instanceId: policy.instanceId,
      issuer,
      key,
      algorithm,
      ...(await this.#admit(policy, jwt, issuer)),
    };
    this.#verified.add(jwt.token, verified);
    return verified;
  }

  /** What the claims themselves must say: for whom, until when, and who. */
  async #admit(policy: PolicySnapshot, { header, payload: claims }: CompactJwt, issuer: ExternalIssuer) {
    const now = this.#clock();
    const { exp: expiresAt, iat, cnf, events } = claims;
    if (!isForAudience(claims["aud"], issuer.audiences)) {
      throw invalid("external_audience_wrong", `The token is for another API: request it for ${issuer.audiences[0]}`);
    }
    // Bound to a key or certificate that a bearer does not show (RFC 9449 §7.2, RFC 8705 §3): stolen tokens look like this.
    if (cnf !== undefined)
      throw invalid("external_token_sender_constrained", "Sender-constrained tokens are not taken");
    // Logout tokens and other security events (RFC 8417 §2.2), many of which go without a type of their own.
    if (events !== undefined)
      throw invalid("external_token_is_event", "This JWT tells of an event: it is no access token");
    if (issuer.audiences.length === 0 && !saysAccessToken(header["typ"]) && isIdToken(claims, issuer)) {
      throw invalid(
        "external_token_is_id_token",
        "This is an ID token, which is for its application: send an access token",
      );
    }
    if (!haveRequired(claims, issuer.requiredClaims)) {
      throw invalid("external_required_claim_differs", "The token belongs to another organisation of its issuer");
    }
    if (!isTime(expiresAt)) throw invalid("external_expiry_missing", "The token does not say when it expires");
    if (expiresAt > now + issuer.tokenLifetimeSecondsMax + CLOCK_TOLERANCE_SECONDS) {
      throw invalid("external_expiry_too_far", "The token lives longer than its issuer's access tokens may");
    }
    if (expiresAt <= now) throw invalid("external_token_expired", "The access token has expired: get a new one");
    requireBegun(claims, now, CLOCK_TOLERANCE_SECONDS);
    const identity = readIdentity(claims, issuer);
    const issuedAt = isTime(iat) ? Math.min(iat, now) : 0;
    const found = await this.#people.find(policy.instanceId, identity, issuedAt, randomId(), now);
    if (found === "unknown") {
      throw invalid(
        "external_person_unknown",
        "The token's person is not known here: they sign in once, then try again",
      );
    }
    if (found === "taken") {
      throw invalid(
        "external_email_taken",
        "Another account of this provider has acted for this email address: an administrator releases the person",
      );
    }
    if (found.isDeactivated) throw invalid("person_deactivated", "The person's account is deactivated");
    // The provider's domains may have been narrowed since the account was linked.
    if (issuer.personBy === "email" && !speaksFor(issuer, found.email)) {
      throw invalid(
        "external_email_domain_foreign",
        "The token's person has an email address of a domain that this provider does not speak for",
      );
    }
    return {
      personId: found.personId,
      scopes: new Set<Scope>(issuer.scopes),
      trustedUntil: Math.min(expiresAt, now + REMEMBERED_SECONDS_MAX),
    };
  }
}

function requireRegisteredIssuer(policy: PolicySnapshot, jwt: CompactJwt, naming: HostNaming): ExternalIssuer {
  if (!policy.settings.externalTokensEnabled || policy.externalIssuers.size === 0) {
    throw new ApiError("oauth_not_enabled", {
      reason: "external_tokens_not_enabled",
      description:
        "OAuth is not enabled for identity providers' tokens on this instance: an administrator registers the provider",
    });
  }
  const { iss } = jwt.payload;
  const issuer = typeof iss === "string" ? policy.externalIssuers.get(iss) : undefined;
  if (!issuer && isInstanceIssuer(iss, naming)) {
    throw new ApiError("issuer_not_registered", {
      reason: "token_of_another_instance",
      description: "This access token is for another instance of this service: authorize at this one",
    });
  }
  if (!issuer) throw new ApiError("issuer_not_registered", { reason: "external_issuer_not_registered" });
  return issuer;
}

/** RFC 7519 §4.1.3. Without registered audiences the client id alone says that a token is meant for here. */
function isForAudience(aud: unknown, audiences: readonly string[]): boolean {
  if (audiences.length === 0) return true;
  const named: unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.some((audience) => typeof audience === "string" && audiences.includes(audience));
}

/** RFC 9068 §2.1. */
function saysAccessToken(type: unknown): boolean {
  return typeof type === "string" && /^(application\/)?at\+jwt$/i.test(type);
}

/**
 * An ID token is for the application that it was issued to (OpenID Connect Core §2), and where no audience is registered nothing
 * else tells it from an access token.
 */
function isIdToken(claims: Readonly<Record<string, unknown>>, { clientIds }: ExternalIssuer): boolean {
  if (["nonce", "at_hash", "c_hash", "s_hash"].some((claim) => claims[claim] !== undefined)) return true;
  const named: unknown[] = Array.isArray(claims["aud"]) ? claims["aud"] : [claims["aud"]];
  return named.some((audience) => typeof audience === "string" && clientIds.includes(audience));
}

function invalid(reason: string, description: string): ApiError {
  return new ApiError("invalid_token", { reason, description });
}
