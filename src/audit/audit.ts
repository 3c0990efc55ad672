import type { AuditDetails, AuditEvent } from "./audit-events.ts";

/** Who did something, where and when. */
export interface Deed {
  readonly instanceId: number;
  /** Seconds. */
  readonly at: number;
  /** The id of a person, client or token, or a name such as `command`, `retention` or `directory:<name>`. */
  readonly actor: string;
}

/** Who did what: an event with its details. */
export interface AuditEntry<Event extends AuditEvent = AuditEvent> extends Deed {
  readonly event: Event;
  readonly detail: AuditDetails[Event];
}

/** An entry as it is stored. Another version of the service may have recorded events that this one doesn't have. */
export interface RecordedEntry extends Deed {
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The place in the chain: from 1, without gaps. */
  readonly sequence: number;
  /** `null` until the entry is sealed, a moment after it was recorded. */
  readonly seal: Seal | null;
}

/** An entry as it is read to be sealed. */
export interface ProvenEntry extends RecordedEntry {
  /** The act's proof that it recorded the entry (`makeProof`). */
  readonly proof: string | null;
  /** Whether an earlier entry has the same proof. */
  readonly isCopy: boolean;
}

/** The link between an entry and the previous one. */
export interface Seal {
  /** The hash of the previous entry, without its MAC; for the first entry, the empty string. */
  readonly previousHash: string;
  /** `<hash>.<MAC>`: a SHA-256 of the entry and the previous hash, and a MAC over that. */
  readonly hash: string;
}
