import { sha256 } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RecordedEntry, Seal } from "./audit.ts";

/** An entry, as its seal is made over it. */
export type Sealable = Omit<RecordedEntry, "seal">;

/** Where a chain does not hold. */
export interface Break {
  /** The place of the first entry that is wrong, or is missing. */
  readonly sequence: number;
  /** In words. */
  readonly broken: string;
}

/**
 * The chain of an instance's entries. Each hash covers the entry and the hash before it, so changing one entry changes all hashes that
 * follow. Each hash has a MAC under a master key: somebody with the database alone can compute hashes, but no MAC. One MAC proves
 * everything before it, so a master key can be removed as soon as its successor has sealed an entry.
 */
export class AuditChain {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Seals an entry after another. The hash is always the same; the MAC, which the next hash does not cover, depends on the key. */
  async sealAfter(previous: Seal | null, entry: Sealable): Promise<Seal> {
    const previousHash = previous === null ? "" : hashOf(previous);
    const hash = await hashEntry(entry, previousHash);
    return { previousHash, hash: `${hash}.${await this.#keyring.mac("audit-chain", hash)}` };
  }

  /** Whether a configured master key sealed an entry, and with it all that its hash covers. */
  async isProven({ hash }: Seal): Promise<boolean> {
    const [covered = "", mac = ""] = hash.split(".");
    return this.#keyring.verifyMac("audit-chain", covered, mac);
  }

  /** What is wrong between two entries that should follow each other, or with the second of them. */
  async breakBetween(previous: RecordedEntry | undefined, entry: RecordedEntry): Promise<Break | undefined> {
    const { sequence, seal } = entry;
    if (previous && sequence !== previous.sequence + 1) {
      const broken = `after entry ${previous.sequence} comes ${sequence}: what was between them is missing`;
      return { sequence: previous.sequence + 1, broken };
    }
    // Entries are sealed in their order: only the newest can be without.
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
}

/** What the next entry's hash covers. */
export function hashOf({ hash }: Pick<Seal, "hash">): string {
  return hash.split(".")[0] ?? "";
}

/** The hash of an entry behind another. */
export function hashEntry(entry: Sealable, previousHash: string): Promise<string> {
  const { instanceId, sequence, at, actor, event, detail } = entry;
  return sha256(JSON.stringify([instanceId, sequence, at, actor, event, JSON.stringify(detail), previousHash]));
}
