import { sha256 } from "#crypto/hash.ts";
import { randomSecret } from "#crypto/random.ts";

/** `client-api`: one person's, for the Client API. `indexing`: a pipeline's, for the Indexing API. */
export type ServiceTokenKind = "client-api" | "indexing";

/** Recognisable by people, logs and secret scanners. */
const PREFIXES: Readonly<Record<ServiceTokenKind, string>> = { "client-api": "ghc_", indexing: "ghi_" };

const CHECKSUM_CHARACTERS = 6;

const TOKEN = /^(gh[ci]_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** A new token: prefix, 256 random bits, checksum. Shown once; only its hash is stored. */
export async function makeServiceToken(kind: ServiceTokenKind): Promise<string> {
  const body = PREFIXES[kind] + randomSecret();
  return body + (await checksum(body));
}

/**
 * Whether a text has the form of a service-issued token, checksum included. A mistyped or truncated token is told from an
 * unknown one without asking any storage.
 */
export async function isServiceToken(text: string): Promise<boolean> {
  const [, body, sum] = TOKEN.exec(text) ?? [];
  return body !== undefined && sum === (await checksum(body));
}

async function checksum(body: string): Promise<string> {
  return (await sha256(`gatehouse-token:${body}`)).slice(0, CHECKSUM_CHARACTERS);
}
