import { mustBeBound } from "#dpop/dpop-proof.ts";
import { findActingFault } from "#clients/acting-apps.ts";
import { isAllowedTo } from "#clients/allowed-scopes.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ActingApp } from "#protocol/access-token-claims.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { Caller } from "./caller.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** A verified token, with everything that is checked again on each request. */
export interface VerifiedOwnToken extends Caller {
  readonly issuer: string;
  readonly kid: string;
  readonly clientId: string;
  readonly isStaticClient: boolean;
  /** The client, if it exchanged a token, and the apps from which it has the access; otherwise empty. */
  readonly acting: readonly ActingApp[];
  /** The known host that the client is, if it has scopes by that. */
  readonly clientHost: string | undefined;
  readonly grantId: string;
  readonly expiresAt: number;
  readonly resource: string;
}

/**
 * Requires that a verified token is still valid: its time, its key, its person and grant; and then that its client is still
 * registered and enabled (docs/decisions/0035-clients-that-may-not-call.md).
 *
 * @throws {ApiError} `invalid_token`, or 403 `client_not_registered` or `client_not_enabled`
 */
export function requireStanding(policy: PolicySnapshot, token: VerifiedOwnToken, now: number): Caller {
  requireUnexpired(token, now);
  if (!policy.publishedKeys.has(token.kid)) throw ended(token, "token_key_retired");
  if (policy.deactivatedPeople.has(token.personId))
    throw ended(token, "person_deactivated", "The person's account is deactivated");
  const whyRevoked = policy.revokedGrants.get(token.grantId);
  if (whyRevoked === "client_removed") throw withoutClient(token, "client_not_registered", "client_removed");
  if (whyRevoked !== undefined) throw ended(token, "grant_revoked", "The access was revoked: authorize again");
  const fault = policy.disabledClients.has(token.clientId) ? "client_disabled" : findActingFault(policy, token.acting);
  if (fault === "client_disabled") throw withoutClient(token, "client_not_enabled", fault);
  if (fault) throw ended(token, fault, "An administrator no longer lets this app act with other apps' access");
  if (token.keyThumbprint === undefined && mustBeBound(policy.settings)) {
    throw ended(token, "token_must_be_bound", "Tokens must be bound to a key here: authorize again, with DPoP");
  }
  const { personId, resource, clientId, grantId, keyThumbprint, apps } = token;
  return {
    personId,
    scopes: heldScopes(policy, token),
    resource,
    clientId,
    grantId,
    keyThumbprint,
    apps,
  };
}

/** Requires that a token has not expired. @throws {ApiError} `invalid_token` */
export function requireUnexpired(token: VerifiedOwnToken, now: number): void {
  if (token.expiresAt <= now)
    throw ended(token, "token_expired", "The access token has expired: refresh it or authorize again");
}

/** Returns the token's scopes that its client still has, and all apps from which the client has its access. */
function heldScopes(
  policy: PolicySnapshot,
  { clientId, isStaticClient, clientHost, acting, scopes }: VerifiedOwnToken,
): ReadonlySet<Scope> {
  return acting
    .slice(1)
    .filter(({ iss }) => iss === undefined)
    .reduce(
      (held, { sub, client_kind: kind }) => scopesOfClient(policy, sub, kind === "static", undefined, held),
      scopesOfClient(policy, clientId, isStaticClient, clientHost, scopes),
    );
}

/**
 * Returns the scopes that a client still has: an administrator may have narrowed those of the client, or of all clients that
 * registered themselves.
 */
function scopesOfClient(
  policy: PolicySnapshot,
  clientId: string,
  isStaticClient: boolean,
  clientHost: string | undefined,
  scopes: ReadonlySet<Scope>,
): ReadonlySet<Scope> {
  const ofClient = policy.changedClients.get(clientId);
  if (isStaticClient && !ofClient) return scopes;
  const isAllowed = isAllowedTo(clientHost, policy.settings);
  const isHeld = (scope: Scope) => (ofClient?.has(scope) ?? true) && (isStaticClient || isAllowed(scope));
  return [...scopes].every(isHeld) ? scopes : new Set([...scopes].filter(isHeld));
}

/** Makes the refusal of a token that only an administrator's decision about its client keeps out. */
function withoutClient(
  { clientId, grantId }: VerifiedOwnToken,
  code: "client_not_registered" | "client_not_enabled",
  reason: RefusalReason,
): ApiError {
  return new ApiError(code, { reason, connection: { clientId, grantId }, description: WITHOUT_CLIENT[code] });
}

const WITHOUT_CLIENT = {
  client_not_registered: "This app is not registered here any more: ask an administrator, or connect the app again",
  client_not_enabled: "This app was disabled here: ask an administrator to enable it",
};

function ended({ clientId, grantId }: VerifiedOwnToken, reason: RefusalReason, description?: string): ApiError {
  const connection = { clientId, grantId };
  return new ApiError("invalid_token", {
    reason,
    connection,
    ...(description === undefined ? {} : { description }),
  });
}
