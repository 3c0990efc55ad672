/** What an audit entry may say: who did what to what. Values are identifiers and settings, never a secret. */
export interface AuditEntry {
  readonly instanceId: number;
  readonly at: number;
  /** A person's id, a client's id, or `command` for the command line. */
  readonly actor: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditTrail {
  append(entry: AuditEntry): Promise<void>;
}
