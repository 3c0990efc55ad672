import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { Acts } from "./acts.ts";

export class SigningKeyActs extends Acts<{ readonly keys: Pick<SigningKeys, "rotateNow"> }> {
  /**
   * Signs with a new key at once, in an emergency. Our own resource server loads the new key when it first sees it; others may have
   * to wait until their cached key set expires.
   *
   * @param isCompromised whether to stop trusting the old key: tokens that it signed end, and people's apps refresh theirs
   */
  async rotate(isCompromised: boolean): Promise<void> {
    const entry = this.entry("signing_key_rotated", { isCompromised });
    await this.concluded(await this.parts.keys.rotateNow(entry));
  }
}
