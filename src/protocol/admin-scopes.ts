/**
 * What a token of the Admin API may do. `admin:read` opens every list and nothing that changes anything; each other one opens the
 * decisions of its area, and no list.
 */
export const ADMIN_SCOPES = ["admin:read", "admin:apps", "admin:people", "admin:content", "admin:security"] as const;
export type AdminScope = (typeof ADMIN_SCOPES)[number];

/** The scope that a word means; `undefined` for any other word. */
export function parseAdminScope(word: string): AdminScope | undefined {
  return ADMIN_SCOPES.find((scope) => scope === word);
}
