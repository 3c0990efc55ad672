import type { Reader } from "#app-access/app-access.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import { sha256 } from "#crypto/secrets.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import { malformed, type SearchRequest } from "./request.ts";

/**
 * Returns a hash of everything that decides what a search finds and in which order. A cursor is valid for no other search, and in no
 * other app: its position counts what the first app may search.
 */
export async function identityOf(
  instanceId: number,
  { personId, apps }: Reader,
  asked: Pick<SearchRequest, "clauses" | "updated">,
): Promise<string> {
  return sha256(JSON.stringify([instanceId, personId, apps, asked.clauses, asked.updated]));
}

/**
 * Returns a cursor: a position that the person's client sends back. It is encrypted, because it counts documents that the person
 * may not see, and valid only for this search of this person in this app.
 *
 * @param position where the documents' engine continues; only the engine can read it
 */
export async function toCursor(keyring: Keyring, identity: string, position: string): Promise<string> {
  return keyring.seal(purposeOf(identity), position);
}

/** @throws {ApiError} `bad_request` for anything except a cursor of this search, person and app */
export async function parseCursor(keyring: Keyring, identity: string, cursor: string): Promise<string> {
  try {
    return await keyring.open(purposeOf(identity), cursor);
  } catch (cause) {
    if (!(cause instanceof KeyringError)) throw cause;
    throw malformed("cursor", "send back the cursor of an earlier answer to the same search");
  }
}

function purposeOf(identity: string): SealPurpose {
  return `search-cursor:${identity}`;
}
