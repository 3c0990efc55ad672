import { coversTarget, parseIndexingScope } from "#protocol/indexing-scope.ts";
import type { TokenListing } from "#service-tokens/token-listing.ts";

/** The running tokens that write a group's values and schema. */
export function tokensThatWrite(tokens: readonly TokenListing[], group: string, now: number): TokenListing[] {
  return tokens.filter(({ revokedAt, expiresAt, scopes }) => {
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return false;
    return scopes.some((word) => {
      const scope = parseIndexingScope(word);
      return scope !== undefined && coversTarget(scope, "custommetadata", group);
    });
  });
}
