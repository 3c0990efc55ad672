import { namesOfActing, namesOfClient } from "#app-access/app-access.ts";
import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import { SIGNING_ALGORITHM } from "#crypto/signing-key.ts";
import type { PolicySnapshot, PolicySnapshots, PublishedKey } from "#instance/policy-snapshot.ts";
import {
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  actingApps,
  parseAccessTokenClaims,
} from "#protocol/access-token-claims.ts";
import { ApiError } from "#protocol/errors.ts";
import { isResource } from "#protocol/resource-indicator.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { requireTokenForm } from "./bearer.ts";
import { requireStanding, requireUnexpired, type VerifiedOwnToken } from "./own-token-standing.ts";
import { claim, requireBegun, shown, type Step, timesFact } from "./steps.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Maximum difference between the clocks of isolates. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** A token whose `iss` is this instance's. */
export interface PresentedOwnToken {
  readonly jwt: CompactJwt;
  readonly issuer: string;
  readonly snapshots: PolicySnapshots;
  readonly now: number;
  /** Read again if it does not contain the token's key. */
  policy: PolicySnapshot;
  /** The token's claims, and what is remembered of it, once read: several steps need them. */
  claims?: AccessTokenClaims | undefined;
  verified?: VerifiedOwnToken;
}

/** The checks of an access token of this service's own authorization server (RFC 9068 §4). */
export const OWN_TOKEN_STEPS: readonly Step<PresentedOwnToken>[] = [
  {
    title: "Form",
    check: ({ jwt }) => requireTokenForm(jwt.token),
    fact: ({ issuer }) => `It is a signed JWT, and its issuer is this instance, ${issuer}.`,
  },
  {
    title: "OAuth for apps",
    check({ policy }) {
      if (!policy.settings.oauthEnabled) throw new ApiError("oauth_not_enabled", { reason: "oauth_not_enabled" });
    },
    fact: ({ policy }) => `It is ${policy.settings.oauthEnabled ? "on" : "off"}.`,
  },
  {
    title: "Key",
    /**
     * A key that the snapshot does not contain may have been made a moment ago, so the snapshot is read again before the token is
     * refused.
     */
    async check(presented) {
      const { policy, snapshots, jwt } = presented;
      const { kid } = jwt.header;
      if (typeof kid === "string" && !policy.publishedKeys.has(kid)) {
        presented.policy = (await snapshots.reread(policy.name)) ?? policy;
      }
      keyOf(presented);
    },
    fact: ({ jwt, policy }) =>
      `The header’s kid is ${shown(jwt.header["kid"])}; this instance publishes ${policy.publishedKeys.size} key(s).`,
  },
  {
    title: "Type",
    check({ jwt }) {
      if (jwt.header["typ"] !== ACCESS_TOKEN_TYPE) throw invalid("token_type_wrong");
    },
    fact: ({ jwt }) => `The header’s typ is ${shown(jwt.header["typ"])}; it must be ${ACCESS_TOKEN_TYPE}.`,
  },
  {
    title: "Signature",
    async check(presented) {
      if (!(await isSignedBy(presented.jwt, keyOf(presented).publicJwk, [SIGNING_ALGORITHM]))) {
        throw invalid("token_signature_wrong");
      }
    },
    fact: () => "It must be that key’s signature over exactly this token: a changed or truncated token fails.",
  },
  {
    title: "Claims",
    check: (presented) => void claimsOf(presented),
    fact: () => "Every claim must be present, with a value of the right type.",
  },
  {
    title: "Audience",
    check(presented) {
      const { iss, aud } = claimsOf(presented);
      if (iss !== presented.issuer) throw invalid("token_issuer_wrong");
      if (!isResource(aud, presented.issuer)) throw invalid("token_audience_wrong");
    },
    fact: ({ jwt, issuer }) => `${claim(jwt.payload, "aud", "The")}; it must be a resource of ${issuer}.`,
  },
  {
    title: "Times",
    check(presented) {
      requireBegun(claimsOf(presented), presented.now, CLOCK_TOLERANCE_SECONDS);
      requireUnexpired(verifiedOf(presented), presented.now);
    },
    fact: ({ jwt, now }) => timesFact(jwt.payload, now),
  },
  {
    title: "Standing",
    check: (presented) => void requireStanding(presented.policy, verifiedOf(presented), presented.now),
    fact: ({ jwt }) =>
      `${claim(jwt.payload, "sub", "The")}; the app is ${shown(jwt.payload["client_id"])}. A token ends when the access is revoked, the app disabled, the person deactivated or the key withdrawn.`,
  },
];

/** Returns what is checked again on each request of a token that has passed. */
export function verifiedOf(presented: PresentedOwnToken): VerifiedOwnToken {
  return (presented.verified ??= toVerified(presented));
}

function toVerified(presented: PresentedOwnToken): VerifiedOwnToken {
  const {
    iss,
    sub,
    aud,
    exp,
    client_id: clientId,
    client_kind: clientKind,
    client_app: app = clientId,
    client_host: clientHost,
    grant_id: grantId,
    scope,
    cnf,
    act,
  } = claimsOf(presented);
  const acting = actingApps(act) ?? [];
  return {
    issuer: iss,
    kid: keyOf(presented).kid,
    personId: sub,
    clientId,
    isStaticClient: clientKind === "static",
    acting,
    apps: [namesOfClient({ app, kind: clientKind }), ...acting.slice(1).map(namesOfActing)],
    clientHost,
    grantId,
    expiresAt: exp,
    resource: aud,
    keyThumbprint: cnf?.jkt,
    scopes: new Set(parseScopes(scope)),
  };
}

function keyOf({ jwt, policy }: PresentedOwnToken): PublishedKey {
  const { kid } = jwt.header;
  const key = typeof kid === "string" ? policy.publishedKeys.get(kid) : undefined;
  if (!key) throw invalid("token_key_unknown");
  return key;
}

function claimsOf(presented: PresentedOwnToken): AccessTokenClaims {
  presented.claims ??= parseAccessTokenClaims(presented.jwt.payload);
  if (!presented.claims) throw invalid("token_claims_malformed");
  return presented.claims;
}

function invalid(reason: RefusalReason): ApiError {
  return new ApiError("invalid_token", { reason });
}
