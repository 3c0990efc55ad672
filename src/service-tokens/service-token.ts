import { randomSecret, sha256, type TokenHash } from "#crypto/secrets.ts";

/**
 * The kinds of tokens. `client-api`: one person's, for the Client API. `indexing`: a pipeline's, for the Indexing API. `admin`: a
 * program's, for the Admin API. `scim`: a directory's, for SCIM.
 */
export const SERVICE_TOKEN_KINDS = ["client-api", "indexing", "admin", "scim"] as const;
export type ServiceTokenKind = (typeof SERVICE_TOKEN_KINDS)[number];

/** Prefixes that people, logs and secret scanners recognise. */
const PREFIXES: Readonly<Record<ServiceTokenKind, string>> = {
  "client-api": "ghc_",
  indexing: "ghi_",
  admin: "gha_",
  scim: "ghs_",
};

const CHECKSUM_CHARACTERS = 6;

const TOKEN = /^gh[acis]_[A-Za-z0-9_-]{49}$/;

/** A stored token, found by one of its secrets. */
export interface ServiceToken {
  readonly id: string;
  readonly kind: ServiceTokenKind;
  readonly scopes: readonly string[];
  readonly personId: string | null;
  /** CIDR blocks that it may be used from; empty: any. */
  readonly networks: readonly string[];
  /** Grows with each revocation and rotation. */
  readonly changedAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** To the hour. */
  readonly lastUsedAt: number | null;
  /** When the presented secret ends; `null` for the current one, which ends with the token. */
  readonly secretExpiresAt: number | null;
  readonly secretHash: TokenHash;
  /** The number of tokens that the presented secret descends from. */
  readonly origins: number;
}

/**
 * Makes a secret in the form of a token: prefix, 256 bits, checksum. It is shown once; only its hash is stored.
 *
 * @param secret 43 base64url characters; random by default
 */
export async function makeServiceToken(kind: ServiceTokenKind, secret = randomSecret()): Promise<string> {
  const body = PREFIXES[kind] + secret;
  return body + (await checksum(body));
}

/** Returns the kind that a text claims by its form. This needs no hash, so texts in another form cost us nothing. */
export function claimedKind(text: string): ServiceTokenKind | undefined {
  return TOKEN.test(text) ? SERVICE_TOKEN_KINDS.find((kind) => text.startsWith(PREFIXES[kind])) : undefined;
}

/**
 * Checks the checksum of a text in the form of a token, which distinguishes a mistyped token from an unknown one without reading
 * storage. It is no protection, because anybody can compute it.
 */
export async function hasRightChecksum(text: string): Promise<boolean> {
  return text.slice(-CHECKSUM_CHARACTERS) === (await checksum(text.slice(0, -CHECKSUM_CHARACTERS)));
}

async function checksum(body: string): Promise<string> {
  return (await sha256(`gatehouse-token:${body}`)).slice(0, CHECKSUM_CHARACTERS);
}
