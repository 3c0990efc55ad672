import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { isRuled } from "#app-access/app-access.ts";
import { SELF_REGISTERED } from "#app-access/app-rules.ts";
import { dynamicScopesAnywhere } from "#clients/allowed-scopes.ts";
import { judgeRefresh } from "#grants/judgement.ts";
import { readRefreshToken, type RefreshTokenClaim } from "#grants/refresh-token.ts";
import type { RotationClaim } from "#grants/token-grants.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { narrowScopes, opensAnything, parseScopes } from "#protocol/scopes.ts";
import type { GrantOwner, GrantRequest, Outcome, Reader } from "./grant-type.ts";
import { grantedNow, requireOpening } from "./token-answer.ts";

/** The most owners of recently refreshed grants that an isolate remembers. */
const OWNERS_MAX = 2000;

/**
 * Advances a grant by one generation (OAuth 2.1 §4.3). A parallel refresh or a retry gets tokens of the same generation again.
 */
export function refreshGrant({ tokenGrants, appAccess, keyring }: OAuthServices): Reader {
  // With the owners of recently refreshed grants, a client that refreshes in a loop is refused before the database is asked and
  // before anything is spent.
  const owners = new BoundedMap<string, GrantOwner>(OWNERS_MAX);

  /**
   * Refuses a refresh if the app's rules would leave it without a scope, before the token is spent: the person may be back in the
   * group tomorrow. Applies only to the grant's current token, so that using an older one still ends the grant.
   */
  async function requireAllowed(
    { instance: { policy }, credentials }: GrantRequest,
    { grantId, generation }: RefreshTokenClaim,
    requested: string | undefined,
  ): Promise<void> {
    // Until the grant is read, the client may be a self-registered one, so the rules for those count too, and it may be a known host.
    const isRuledApp = isRuled(policy, [credentials.clientId, SELF_REGISTERED]);
    if (!isRuledApp && policy.settings.identityHosts.length === 0) return;
    const { instanceId } = policy;
    const { clientAuthenticated, grant } = await tokenGrants.observe({ instanceId, grantId, credentials });
    if (!clientAuthenticated || grant?.generation !== generation || grant.revokedAt !== null) return;
    requireOpening(narrowScopes(requested ?? grant.scope, await grantedNow(appAccess, policy, grant)));
  }

  return async (request) => {
    const { instance, parameters, credentials, keyThumbprint, resource, now } = request;
    const { instanceId, settings } = instance.policy;
    const presented = await readRefreshToken(keyring, parameters.require("refresh_token"));
    const { requested, requestedScopes } = readRequestedScopes(parameters);
    const claim: RotationClaim = {
      instanceId,
      issuer: instance.issuer,
      credentials,
      grantId: presented?.grantId ?? "",
      generation: presented?.generation ?? -1,
      grantIdleSeconds: settings.grantIdleSeconds,
      requestedScopes,
      keyThumbprint,
      dynamicScopes: dynamicScopesAnywhere(settings),
      resource,
      tokensUntil: now + settings.refreshRepeatSeconds + settings.accessTokenLifetimeSeconds,
    };
    return async (): Promise<Outcome> => {
      const owner = presented && owners.get(presented.grantId);
      if (owner) await request.requireWithinRate(owner);
      if (presented) await requireAllowed(request, presented, requested);
      const outcome = await tokenGrants.rotate(claim, now);
      const grant = "rotated" in outcome ? outcome.rotated : outcome.grant;
      if (grant) owners.set(grant.id, { person: grant.personId, client: grant.clientId });
      if ("rotated" in outcome) return { grant: outcome.rotated, scope: requested, resource };
      const wanted = { scopes: requestedScopes, resource, keyThumbprint, proof: credentials.proof };
      const judgement = judgeRefresh(outcome, presented, instance, wanted, now);
      if (judgement.verdict === "same-successor") return { grant: judgement.grant, scope: requested, resource };
      const { refusal } = judgement;
      const copied =
        judgement.verdict === "reused"
          ? ({ grant: judgement.grant, reason: "refresh_token_reused" } as const)
          : undefined;
      return { refusal, grantId: presented?.grantId, copied };
    };
  };
}

/** Reads the scopes that a refresh asks to narrow to; none means all that were granted. */
function readRequestedScopes(parameters: Parameters) {
  const requested = parameters.one("scope");
  const requestedScopes = requested === undefined ? [] : parseScopes(requested);
  if (requested === undefined || opensAnything(requestedScopes)) return { requested, requestedScopes };
  throw new OAuthError("invalid_scope", { reason: "refresh_scope_empty" });
}
