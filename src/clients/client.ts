import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ClientKeys } from "./client-keys.ts";
import { hashToken, sha256, type TokenHash } from "#crypto/secrets.ts";

/** How clients authenticate at the token endpoint (RFC 7591 §2, RFC 7523 §2.2). */
export const AUTHENTICATION_METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/**
 * How a client came to be. `static`: an administrator created it. `dynamic`: it registered itself. `document`: the document at
 * its id describes it (a client id metadata document). Nobody vouches for what the last two say about themselves.
 */
export type ClientKind = "static" | "dynamic" | "document";

/** An application that may ask people for access. Its secret and registration token are stored only as hashes. */
export interface Client {
  readonly id: string;
  readonly kind: ClientKind;
  /** The app that it is an install of: its own id, unless it registered itself. Decisions and rules are about the app. */
  readonly app: string;
  readonly name: string;
  readonly clientUri: string | null;
  /** The privacy policy and the terms that it names: https URLs. */
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  /** Whether requests without credentials are accepted: it has none, or its document lists `none` in addition to a key. */
  readonly isPublic: boolean;
  /** The keys that verify its assertions; `null` unless it may use `private_key_jwt`. */
  readonly keys: ClientKeys | null;
  /** What administrators require of this client, in addition to what the instance requires of all. */
  readonly requirements: readonly AppRequirement[];
  /** Whether an administrator lets it act for people with tokens of other apps. Only for a confidential client of kind `static`. */
  readonly mayExchangeTokens: boolean;
  /** What its metadata declares that it always does (RFC 9126 §6, RFC 9449 §5.2), and what it must therefore do. */
  readonly declaredRequirements: readonly AppRequirement[];
  /** It registered while registrations need approval, and no administrator has approved such an app yet. */
  readonly isPending: boolean;
  /** An administrator approved it as it is, or another install of the app that has everything that it has. */
  readonly isApproved: boolean;
  /** Nobody can authorize it, and it gets no tokens. Only administrators disable and enable clients. */
  readonly isDisabled: boolean;
  readonly createdAt: number;
  /**
   * The version of the client: seconds, and later with every change. A statement that names a version changes the client only if
   * it is current.
   */
  readonly changedAt: number;
}

/** The properties of a client that are given when it is created, and may change later. */
export type ClientDescription = Omit<
  Client,
  | "id"
  | "kind"
  | "app"
  | "requirements"
  | "mayExchangeTokens"
  | "isPending"
  | "isApproved"
  | "isDisabled"
  | "createdAt"
  | "changedAt"
>;

/** How a client authenticates, for clients of every kind. */
export type ClientAuthenticationMetadata = Pick<Client, "tokenEndpointAuthMethod" | "isPublic" | "keys">;

/** Checks whether a client authenticates with a secret that this server made for it. */
export function hasSecret({ tokenEndpointAuthMethod }: Pick<Client, "tokenEndpointAuthMethod">): boolean {
  return tokenEndpointAuthMethod === "client_secret_basic" || tokenEndpointAuthMethod === "client_secret_post";
}

/**
 * What a request proves about its client, in the form that the store compares: the hash of a secret, or a name for the keys that
 * an assertion was verified with. It is compared in the statement that carries out the request, so there is no moment in which a
 * replaced secret or key still counts.
 */
export type ClientProof = string & { readonly __brand: "ClientProof" };

/**
 * The client that a request names, and what the request proves. The store decides whether that is right: `null` is right for a
 * public client, and any other value for the client that has this proof.
 */
export interface ClientCredentials {
  readonly clientId: string;
  readonly proof: ClientProof | null;
}

/** Returns the proof that a secret gives. */
export async function proofOfSecret(secret: string): Promise<ClientProof> {
  return (await hashToken(secret)) as string as ClientProof;
}

/**
 * Returns the proof that an assertion gives after it was verified with these keys. Keys are public: without the prefix, which no
 * hash of a secret has, their text could be sent as a client secret and would prove the same.
 */
export async function proofOfKeys(keys: ClientKeys): Promise<ClientProof> {
  return `keys:${await sha256(JSON.stringify(keys))}` as ClientProof;
}

/** Checks whether a proof comes from a signed assertion. */
export function isOfKeys(proof: ClientProof | null): boolean {
  return proof?.startsWith("keys:") ?? false;
}

/** Returns the proof that authenticates a client with keys or with a secret; `null` if it has neither. */
export async function proofOf(keys: ClientKeys | null, secret: string | undefined): Promise<ClientProof | null> {
  if (keys) return proofOfKeys(keys);
  return secret === undefined ? null : proofOfSecret(secret);
}

/** A client to be stored, with the values that only the store keeps. */
export interface NewClient extends Omit<Client, "isApproved" | "isDisabled" | "changedAt"> {
  /** What of the app an approval covers, apart from its scopes. */
  readonly variant: string | null;
  readonly proof: ClientProof | null;
  /** The hash of the token that manages the registration; only its bearer may (RFC 7592). */
  readonly registrationTokenHash: TokenHash | null;
  /** The network that registered it, if known. */
  readonly caller: string | null;
}
