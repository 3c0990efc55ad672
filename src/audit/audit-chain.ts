import { randomId, sha256 } from "#crypto/secrets.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { AuditEntry, ProvenEntry, RecordedEntry, Seal } from "./audit.ts";

/** An entry without its seal. The seal is computed from it. */
type Sealable = Omit<RecordedEntry, "seal">;

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

/** In the list of what the database adds: the actor, who is then a row's. */
export const ACTOR = "@actor";

type Stated = Pick<AuditEntry, "instanceId" | "at" | "actor" | "event"> & Pick<RecordedEntry, "detail">;

/**
 * Makes the proof that this service recorded an entry. The act makes it, in its own batch, and only entries with a proof are sealed:
 * otherwise, somebody who can write only to the database could insert an entry and have it sealed.
 *
 * A proof is `<id>.<members>.<MAC>`. The MAC covers the entry except its sequence number, which the database gives it, and the
 * members that the act's own SQL adds, such as how many rows it changed. The random id makes a copied entry recognisable.
 *
 * @param added the members of the details that the database adds, and {@link ACTOR}
 */
export async function makeProof(keyring: Keyring, entry: AuditEntry, added: readonly string[]): Promise<string> {
  const marks = `${randomId()}.${added.join(",")}`;
  const stated = { ...entry, detail: JSON.parse(JSON.stringify(entry.detail)) as Stated["detail"] };
  return `${marks}.${await keyring.mac("audit-entry", textOf(stated, marks))}`;
}

/** Checks whether this service recorded an entry, under any configured master key. A copy has the proof of the entry that was copied. */
export async function isRecorded(keyring: Keyring, { proof, isCopy, ...entry }: ProvenEntry): Promise<boolean> {
  const [id, added, mac = "", ...more] = proof?.split(".") ?? [];
  // Copies are recognised by the whole proof, so there must be only one way of writing it.
  if (isCopy || more.length > 0) return false;
  return keyring.verifyMac("audit-entry", textOf(entry, `${id}.${added}`), mac);
}

function textOf({ instanceId, at, actor, event, detail }: Omit<Stated, "event"> & { event: string }, marks: string) {
  const names = marks.slice(marks.indexOf(".") + 1);
  const added = names === "" ? [] : names.split(",");
  const stated = Object.entries(detail).filter(([name]) => !added.includes(name));
  return JSON.stringify([marks, instanceId, at, added.includes(ACTOR) ? null : actor, event, stated]);
}
