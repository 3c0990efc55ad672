import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { hashToken } from "#crypto/secrets.ts";
import { judgeCode } from "#grants/judgement.ts";
import type { CodeClaim } from "#grants/token-grants.ts";
import type { Reader } from "./grant-type.ts";
import { challengeOf } from "./pkce.ts";

/** Redeems codes, each once (OAuth 2.1 §4.1.3). */
export function codeGrant({ tokenGrants }: OAuthServices): Reader {
  return async ({ instance, parameters, credentials, keyThumbprint, resource, now }) => {
    const claim: CodeClaim = {
      instanceId: instance.policy.instanceId,
      issuer: instance.issuer,
      credentials,
      resource,
      codeHash: await hashToken(parameters.require("code")),
      redirectUri: parameters.one("redirect_uri"),
      codeChallenge: await challengeOf(parameters.one("code_verifier")),
      keyThumbprint,
      tokensUntil: now + instance.policy.settings.accessTokenLifetimeSeconds,
    };
    return async () => {
      const grant = await tokenGrants.claimCode(claim, now);
      if (grant) return { grant, resource };
      const observed = await tokenGrants.observeCode(claim);
      const { refusal, replayed } = judgeCode(claim, observed, now);
      const copied = replayed && ({ grant: replayed, reason: "code_replayed" } as const);
      return { refusal, grantId: observed.grant?.id, copied };
    };
  };
}
