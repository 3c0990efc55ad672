import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { withheldScope } from "#app-access/app-rules.ts";
import { mustBeBound } from "#dpop/dpop-proof.ts";
import type { TokenUse } from "#dpop/dpop-proofs.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { readOwnToken } from "#authorization-server/token/read-token.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The claims of a UserInfo response (OpenID Connect Core §5.3.2). */
export interface UserInfo {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

/**
 * Tells an app which person its access token is for: the claims that the token's scopes cover, as far as its client still has these
 * scopes. The name and the address are read now, so they are the account's current ones. A token whose grant, client or person has
 * ended gives no claims.
 *
 * @param use the access token of the request; `undefined` if it has none
 * @throws {ApiError} 401 if there is no token or it is invalid; 403 `insufficient_scope` without `openid`, and `client_not_enabled` if
 *   the app's rules withhold it
 */
export async function readUserInfo(
  { appAccess, dpopProofs, grantHolders, keyring }: OAuthServices,
  instance: RequestInstance,
  use: TokenUse | undefined,
): Promise<UserInfo> {
  if (use === undefined) throw new ApiError("unauthorized", { reason: "credential_missing" });
  const own = await readOwnToken(keyring, instance, use.token);
  if (own?.type !== "access_token") throw invalid("userinfo_token_unknown");
  const { exp, scope, sub, cnf } = own.claims;
  if (exp <= epochSeconds()) throw invalid("token_expired");
  const { policy } = instance;
  if (cnf === undefined && mustBeBound(policy.settings)) throw invalid("token_must_be_bound");
  const person = await grantHolders.holder(policy.instanceId, own.grantId);
  if (!person || person.id !== sub) throw invalid("userinfo_grant_ended");
  // This comes after the checks of the token because it remembers the proof: otherwise, proofs for ended tokens could push the
  // proofs for valid ones out of memory.
  await dpopProofs.requireHolder(instance, use, cnf?.jkt);
  const allowed = await appAccess.scopesFor(policy, person.client, { personId: sub });
  const granted = parseScopes(scope);
  if (!granted.includes("openid")) throw new ApiError("insufficient_scope", { reason: "userinfo_without_openid" });
  if (!allowed.includes("openid")) throw withheldScope("openid");
  const { id, name, email } = person;
  const showsEmail = granted.includes("email") && allowed.includes("email");
  return showsEmail ? { sub: id, name, email, email_verified: person.isEmailVerified } : { sub: id };
}

function invalid(reason: RefusalReason): ApiError {
  return new ApiError("invalid_token", { reason });
}
