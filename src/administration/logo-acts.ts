import type { D1Logos } from "#branding/logos.d1.ts";
import { readLogo } from "#branding/logo.ts";
import { sha256 } from "#crypto/secrets.ts";
import { Acts } from "./acts.ts";

export class LogoActs extends Acts<{ readonly store: D1Logos }> {
  /**
   * Sets the logo.
   *
   * @returns whether it differs from the previous one
   * @throws {AdministrationRefused} for a file that is not an image of the three kinds, or is too large
   */
  async put(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const logo = readLogo(bytes);
    const hash = await sha256(bytes);
    const detail = { before: null, after: { hash, type: logo.type, bytes: bytes.length } };
    const entry = this.entry("logo_changed", detail);
    return this.concluded(await this.parts.store.put(hash, logo, entry));
  }

  /** Removes the logo. @returns whether there was one */
  async remove(): Promise<boolean> {
    const entry = this.entry("logo_changed", { before: null, after: null });
    return this.concluded(await this.parts.store.remove(entry));
  }
}
