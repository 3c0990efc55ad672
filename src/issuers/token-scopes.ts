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
  return scopesOf(wordsIn(claims));
}

/**
 * Returns the scopes of a token: those that the issuer is registered for, and if the token names any of this service, only the
 * named ones. A token that was issued for less must not give more, and nobody knows for what one was issued whose claims are
 * written in another way.
 *
 * If names are required, they give the token its scopes, so those of another API than the registered ones don't count.
 */
export function scopesOfToken(
  claims: Readonly<Record<string, unknown>>,
  { scopes, scopesRequired, audiences }: Pick<ExternalIssuer, "scopes" | "scopesRequired" | "audiences">,
): readonly ApiScope[] {
  const words = wordsIn(claims);
  const named = scopesOf(scopesRequired ? words.filter((word) => isOf(audiences, word)) : words);
  const namesNone = named.length === 0 && !scopesRequired && isReadable(claims);
  return namesNone ? scopes : scopes.filter((scope) => named.includes(scope));
}

function valuesIn(claims: Readonly<Record<string, unknown>>): readonly unknown[] {
  return CLAIMS.flatMap((name) => claims[name] ?? []);
}

function isReadable(claims: Readonly<Record<string, unknown>>): boolean {
  return valuesIn(claims).every((value) => typeof value === "string");
}

function wordsIn(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return valuesIn(claims)
    .filter((value) => typeof value === "string")
    .flatMap((value) => value.split(/[\s,]+/));
}

function scopesOf(words: readonly string[]): readonly ApiScope[] {
  const scopes = words.map((word) => parseScope(word.slice(word.lastIndexOf("/") + 1)));
  return API_SCOPES.filter((scope) => scopes.includes(scope));
}

/** Checks whether a word is written without an API, or with one of these. Without registered audiences, nobody knows its API. */
function isOf(audiences: readonly string[], word: string): boolean {
  const api = word.slice(0, word.lastIndexOf("/") + 1);
  return (
    api === "" || audiences.length === 0 || audiences.some((audience) => `${audience.replace(/\/$/, "")}/` === api)
  );
}
