import type { TokenHash } from "#crypto/hash.ts";
import type { Settings } from "#settings/settings.ts";
import type { Scope } from "#protocol/scopes.ts";

export const AUTHENTICATION_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/**
 * `static`: an administrator made it. `dynamic`: it registered itself. `document`: it is described by the document at its id
 * (a client id metadata document). Nobody vouches for what the last two say of themselves.
 */
export type ClientKind = "static" | "dynamic" | "document";

/** An application that may ask people for access. */
export interface Client {
  readonly id: string;
  readonly kind: ClientKind;
  readonly name: string;
  readonly clientUri: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  /** It registered where administrators approve first, and none has yet. */
  readonly isPending: boolean;
}

/** A client as it is stored; its secrets only as hashes. */
export interface NewClient extends Client {
  readonly secretHash: TokenHash | null;
  readonly registrationTokenHash: TokenHash | null;
  readonly fingerprint: string | null;
  readonly createdAt: number;
}

/** What a client may be granted now. An administrator who narrows the dynamic set narrows clients that exist already. */
export function allowedScopes(client: Pick<Client, "kind" | "scopes">, settings: Settings): readonly Scope[] {
  if (client.kind === "static") return client.scopes;
  return client.scopes.filter((scope) => settings.dynamicScopes.includes(scope));
}
