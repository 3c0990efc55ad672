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
  /** The hash of the entry before, without its MAC; of the first one, the empty text. */
  readonly previousHash: string;
  /** `<hash>.<MAC>`: SHA-256 over the entry and the hash before, and a MAC over that. */
  readonly hash: string;
}

export interface AuditTrail {
  /** Seals what an act's own batch recorded (`recordIfChanged`). Never throws: the act is done and on record. */
  seal(instanceId: number): Promise<void>;
}
