import { sha256 } from "#crypto/hash.ts";

/** What an audit entry may say: who did what to what. Values are identifiers and settings, never a secret. */
export interface AuditEntry {
  readonly instanceId: number;
  readonly at: number;
  /** A person's, client's or indexing token's id, or `command` for the command line. */
  readonly actor: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An entry in its place in the instance's chain. */
export interface ChainedEntry extends AuditEntry {
  /** From 1, without gaps. */
  readonly sequence: number;
  /** The hash of the entry before; of the first one, the empty text. */
  readonly previousHash: string;
  readonly hash: string;
}

/** Records what was done. */
export interface AuditTrail {
  append(entry: AuditEntry): Promise<void>;
}

/**
 * The hash that chains an entry to the one before: whoever changes or removes an entry has to change every later one too, and
 * those that were exported or logged meanwhile no longer fit.
 */
export function hashEntry(entry: AuditEntry, sequence: number, previousHash: string): Promise<string> {
  const { instanceId, at, actor, event, detail } = entry;
  return sha256(JSON.stringify([instanceId, sequence, at, actor, event, JSON.stringify(detail), previousHash]));
}
