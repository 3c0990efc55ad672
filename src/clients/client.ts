import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ClientKeys } from "./client-keys.ts";

/** How clients authenticate at the token endpoint (RFC 7591 §2, RFC 7523 §2.2). */
export const AUTHENTICATION_METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/**
 * `static`: an administrator made it. `dynamic`: it registered itself. `document`: it is described by the document at its id
 * (a client id metadata document). Nobody vouches for what the last two say of themselves.
 */
export type ClientKind = "static" | "dynamic" | "document";

/** An application that may ask people for access. Its secret and registration token exist only as hashes, in the store. */
export interface Client {
  readonly id: string;
  readonly kind: ClientKind;
  readonly name: string;
  readonly clientUri: string | null;
  /** Its privacy policy and its terms, as it says: https addresses. */
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  /** Requests without credentials are accepted: it has none, or its document lists `none` beside a key. */
  readonly isPublic: boolean;
  /** What its assertions are verified with; `null` unless it may use `private_key_jwt`. */
  readonly keys: ClientKeys | null;
  /** What administrators require of this client, in addition to what the instance requires of all. */
  readonly requirements: readonly AppRequirement[];
  /** What its metadata says that it always does (RFC 9126 §6, RFC 9449 §5.2), and must therefore do. */
  readonly declaredRequirements: readonly AppRequirement[];
  /** It registered where administrators approve first, and none has yet. */
  readonly isPending: boolean;
  /** An administrator approved it as it is. */
  readonly isApproved: boolean;
  /** Nobody can authorize it, and it gets no tokens. Only an administrator disables and enables. */
  readonly isDisabled: boolean;
  readonly createdAt: number;
  /** Seconds, and later with every change: what was read at one value is what a statement that names the value changes. */
  readonly changedAt: number;
}

/** What somebody says of a client when it is made, and may change later. */
export type ClientDescription = Omit<
  Client,
  "id" | "kind" | "requirements" | "isPending" | "isApproved" | "isDisabled" | "createdAt" | "changedAt"
>;

/** How a client authenticates, whatever kind of client it is. */
export type ClientAuthenticationMetadata = Pick<Client, "tokenEndpointAuthMethod" | "isPublic" | "keys">;

/** Whether a client proves itself with a secret that this server made for it. */
export function hasSecret({ tokenEndpointAuthMethod }: Pick<Client, "tokenEndpointAuthMethod">): boolean {
  return tokenEndpointAuthMethod === "client_secret_basic" || tokenEndpointAuthMethod === "client_secret_post";
}
