import type { InstanceRecord } from "#instance/instances.ts";
import type { D1Instances } from "#instance/instances.d1.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type SingleSignOn, singleSignOnPurpose } from "#settings/settings.ts";
import { nextNumber, ssoOfIssuer } from "#single-sign-on/choosing.ts";
import {
  normalised,
  replacedBy,
  requireApart,
  requireConnection,
  type SingleSignOnConnection,
} from "#single-sign-on/connection.ts";
import { Acts, changeFromCurrent, type RequireSeen } from "./acts.ts";

interface Parts {
  readonly instances: D1Instances;
  readonly issuers: Pick<D1ExternalIssuers, "find">;
  readonly keyring: Keyring;
}

export class SingleSignOnActs extends Acts<Parts> {
  /**
   * Connects the instance to an SSO, or changes the connection: that of the same issuer, or else the only one.
   *
   * @param requireSeen throws if the stored connections are not what the administrator saw
   * @throws {AdministrationRefused} as {@link requireConnection} and {@link requireApart} do, and if no owner could sign in any more
   */
  connect(connection: SingleSignOnConnection, requireSeen?: RequireSeen<InstanceRecord>): Promise<void> {
    return this.#write(connection, requireSeen, ({ singleSignOns }) => {
      const replaced = replacedBy(singleSignOns, connection);
      if (replaced || singleSignOns.length === 0) return replaced;
      throw new AdministrationRefused(
        "There are several single sign-ons: change one of them, or add another",
        "issuer",
      );
    });
  }

  /**
   * Changes the connection to the SSO of this issuer, or connects the instance to another SSO, whose people are others.
   *
   * @param requireSeen as for {@link connect}
   * @throws {AdministrationRefused} as {@link connect} does
   */
  put(connection: SingleSignOnConnection, requireSeen?: RequireSeen<InstanceRecord>): Promise<void> {
    const { issuer } = connection;
    return this.#write(connection, requireSeen, ({ singleSignOns }) => ssoOfIssuer(singleSignOns, issuer));
  }

  /**
   * Removes an SSO. Everything that people got there ends; nothing changes for the people of the others.
   *
   * @throws {AdministrationRefused} if it is not connected, is the only one, the APIs accept its access tokens, or no owner could sign
   *   in any more
   */
  remove(issuer: string): Promise<boolean> {
    return changeFromCurrent(
      () => this.parts.instances.require(this.instance.name),
      async (current) => {
        const { singleSignOns } = current;
        const removed = ssoOfIssuer(singleSignOns, issuer);
        if (!removed) throw new AdministrationRefused(`${issuer} is not a single sign-on of this instance`, "issuer");
        const others = singleSignOns.filter((sso) => sso !== removed);
        if (others.length === 0) {
          throw new AdministrationRefused(
            "This is the only single sign-on: without it, nobody could sign in",
            "issuer",
          );
        }
        // As another provider's, they would mean its people still, and could mean those of the other SSOs, too.
        const registered = await this.parts.issuers.find(this.instance.id, issuer);
        if (registered && !registered.isDisabled) {
          throw new AdministrationRefused(
            "The APIs accept its access tokens: first disable it under Identity providers",
            "issuer",
          );
        }
        const { sealedClientSecret: _secret, ...before } = removed;
        return this.#conclude(current, others, false, this.entry("single_sign_on_removed", { issuer, before }));
      },
    );
  }

  async #write(
    draft: SingleSignOnConnection,
    requireSeen: RequireSeen<InstanceRecord> | undefined,
    replacedIn: (current: InstanceRecord) => SingleSignOn | undefined,
  ): Promise<void> {
    const connection = normalised(draft);
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
        const stored = replacedIn(current);
        const others = singleSignOns.filter((sso) => sso !== stored);
        requireApart(others, connection);
        const { sealedClientSecret: kept, number: _number, ...before } = stored ?? {};
        const sealedClientSecret = newSecret ?? kept;
        if (sealedClientSecret === undefined)
          throw new AdministrationRefused("Enter the client secret", "clientSecret");
        const number = stored ? stored.number : nextNumber(others);
        // Groups that count as the directory's open documents, so nothing may make them so but a decision.
        const isAnother = !stored && others.length > 0;
        const groupsMeetDirectory =
          after.groupsMeetDirectory ?? stored?.groupsMeetDirectory ?? (isAnother ? false : undefined);
        const written = {
          ...after,
          sealedClientSecret,
          ...(groupsMeetDirectory !== undefined && { groupsMeetDirectory }),
          ...(number !== undefined && { number }),
        };
        const ssos = stored ? singleSignOns.map((sso) => (sso === stored ? written : sso)) : [...others, written];
        const isSecretNew = newSecret !== undefined;
        const detail = { before: stored ? before : null, after, isSecretNew };
        const isMoved = stored !== undefined && stored.issuer !== after.issuer;
        return this.#conclude(current, ssos, isMoved, this.entry("single_sign_on_changed", detail));
      },
    );
  }

  async #conclude(
    current: InstanceRecord,
    ssos: readonly SingleSignOn[],
    mayLockOut: boolean,
    entry: Parameters<D1Instances["writeSingleSignOns"]>[3],
  ): Promise<true | undefined> {
    const { instances } = this.parts;
    if (await this.concluded(await instances.writeSingleSignOns(current, ssos, mayLockOut, entry))) return true;
    const { stored } = await instances.require(this.instance.name);
    if (stored.singleSignOns !== current.stored.singleSignOns) return undefined;
    throw new AdministrationRefused(
      "No owner could sign in any more: give the role to somebody of another single sign-on",
    );
  }
}
