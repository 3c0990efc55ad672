import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import { SIGNING_ALGORITHM } from "#crypto/signing-key.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { isResource } from "#protocol/resource-indicator.ts";
import { parseScopes, type Scope } from "#protocol/scopes.ts";
import type { Caller } from "./caller.ts";
import { isTime, requireBegun } from "./token-times.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

/** Clocks of isolates differ by less than this. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** A verified token: all that has to be looked at again on each request. */
interface VerifiedToken extends Caller {
  readonly issuer: string;
  readonly kid: string;
  readonly clientId: string;
  readonly isStaticClient: boolean;
  readonly grantId: string;
  readonly expiresAt: number;
  readonly resource: string;
}

/**
 * Verifies access tokens that this service issued (RFC 9068 §4).
 *
 * A token is verified once an isolate and then recognised whole, byte by byte; what can change meanwhile (its time, its key,
 * its grant, client and person) is checked on every request against the policy snapshot.
 */
export class OwnTokens {
  readonly #snapshots: PolicySnapshots;
  readonly #clock: Clock;
  readonly #verified = new VerifiedTokens<VerifiedToken>();

  constructor(snapshots: PolicySnapshots, clock: Clock) {
    this.#snapshots = snapshots;
    this.#clock = clock;
  }

  /** A token that this isolate has verified before. `undefined` says nothing about the token. */
  recognise(instance: RequestInstance, token: string): Caller | undefined {
    const verified = this.#verified.get(token);
    if (!verified || verified.issuer !== instance.issuer || !instance.policy.settings.oauthEnabled) return undefined;
    return this.#requireStanding(instance.policy, verified);
  }

  /**
   * @param jwt whose `iss` is this instance's
   * @throws {ApiError} `oauth_not_enabled` while the authorization server is off, `invalid_token` when anything does not hold
   */
  async verify(instance: RequestInstance, jwt: CompactJwt): Promise<Caller> {
    if (!instance.policy.settings.oauthEnabled) {
      throw new ApiError("oauth_not_enabled", { reason: "oauth_not_enabled" });
    }
    const policy = await this.#policyWithKey(instance, jwt);
    const kid = jwt.header["kid"];
    const key = typeof kid === "string" ? policy.publishedKeys.get(kid) : undefined;
    if (!key) throw invalid("token_key_unknown");
    if (jwt.header["typ"] !== "at+jwt") throw invalid("token_type_wrong");
    if (!(await isSignedBy(jwt, key.publicJwk, [SIGNING_ALGORITHM]))) throw invalid("token_signature_wrong");
    const verified = readClaims(jwt, instance.issuer, key.kid);
    if (jwt.payload["iat"] === undefined) throw invalid("token_issue_time_missing");
    requireBegun(jwt.payload, this.#clock(), CLOCK_TOLERANCE_SECONDS);
    const caller = this.#requireStanding(policy, verified);
    this.#verified.add(jwt.token, verified);
    return caller;
  }

  /** A key that the snapshot does not know may have been made a moment ago: look once more before refusing. */
  async #policyWithKey({ policy }: RequestInstance, jwt: CompactJwt): Promise<PolicySnapshot> {
    const { kid } = jwt.header;
    if (typeof kid !== "string" || policy.publishedKeys.has(kid)) return policy;
    return (await this.#snapshots.reread(policy.name)) ?? policy;
  }

  #requireStanding(policy: PolicySnapshot, token: VerifiedToken): Caller {
    if (token.expiresAt <= this.#clock())
      throw invalid("token_expired", "The access token has expired: refresh it or authorize again");
    if (!policy.publishedKeys.has(token.kid)) throw invalid("token_key_retired");
    if (policy.deactivatedPeople.has(token.personId))
      throw invalid("person_deactivated", "The person's account is deactivated");
    if (policy.revokedGrants.has(token.grantId))
      throw invalid("grant_revoked", "The access was revoked: authorize again");
    if (policy.disabledClients.has(token.clientId))
      throw invalid("client_disabled", "The client was disabled by an administrator");
    const { personId, resource, clientId } = token;
    return { personId, scopes: heldScopes(policy, token), resource, clientId };
  }
}

/** What the token's client still holds: an administrator may have narrowed it, or all clients that registered themselves. */
function heldScopes(policy: PolicySnapshot, { clientId, isStaticClient, scopes }: VerifiedToken): ReadonlySet<Scope> {
  const ofClient = policy.changedClients.get(clientId);
  if (isStaticClient && !ofClient) return scopes;
  const { dynamicScopes } = policy.settings;
  const isHeld = (scope: Scope) => (ofClient?.has(scope) ?? true) && (isStaticClient || dynamicScopes.includes(scope));
  return [...scopes].every(isHeld) ? scopes : new Set([...scopes].filter(isHeld));
}

function readClaims(jwt: CompactJwt, issuer: string, kid: string): VerifiedToken {
  const { iss, aud, exp, sub, client_id: clientId, grant_id: grantId, scope } = jwt.payload;
  if (iss !== issuer) throw invalid("token_issuer_wrong");
  if (!isResource(aud, issuer)) throw invalid("token_audience_wrong");
  if (!isTime(exp)) throw invalid("token_expiry_missing");
  if (
    typeof sub !== "string" ||
    typeof clientId !== "string" ||
    typeof grantId !== "string" ||
    typeof scope !== "string"
  ) {
    throw invalid("token_claims_missing");
  }
  const isStaticClient = jwt.payload["client_kind"] === "static";
  return {
    issuer,
    kid,
    personId: sub,
    clientId,
    isStaticClient,
    grantId,
    expiresAt: exp,
    resource: aud,
    scopes: new Set(parseScopes(scope)),
  };
}

function invalid(reason: string, description?: string): ApiError {
  return new ApiError("invalid_token", description === undefined ? { reason } : { reason, description });
}
