import type { D1Transmitters } from "#signals/transmitters.d1.ts";
import { hashToken, type TokenHash } from "#crypto/secrets.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import {
  readTransmitter,
  type StoredTransmitter,
  type TransmitterDraft,
  TRANSMITTERS_MAX,
} from "#signals/transmitter.ts";
import { Acts, changeFromCurrent, type RequireSeen } from "./acts.ts";
import { requireHeaderSecret } from "./header-secret.ts";

/** Decisions about the systems that may sign people out. */
export class SignalActs extends Acts<{ readonly store: D1Transmitters }> {
  /**
   * Adds a transmitter, or changes the configuration of the one with this issuer.
   *
   * @param authorizationSecret the Authorization header that it sends; `undefined` keeps the stored one, `null` requires none
   * @param requireSeen throws if the stored transmitter (or `null`) is not what the administrator saw
   * @throws {AdministrationRefused} if something is missing or invalid, or there are too many transmitters
   */
  put(
    draft: TransmitterDraft,
    authorizationSecret: string | null | undefined,
    requireSeen?: RequireSeen<StoredTransmitter | null>,
  ): Promise<StoredTransmitter> {
    const after = readTransmitter(draft);
    const { issuer } = after;
    return changeFromCurrent(
      () => this.parts.store.find(this.instance.id, issuer),
      async (stored) => {
        await requireSeen?.(stored);
        const kept = stored?.authorizationHash ?? null;
        const hash = await hashOf(authorizationSecret, kept);
        if (stored && stored.text === JSON.stringify(after) && hash === kept) return stored;
        const detail = { before: stored && { ...stored.configuration }, after, isSecretNew: hash !== kept };
        const entry = this.entry("signal_transmitter_changed", detail);
        const isWritten = await this.parts.store.put(after, hash, stored, entry);
        if (await this.concluded(isWritten))
          return (await this.parts.store.find(this.instance.id, issuer)) ?? undefined;
        if (!stored && !(await this.parts.store.find(this.instance.id, issuer))) {
          throw new AdministrationRefused(
            `An instance has at most ${TRANSMITTERS_MAX} transmitters: remove one that you don't need`,
          );
        }
        return undefined;
      },
    );
  }

  /** Removes a transmitter: its signals are no longer accepted. @returns whether there was one */
  async remove({ configuration: before }: StoredTransmitter): Promise<boolean> {
    const entry = this.entry("signal_transmitter_removed", { before });
    return this.concluded(await this.parts.store.remove(before.issuer, entry));
  }
}

/** Returns the hash to store: that of the new header, the stored one, or none. */
async function hashOf(header: string | null | undefined, kept: TokenHash | null): Promise<TokenHash | null> {
  if (header === undefined) return kept;
  return header === null ? null : hashToken(requireHeaderSecret(header, "authorizationSecret"));
}
