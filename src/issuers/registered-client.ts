import type { ExternalIssuer } from "./external-issuer.ts";
import { ApiError } from "#protocol/errors.ts";
import { isEntra } from "./safe-issuer.ts";

/** The claims with which providers name the application that a token was issued to, the most specific first. */
const CLIENT_CLAIMS = ["azp", "appid", "cid", "client_id", "aud"];

/**
 * Entra's access tokens have one of these, in either version. Its ID tokens have neither, and their `aud` must not be used instead.
 */
const CLIENT_CLAIMS_OF_ENTRA = ["azp", "appid"];

/**
 * Requires that a token was issued to an application that an administrator registered. Otherwise any application of the same
 * provider, and its author, could act here for its users.
 *
 * @returns the application's client id
 * @throws {ApiError} `client_not_registered`, also if only `aud` names the application and lists several registered ones
 */
export function requireRegisteredClient(
  claims: Readonly<Record<string, unknown>>,
  issuer: Pick<ExternalIssuer, "clientIdClaim" | "clientIds" | "issuer">,
): string {
  const claim = clientClaimOf(claims, issuer);
  const named = claim === undefined ? undefined : claims[claim];
  // An audience may be a list, but there is only one application.
  const candidates: unknown[] = claim === "aud" && Array.isArray(named) ? named : [named];
  const [registered, ...more] = issuer.clientIds.filter((id) => candidates.includes(id));
  if (registered !== undefined && more.length === 0) return registered;
  // Otherwise a token could bypass the rules for one app by naming another one too.
  const description = "The token's aud names several applications: the provider has to name one, such as in azp";
  throw new ApiError("client_not_registered", {
    reason: "external_client_not_registered",
    ...(registered === undefined ? {} : { description }),
  });
}

/** Returns the claim that names the application; `undefined` if none does. */
export function clientClaimOf(
  claims: Readonly<Record<string, unknown>>,
  { clientIdClaim, issuer }: Pick<ExternalIssuer, "clientIdClaim" | "issuer">,
): string | undefined {
  const possible = isEntra(issuer) ? CLIENT_CLAIMS_OF_ENTRA : CLIENT_CLAIMS;
  return clientIdClaim ?? possible.find((name) => claims[name] !== undefined);
}
