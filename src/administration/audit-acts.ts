import type { D1AuditDeliveries } from "#audit/audit-delivery.d1.ts";
import { type AuditDelivery, receiverPurpose } from "#audit/audit-delivery.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts } from "./acts.ts";
import { requireHeaderSecret } from "./header-secret.ts";

interface Parts {
  readonly deliveries: Pick<AuditDelivery, "state">;
  readonly store: D1AuditDeliveries;
  readonly keyring: Keyring;
}

/** Decisions about the receiver of audit entries, except its address, which is a setting. */
export class AuditActs extends Acts<Parts> {
  /**
   * Sets the Authorization header that is sent with each delivery to the current receiver, and to no other. It is never shown again.
   *
   * @param authorization the whole value, such as `Splunk <token>`; `null` sends none
   * @returns whether that changed anything
   * @throws {AdministrationRefused} if there is no receiver, or if the value can't be a header
   */
  async authorizeReceiver(authorization: string | null): Promise<boolean> {
    const receiver = (await this.parts.deliveries.state(this.instance.id))?.receiver;
    if (receiver === undefined) throw new AdministrationRefused("Set the audit receiver first", "auditReceiver");
    const sealed =
      authorization === null
        ? null
        : await this.parts.keyring.seal(
            receiverPurpose(this.instance.id, receiver),
            requireHeaderSecret(authorization, "authorization"),
          );
    const detail = { receiver, isSet: sealed !== null };
    const entry = this.entry("audit_receiver_authorized", detail);
    const isChanged = await this.parts.store.authorize(receiver, sealed, entry);
    if (!isChanged && sealed !== null)
      throw new AdministrationRefused("The audit receiver has just changed: try again");
    return this.concluded(isChanged);
  }
}
