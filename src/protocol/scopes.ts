/**
 * The scopes of the Client API; `offline_access`, which asks for a refresh token; and those of OpenID Connect, by which an app
 * learns who the person is. The last three open no API.
 */
export const SCOPES = ["SEARCH", "CHAT", "DOCUMENTS", "offline_access", "openid", "email"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that open something: what challenges and resource metadata may name (never `offline_access`). */
export const API_SCOPES = ["SEARCH", "CHAT", "DOCUMENTS"] as const satisfies readonly Scope[];

/** The scopes that are about the person: nobody gets them who does not ask for them by name. */
const IDENTITY_SCOPES: readonly Scope[] = ["openid", "email"];

/** The scopes of which each is reason enough for a grant. */
export const OPENING_SCOPES: readonly Scope[] = [...API_SCOPES, "openid"];

const CANONICAL = new Map<string, Scope>(
  SCOPES.flatMap((scope) => [
    [scope, scope],
    [scope.toLowerCase(), scope],
  ]),
);

/** The scope that a word means, in upper or lower case; `undefined` if it means none. */
export function parseScope(word: string): Scope | undefined {
  return CANONICAL.get(word) ?? CANONICAL.get(word.toLowerCase());
}

/** The scopes in a space-separated list (RFC 6749 §3.3); words that mean none are passed over. */
export function parseScopes(list: string): Scope[] {
  const scopes: Scope[] = [];
  for (const word of list.split(" ")) {
    const scope = parseScope(word);
    if (scope && !scopes.includes(scope)) scopes.push(scope);
  }
  return scopes;
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

/** Whether a list is worth a grant: it opens an API, or says who the person is. `offline_access` and `email` alone do neither. */
export function opensAnything(list: readonly string[]): boolean {
  return list.some((word) => (OPENING_SCOPES as readonly (Scope | undefined)[]).includes(parseScope(word)));
}

/** What a client gets of these scopes that asks for none by name. */
export function unaskedScopes(allowed: readonly Scope[]): readonly Scope[] {
  return allowed.filter((scope) => !IDENTITY_SCOPES.includes(scope));
}
