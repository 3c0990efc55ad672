import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { refusedServiceToken, type WhyRefused } from "#service-tokens/refused-token.ts";
import { claimedKind, type ServiceToken, type ServiceTokenKind } from "#service-tokens/service-token.ts";
import { type ServiceTokens, whyEnded } from "#service-tokens/service-tokens.ts";
import type { Credentials } from "./caller.ts";
import { passSteps, type Step } from "./steps.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { isWithinNetworks } from "#service-tokens/networks.ts";
import { requireTokenForm } from "./bearer.ts";

/** The credentials of a request that the gate reads. */
export type ServiceTokenCredentials = Pick<Credentials, "token" | "address" | "waitUntil">;

/** The APIs that accept one kind of token: what a token is called, and how an OAuth token is refused. */
const APIS = {
  indexing: { api: "The Indexing API", needed: "an indexing token", reason: "jwt_on_indexing_api" },
  admin: { api: "The Admin API", needed: "an admin token", reason: "jwt_on_admin_api" },
  scim: { api: "SCIM", needed: "a SCIM token", reason: "jwt_on_scim" },
} as const;

/**
 * Verifies the token of a program that calls an API which accepts only service-issued tokens of one kind, and never OAuth.
 *
 * @returns the token; each call checks itself what it covers
 * @throws {ApiError} 401, whatever is wrong
 */
export async function requireServiceToken(
  tokens: ServiceTokens,
  kind: keyof typeof APIS,
  { policy }: RequestInstance,
  { token, address, waitUntil }: ServiceTokenCredentials,
): Promise<ServiceToken> {
  const { api, needed, reason } = APIS[kind];
  if (token === undefined) {
    const description = `Send ${needed} in the Authorization header: Bearer <token>`;
    throw new ApiError("unauthorized", { reason: "credential_missing", description });
  }
  if (parseCompactJwt(token)) {
    const description = `${api} accepts only service-issued tokens: ask an administrator for ${needed}`;
    throw new ApiError("invalid_token", { reason, description });
  }
  const presented: PresentedServiceToken = {
    token,
    kind,
    policy,
    tokens,
    address,
    now: epochSeconds(),
    refusal: (why) => refusedServiceToken(why, token, kind),
  };
  await passSteps(SERVICE_TOKEN_STEPS, presented);
  const found = foundOf(presented);
  tokens.noteUse(policy, found, waitUntil);
  return found;
}

/** A token that can only be one that an administrator created. */
export interface PresentedServiceToken {
  readonly token: string;
  /** The kind that the API accepts. */
  readonly kind: ServiceTokenKind;
  readonly policy: PolicySnapshot;
  readonly tokens: ServiceTokens;
  /** The caller's address as the platform saw it. A value that is not an address is outside all networks. */
  readonly address: string;
  readonly now: number;
  /** Makes the API's refusal of an invalid token. */
  readonly refusal: (why: WhyRefused) => ApiError;
  /** The stored token, once it is found. */
  found?: ServiceToken;
}

/** The checks of a service-issued token, at every API. */
export const SERVICE_TOKEN_STEPS: readonly Step<PresentedServiceToken>[] = [
  {
    title: "Form",
    check({ token, refusal }) {
      requireTokenForm(token);
      if (claimedKind(token) === undefined) throw refusal("service_token_malformed");
    },
    fact: ({ token }) => formFact(token),
  },
  {
    title: "Kind of token",
    check({ token, kind, refusal }) {
      if (claimedKind(token) !== kind) throw refusal("service_token_wrong_kind");
    },
    fact: () =>
      "Client API tokens begin with ghc_, Indexing API tokens with ghi_, Admin API tokens with gha_, and SCIM tokens with ghs_.",
  },
  {
    title: "Known token",
    async check(presented) {
      const { token, policy, tokens, refusal } = presented;
      const found = await tokens.find(policy, token);
      if (found === "service_token_malformed") throw refusal(found);
      if (found === null) throw refusal("service_token_unknown");
      presented.found = found;
    },
    fact: () =>
      "Its last characters must be a checksum of the others, and its hash must match a token of this instance.",
  },
  {
    title: "Standing",
    check(presented) {
      const why = whyEnded(foundOf(presented), presented.policy, presented.now);
      if (why) throw presented.refusal(why);
    },
    fact: () => "A token ends when it expires, is revoked or rotated, or when its person is deactivated.",
  },
  {
    title: "Network",
    check(presented) {
      if (isWithinNetworks(foundOf(presented).networks, presented.address)) return;
      throw presented.refusal("service_token_outside_networks");
    },
    fact: ({ address }) => `It is tried from your own address${address === "" ? "" : `, ${address}`}.`,
  },
];

/** Returns the token that was found. @throws {ApiError} if none was found */
export function foundOf({ found, refusal }: PresentedServiceToken): ServiceToken {
  if (!found) throw refusal("service_token_unknown");
  return found;
}

/** Checks whether a developer would call a text a JWT, well-formed or not: enough to say which header is missing. */
export function looksLikeJwt(token: string): boolean {
  return /^eyJ[^.]*\.[^.]+\.[^.]*$/.test(token);
}

function formFact(token: string): string {
  if (claimedKind(token)) return "It has the form of a token that this service issued.";
  if (parseCompactJwt(token)) return "It is a signed JWT of another issuer.";
  if (looksLikeJwt(token)) return "It looks like a JWT but isn’t one: it was truncated or changed, or is too long.";
  return "It is not a JWT: it is opaque, encrypted or truncated.";
}
