/**
 * The scopes of the Client API; `offline_access`, which asks for a refresh token; and those of OpenID Connect, with which an app
 * learns who the person is. The last three open no API.
 */
export const SCOPES = ["SEARCH", "CHAT", "DOCUMENTS", "offline_access", "openid", "email"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that open an API. Challenges and resource metadata name only these (never `offline_access`). */
export const API_SCOPES = ["SEARCH", "CHAT", "DOCUMENTS"] as const satisfies readonly Scope[];

/** The scopes that an app has unless somebody chooses others. */
export const USUAL_SCOPES = [...API_SCOPES, "offline_access"] as const satisfies readonly Scope[];

/** The scopes about the person. An app gets them only if it asks for them by name. */
export const IDENTITY_SCOPES: readonly Scope[] = ["openid", "email"];

/** The scopes of which one is enough for a grant. */
export const OPENING_SCOPES: readonly Scope[] = [...API_SCOPES, "openid"];

const CANONICAL = new Map<string, Scope>(
  SCOPES.flatMap((scope) => [
    [scope, scope],
    [scope.toLowerCase(), scope],
  ]),
);

/** Returns the scope that a word names, in upper or lower case; `undefined` if it names none. */
export function parseScope(word: string): Scope | undefined {
  return CANONICAL.get(word) ?? CANONICAL.get(word.toLowerCase());
}

/** Parses a space-separated list of scopes (RFC 6749 §3.3). Words that name no scope are ignored. */
export function parseScopes(list: string): Scope[] {
  const scopes: Scope[] = [];
  for (const word of list.split(" ")) {
    const scope = parseScope(word);
    if (scope && !scopes.includes(scope)) scopes.push(scope);
  }
  return scopes;
}

/**
 * Returns the part of a requested list that is allowed, in the spelling of the request.
 *
 * Unknown and forbidden words are dropped silently: hosts ask for everything that metadata lists, or add `openid profile email`
 * out of habit, and RFC 6749 §3.3 lets the server grant less than was requested. The response names what was granted.
 */
export function narrowScopes(requested: string, allowed: readonly Scope[]): string[] {
  const granted = new Map<Scope, string>();
  for (const word of requested.split(" ")) {
    const scope = parseScope(word);
    if (scope && allowed.includes(scope) && !granted.has(scope)) granted.set(scope, word);
  }
  return [...granted.values()];
}

/** Checks whether a list opens an API. `offline_access` alone does not. */
export function opensAnApi(list: readonly string[]): boolean {
  return list.some((word) => (API_SCOPES as readonly (Scope | undefined)[]).includes(parseScope(word)));
}

/** Checks whether a list is worth a grant: it opens an API, or says who the person is. `offline_access` and `email` alone do neither. */
export function opensAnything(list: readonly string[]): boolean {
  return list.some((word) => (OPENING_SCOPES as readonly (Scope | undefined)[]).includes(parseScope(word)));
}

/** Returns the scopes of a registration that names none. Hosts send them back with their requests. */
export function registeredScopes(allowed: readonly Scope[]): readonly Scope[] {
  return allowed.filter((scope) => !IDENTITY_SCOPES.includes(scope));
}
