import { IDENTITY_SCOPES, type Scope } from "#protocol/scopes.ts";
import type { Settings } from "#settings/settings.ts";
import type { Client } from "./client.ts";
import { knownHostAt, knownHostOf } from "./hosts.ts";

/** The properties of a client that decide about its scopes. */
export type ScopedClient = Pick<Client, "id" | "kind" | "scopes" | "redirectUris">;

/** The same, with what rules name it by. */
export type RuledClient = ScopedClient & Pick<Client, "app">;

type ScopeSettings = Pick<Settings, "dynamicScopes" | "identityHosts">;

/**
 * Returns the most that a client may be granted now. When an administrator narrows what clients may have that no administrator
 * created, existing ones lose it too.
 *
 * @param redirectUri where the response to a request goes, while it is known
 */
export function allowedScopes(client: ScopedClient, settings: ScopeSettings, redirectUri?: string): readonly Scope[] {
  if (client.kind === "static") return client.scopes;
  const host = redirectUri === undefined ? knownHostOf(client) : knownHostAt(client, redirectUri);
  return client.scopes.filter(isAllowedTo(host?.id, settings));
}

/**
 * Returns the test for a scope of a client that no administrator created.
 *
 * @param host the id of the known host that the client is
 */
export function isAllowedTo(host: string | undefined, { dynamicScopes, identityHosts }: ScopeSettings) {
  const mayIdentify = host !== undefined && identityHosts.includes(host);
  return (scope: Scope) => dynamicScopes.includes(scope) || (mayIdentify && IDENTITY_SCOPES.includes(scope));
}

/** Returns the id of the known host by which a client has scopes about the person; `undefined` if there is none. */
export function identityHostOf(client: ScopedClient, { identityHosts }: ScopeSettings): string | undefined {
  if (client.kind === "static" || identityHosts.length === 0) return undefined;
  const id = knownHostOf(client)?.id;
  return id !== undefined && identityHosts.includes(id) ? id : undefined;
}

/** Returns every scope that a client may have that no administrator created: some only if it is a certain host. */
export function dynamicScopesAnywhere({ dynamicScopes, identityHosts }: ScopeSettings): readonly Scope[] {
  return identityHosts.length === 0 ? dynamicScopes : [...dynamicScopes, ...IDENTITY_SCOPES];
}

/**
 * Returns what a request asks for that has no scope: what opens an API. A refresh token has to be requested, except by known hosts
 * that never send a scope, whose people would sign in again every hour.
 *
 * @param allowed from {@link allowedScopes}
 */
export function unaskedScopes(client: ScopedClient, allowed: readonly Scope[]): readonly Scope[] {
  const staysConnected = knownHostOf(client)?.neverSendsScope === true;
  return allowed.filter((scope) => !IDENTITY_SCOPES.includes(scope) && (scope !== "offline_access" || staysConnected));
}
