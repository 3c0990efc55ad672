import { sha256 } from "#crypto/hash.ts";
import type { AuditDetails, AuditEvent } from "./audit-events.ts";

/** Who did what: one event with its details. */
export interface AuditEntry<Event extends AuditEvent = AuditEvent> {
  readonly instanceId: number;
  /** Seconds. */
  readonly at: number;
  /** A person's, client's or indexing token's id, or `command` for the command line. */
  readonly actor: string;
  readonly event: Event;
  readonly detail: AuditDetails[Event];
}

/** An entry as it is stored. An older version of the service may have recorded events that this one no longer does. */
export interface RecordedEntry {
  readonly instanceId: number;
  readonly at: number;
  readonly actor: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Its place: from 1, without gaps. */
  readonly sequence: number;
  /** `null` until the entry is sealed, a moment after it was recorded. */
  readonly seal: Seal | null;
}

/** What chains an entry to the one before. */
export interface Seal {
  /** The hash of the entry before; of the first one, the empty text. */
  readonly previousHash: string;
  readonly hash: string;
}

export interface AuditTrail {
  /** Seals what an act's own batch recorded (`recordIfChanged`). Never throws: the act is done and on record. */
  seal(instanceId: number): Promise<void>;
}

/**
 * The hash that chains an entry to the one before: to change or remove an entry, somebody has to change every later one too, and
 * those that were exported or logged meanwhile no longer fit.
 */
export function hashEntry(entry: Omit<RecordedEntry, "seal">, previousHash: string): Promise<string> {
  const { instanceId, sequence, at, actor, event, detail } = entry;
  return sha256(JSON.stringify([instanceId, sequence, at, actor, event, JSON.stringify(detail), previousHash]));
}
