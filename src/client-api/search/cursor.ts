import { sha256 } from "#crypto/hash.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import * as v from "valibot";
import { type Asked, malformed } from "./d1-request.ts";

const row = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Where a later page goes on. Documents that came after `snapshot`, the newest row of the first page, stay out. */
const positionSchema = v.variant("mode", [
  /** Behind a document; should it be gone, behind so many others. */
  v.object({ mode: v.literal("ranked"), snapshot: row, last: row, place: row }),
  /**
   * In the window of rows above `low` up to `high`, those before row `before`: of its titles, of the rest, or of all, where
   * titles do not come first. Without `low`, the window begins.
   */
  v.object({
    mode: v.literal("newest"),
    snapshot: row,
    high: row,
    low: v.nullable(row),
    phase: v.nullable(v.picklist(["titles", "rest", "all"])),
    before: v.nullable(row),
  }),
]);

export type Position = v.InferOutput<typeof positionSchema>;

/** A search, in all that decides what it finds and in which order; a cursor fits no other. */
export async function identityOf(instanceId: number, personId: string, asked: Asked): Promise<string> {
  return sha256(JSON.stringify([instanceId, personId, asked.clauses, asked.updated]));
}

/**
 * A position for its person to send back. Sealed, because row numbers count documents that the person may not see, and for
 * this search of this person only.
 */
export async function toCursor(keyring: Keyring, identity: string, position: Position): Promise<string> {
  return keyring.seal(purposeOf(identity), JSON.stringify(position));
}

/** @throws {ApiError} `bad_request` for anything but a cursor of this search and person */
export async function parseCursor(keyring: Keyring, identity: string, cursor: string): Promise<Position> {
  const opened = await keyring.open(purposeOf(identity), cursor).catch((cause: unknown) => {
    if (cause instanceof KeyringError) return "null";
    throw cause;
  });
  // What opens was sealed here, by another version perhaps.
  const parsed = v.safeParse(positionSchema, JSON.parse(opened));
  if (!parsed.success) throw malformed("cursor", "send back the cursor of an earlier answer to the same search");
  return parsed.output;
}

function purposeOf(identity: string): string {
  return `search-cursor:${identity}`;
}
