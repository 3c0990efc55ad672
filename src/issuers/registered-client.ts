import type { ExternalIssuer } from "./external-issuer.ts";
import { ApiError } from "#protocol/errors.ts";
import { isEntra } from "./safe-issuer.ts";

/** The claims in which providers name the application that a token was issued to, the more telling before the less. */
const CLIENT_CLAIMS = ["azp", "appid", "cid", "client_id", "aud"];

/** Entra's access tokens of either version have one of these. Its ID tokens have neither: their `aud` must not stand in for it. */
const CLIENT_CLAIMS_OF_ENTRA = ["azp", "appid"];

/**
 * Requires that a token was issued to an application that an administrator registered: otherwise any application of the same
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
  // An audience may be a list; an application is one.
  const candidates: unknown[] = claim === "aud" && Array.isArray(named) ? named : [named];
  const [registered, ...more] = issuer.clientIds.filter((id) => candidates.includes(id));
  if (registered !== undefined && more.length === 0) return registered;
  // Otherwise a token could get around the rules for one app by naming another one too.
  const description = "The token's aud names several applications: the provider has to name one, such as in azp";
  throw new ApiError("client_not_registered", {
    reason: "external_client_not_registered",
    ...(registered === undefined ? {} : { description }),
  });
}

/** The claim that names the application in these claims; `undefined` where none does. */
export function clientClaimOf(
  claims: Readonly<Record<string, unknown>>,
  { clientIdClaim, issuer }: Pick<ExternalIssuer, "clientIdClaim" | "issuer">,
): string | undefined {
  const possible = isEntra(issuer) ? CLIENT_CLAIMS_OF_ENTRA : CLIENT_CLAIMS;
  return clientIdClaim ?? possible.find((name) => claims[name] !== undefined);
}
