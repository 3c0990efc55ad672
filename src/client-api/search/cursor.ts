import type { SealPurpose } from "#crypto/key-purposes.ts";
import { sha256 } from "#crypto/hash.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import { malformed, type SearchRequest } from "./request.ts";

/** A search, in all that decides what it finds and in which order; a cursor fits no other. */
export async function identityOf(
  instanceId: number,
  personId: string,
  asked: Pick<SearchRequest, "clauses" | "updated">,
): Promise<string> {
  return sha256(JSON.stringify([instanceId, personId, asked.clauses, asked.updated]));
}

/**
 * A position for its person to send back. Sealed, because it counts documents that the person may not see, and for this search
 * of this person only.
 *
 * @param position where the documents' engine goes on; only it can read that
 */
export async function toCursor(keyring: Keyring, identity: string, position: string): Promise<string> {
  return keyring.seal(purposeOf(identity), position);
}

/** @throws {ApiError} `bad_request` for anything but a cursor of this search and person */
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
