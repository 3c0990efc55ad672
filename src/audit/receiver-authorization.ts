import type { AuditEntry } from "./audit.ts";

/** The Authorization header that a receiver of audit entries requires. */
export interface ReceiverAuthorizations {
  /**
   * Stores the header for a receiver, or deletes the stored one.
   *
   * @param sealed as `receiverPurpose` seals it; `null` for none
   * @returns whether that changed anything; `false` if the instance has another receiver by now
   */
  authorize(receiver: string, sealed: string | null, entry: AuditEntry<"audit_receiver_authorized">): Promise<boolean>;
}
