/**
 * The scopes of tokens for the Admin API. `admin:read` opens every list, and nothing that changes anything. Each other scope
 * opens the decisions of its area, and no list.
 */
export const ADMIN_SCOPES = ["admin:read", "admin:apps", "admin:people", "admin:content", "admin:security"] as const;
export type AdminScope = (typeof ADMIN_SCOPES)[number];

/** Returns the scope that a word names; `undefined` for any other word. */
export function parseAdminScope(word: string): AdminScope | undefined {
  return ADMIN_SCOPES.find((scope) => scope === word);
}
