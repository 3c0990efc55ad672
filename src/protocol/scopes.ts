/** The scopes of the Client API, and `offline_access`, which asks for a refresh token and opens no API. */
export const SCOPES = ["SEARCH", "CHAT", "DOCUMENTS", "offline_access"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that open something: what challenges and resource metadata may name (never `offline_access`). */
export const API_SCOPES = ["SEARCH", "CHAT", "DOCUMENTS"] as const satisfies readonly Scope[];

const CANONICAL = new Map<string, Scope>(SCOPES.map((scope) => [scope.toLowerCase(), scope]));

/** The scope that a word means, in whatever case it is spelt; `undefined` for a word that means none. */
export function parseScope(word: string): Scope | undefined {
  return CANONICAL.get(word.toLowerCase());
}

/** The scopes in a space-separated list (RFC 6749 §3.3); words that mean none are passed over. */
export function parseScopes(list: string): Scope[] {
  const scopes = new Set<Scope>();
  for (const word of list.split(" ")) {
    const scope = parseScope(word);
    if (scope) scopes.add(scope);
  }
  return [...scopes];
}

/**
 * What is left of a requested list when only `allowed` may be granted, in the spelling that was asked for.
 *
 * Unknown and forbidden words go silently: hosts ask for everything that metadata lists, or add `openid profile email` out of
 * habit, and RFC 6749 §3.3 lets the server grant less than was asked. The answer names what was granted.
 */
export function narrowScopes(requested: string, allowed: readonly Scope[]): string[] {
  const granted = new Map<Scope, string>();
  for (const word of requested.split(" ")) {
    const scope = parseScope(word);
    if (scope && allowed.includes(scope) && !granted.has(scope)) granted.set(scope, word);
  }
  return [...granted.values()];
}

/** Whether a list opens anything at all; `offline_access` alone keeps a door open that leads nowhere. */
export function opensAnApi(list: readonly string[]): boolean {
  return list.some((word) => (API_SCOPES as readonly (Scope | undefined)[]).includes(parseScope(word)));
}
