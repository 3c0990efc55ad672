import { API_SCOPES, parseScope } from "#protocol/scopes.ts";
import type { ExternalIssuer } from "./external-issuer.ts";

type ApiScope = ExternalIssuer["scopes"][number];

/** The claims in which providers write scopes: a list in a text (RFC 9068 §2.2.3; `scp` at Entra), or an array (`scp` at Okta). */
const CLAIMS = ["scope", "scp", "scopes"];

/**
 * Returns the scopes of this service that a token names, in upper or lower case. A provider may write the API before a scope,
 * as in `api://gatehouse/SEARCH`: whichever API that is, the name can only narrow what the token gives.
 */
export function scopesNamedIn(claims: Readonly<Record<string, unknown>>): readonly ApiScope[] {
  const words = CLAIMS.flatMap((name) => claims[name])
    .filter((value) => typeof value === "string")
    .flatMap((value) => value.split(/[\s,]+/))
    .map((word) => parseScope(word.slice(word.lastIndexOf("/") + 1)));
  return API_SCOPES.filter((scope) => words.includes(scope));
}

/**
 * Returns the scopes of a token: those that the issuer is registered for, and if the token names any of this service, only the
 * named ones. A token that was issued for less must not give more.
 */
export function scopesOfToken(
  claims: Readonly<Record<string, unknown>>,
  { scopes, scopesRequired }: Pick<ExternalIssuer, "scopes" | "scopesRequired">,
): readonly ApiScope[] {
  const named = scopesNamedIn(claims);
  return named.length === 0 && !scopesRequired ? scopes : scopes.filter((scope) => named.includes(scope));
}
