import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { Clock } from "#platform/clock.ts";
import { Acts } from "./acts.ts";
import type { ActInstance } from "./act-instance.ts";
import type { TakeEffect } from "./take-effect.ts";

/** What is decided about the keys that sign an instance's access tokens. */
export class SigningKeyActs extends Acts {
  readonly #keys: Pick<SigningKeys, "rotateNow">;

  constructor(keys: Pick<SigningKeys, "rotateNow">, takeEffect: TakeEffect, clock: Clock) {
    super(takeEffect, clock);
    this.#keys = keys;
  }

  /**
   * Signs with a new key at once, for an emergency. Our own resource server reads the new key when it meets it; others may need the
   * time that their cache of the key set is fresh.
   *
   * @param isCompromised whether the old key must not be trusted any more: its tokens end, and people's apps refresh
   */
  async rotate(instance: ActInstance, isCompromised: boolean, actor: string): Promise<void> {
    const entry = this.entry(instance, actor, "signing_key_rotated", { isCompromised });
    await this.concluded(instance, await this.#keys.rotateNow(entry));
  }
}
