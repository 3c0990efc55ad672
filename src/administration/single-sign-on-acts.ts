import type { InstanceRecord } from "#instance/instances.ts";
import type { D1Instances } from "#instance/instances.d1.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import { replacedBy, requireConnection, type SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { changeFromCurrent, type RequireSeen } from "./change-from-current.ts";
import { BoundActs } from "./acts.ts";

/** Decisions about the SSO where an instance's people sign in. */
export class SingleSignOnActs extends BoundActs<{ readonly instances: D1Instances; readonly keyring: Keyring }> {
  /**
   * Connects the instance to an SSO, or changes the connection.
   *
   * @param requireSeen throws if the stored connection is not what the administrator saw
   * @throws {AdministrationRefused} as {@link requireConnection} does
   */
  async connect(connection: SingleSignOnConnection, requireSeen?: RequireSeen<InstanceRecord>): Promise<void> {
    const { clientSecret, ...after } = connection;
    const newSecret =
      clientSecret === undefined
        ? undefined
        : await this.parts.keyring.seal(singleSignOnPurpose(this.instance.name), clientSecret);
    await changeFromCurrent(
      () => this.parts.instances.require(this.instance.name),
      async (current) => {
        await requireSeen?.(current);
        const { singleSignOns } = current;
        requireConnection(singleSignOns, connection);
        const stored = replacedBy(singleSignOns, connection);
        const { sealedClientSecret: kept, ...before } = stored ?? {};
        const sealedClientSecret = newSecret ?? kept;
        if (sealedClientSecret === undefined)
          throw new AdministrationRefused("Enter the client secret", "clientSecret");
        const isSecretNew = newSecret !== undefined;
        const detail = { before: stored ? before : null, after, isSecretNew };
        const isWritten = await this.parts.instances.writeSingleSignOns(
          current,
          [...singleSignOns.filter((each) => each !== stored), { ...after, sealedClientSecret }],
          this.entry("single_sign_on_changed", detail),
        );
        if (!isWritten) return undefined;
        await this.concluded(true);
        return true;
      },
    );
  }
}
