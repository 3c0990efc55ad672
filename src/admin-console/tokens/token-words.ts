import { ADMIN_SCOPE_OPTIONS, scopesInWords } from "#admin-console/scope-options.ts";
import { parseDirectoryScope } from "#protocol/directory-scope.ts";
import { parseIndexingScope } from "#protocol/indexing-scope.ts";
import { parseScopes } from "#protocol/scopes.ts";
import type { ServiceTokenKind } from "#service-tokens/service-token.ts";
import type { TokenListing } from "#service-tokens/token-listing.ts";

/** Whether a token works, or why it has ended. */
export type TokenState = "active" | "expired" | "revoked";

export interface TokenShown extends TokenListing {
  readonly kindInWords: string;
  /** What it may do, as phrases. */
  readonly abilities: readonly string[];
  readonly state: TokenState;
}

/**
 * Returns what a token may do, in words: labels of scopes for the Client API and the Admin API, otherwise what it writes.
 */
function abilitiesOf(kind: ServiceTokenKind, scopes: readonly string[]): string[] {
  if (kind === "client-api") return [scopesInWords(parseScopes(scopes.join(" ")))];
  if (kind === "indexing") return scopes.map(writesInWords);
  if (kind === "scim")
    return scopes.map((scope) => `Provisions users and groups of ${parseDirectoryScope(scope) ?? scope}`);
  return scopes.map((scope) => ADMIN_SCOPE_OPTIONS.find(({ value }) => value === scope)?.label ?? scope);
}

export function toShown(token: TokenListing, now: number): TokenShown {
  return {
    ...token,
    kindInWords: kindInWords(token),
    abilities: abilitiesOf(token.kind, token.scopes),
    state: stateOf(token, now),
  };
}

function kindInWords({ kind, scopes }: TokenListing): string {
  if (kind === "client-api") return "Client API, one person";
  if (kind === "admin") return "Admin API";
  if (kind === "scim") return "SCIM";
  return scopes.some((scope) => scope.startsWith("custommetadata:")) ? "Custom metadata" : "Documents";
}

function writesInWords(scope: string): string {
  const parsed = parseIndexingScope(scope);
  if (!parsed) return scope;
  const isEverything = parsed.target === "global_scope";
  if (parsed.family === "documents") {
    return isEverything ? "Writes documents of every datasource" : `Writes documents of ${parsed.target}`;
  }
  return isEverything ? "Writes the metadata of every group" : `Writes the metadata of the group ${parsed.target}`;
}

function stateOf(token: TokenListing, now: number): TokenState {
  if (token.revokedAt !== null) return "revoked";
  if (token.expiresAt !== null && token.expiresAt <= now) return "expired";
  return "active";
}
