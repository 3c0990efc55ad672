import { ApiError } from "#protocol/errors.ts";
import { coversTarget, type IndexingFamily, parseIndexingScope } from "#protocol/indexing-scope.ts";

/**
 * Requires that a token covers one target. Called before anything about the target is looked up, so that a refusal reveals
 * nothing about what exists.
 *
 * @param target a datasource's or group's name, in any case
 * @throws {ApiError} 401 `invalid_token`
 */
export function requireCoverage(scopes: readonly string[], family: IndexingFamily, target: string): void {
  for (const word of scopes) {
    const scope = parseIndexingScope(word);
    if (scope && coversTarget(scope, family, target)) return;
  }
  throw new ApiError("invalid_token", {
    reason: "indexing_scope_uncovered",
    description: `The token's scope does not cover this target: it needs ${family}:global_scope or ${family}:<name>`,
  });
}
