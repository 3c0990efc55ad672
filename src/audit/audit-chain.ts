import { sha256 } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RecordedEntry, Seal } from "./audit.ts";

/** An entry without its seal. The seal is computed from it. */
export type Sealable = Omit<RecordedEntry, "seal">;

/** A place where the chain is broken. */
export interface Break {
  /** The sequence number of the first entry that is wrong or missing. */
  readonly sequence: number;
  /** What is wrong, as a sentence. */
  readonly broken: string;
}

/*
 * The chain of an instance's entries. Each hash covers the entry and the previous hash, so changing one entry changes all later
 * hashes. Each hash has a MAC under a master key: somebody who has only the database can compute hashes, but no MAC. One MAC proves
 * everything before it, so a master key can be removed as soon as its successor has sealed an entry.
 */

/**
 * Seals an entry that follows another. The hash is always the same; the MAC, which the next hash does not cover, depends on the key.
 */
export async function sealAfter(keyring: Keyring, previous: Seal | null, entry: Sealable): Promise<Seal> {
  const previousHash = previous === null ? "" : hashOf(previous);
  const hash = await hashEntry(entry, previousHash);
  return { previousHash, hash: `${hash}.${await keyring.mac("audit-chain", hash)}` };
}

/** Checks whether a configured master key sealed an entry, and so everything that its hash covers. */
export function isProven(keyring: Keyring, { hash }: Seal): Promise<boolean> {
  const [covered = "", mac = ""] = hash.split(".");
  return keyring.verifyMac("audit-chain", covered, mac);
}

/** Returns what is wrong between two entries that should follow each other, or with the second one. */
export async function breakBetween(
  previous: RecordedEntry | undefined,
  entry: RecordedEntry,
): Promise<Break | undefined> {
  const { sequence, seal } = entry;
  if (previous && sequence !== previous.sequence + 1) {
    const broken = `after entry ${previous.sequence} comes ${sequence}: what was between them is missing`;
    return { sequence: previous.sequence + 1, broken };
  }
  // Entries are sealed in order, so only the newest can be without a seal.
  if (!seal) return undefined;
  if (previous && !previous.seal) {
    return { sequence: previous.sequence, broken: `entry ${previous.sequence} lost its seal` };
  }
  if (previous?.seal && seal.previousHash !== hashOf(previous.seal)) {
    return { sequence, broken: `entry ${sequence} does not follow entry ${previous.sequence}` };
  }
  if (hashOf(seal) === (await hashEntry(entry, seal.previousHash))) return undefined;
  return { sequence, broken: `entry ${sequence} was changed` };
}

/** Returns the part of a seal that the next entry's hash covers. */
export function hashOf({ hash }: Pick<Seal, "hash">): string {
  return hash.split(".")[0] ?? "";
}

/** Returns the hash of an entry that follows another. */
export function hashEntry(entry: Sealable, previousHash: string): Promise<string> {
  const { instanceId, sequence, at, actor, event, detail } = entry;
  return sha256(JSON.stringify([instanceId, sequence, at, actor, event, JSON.stringify(detail), previousHash]));
}
