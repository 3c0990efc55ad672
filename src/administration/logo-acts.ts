import type { D1Logos } from "#branding/logos.d1.ts";
import { readLogo } from "#branding/logo.ts";
import { sha256 } from "#crypto/hash.ts";
import { Acts } from "./acts.ts";
import type { ActInstance } from "./act-instance.ts";

/** Decisions about the logo on an instance's pages. */
export class LogoActs extends Acts<{ readonly store: D1Logos }> {
  /**
   * Sets the logo.
   *
   * @returns whether it differs from the previous one
   * @throws {AdministrationRefused} for a file that is not an image of the three kinds, or is too large
   */
  async put(instance: ActInstance, bytes: Uint8Array<ArrayBuffer>, actor: string): Promise<boolean> {
    const logo = readLogo(bytes);
    const hash = await sha256(bytes);
    const detail = { before: null, after: { hash, type: logo.type, bytes: bytes.length } };
    const entry = this.entry(instance, actor, "logo_changed", detail);
    return this.concluded(instance, await this.parts.store.put(instance.id, hash, logo, entry));
  }

  /** Removes the logo. @returns whether there was one */
  async remove(instance: ActInstance, actor: string): Promise<boolean> {
    const entry = this.entry(instance, actor, "logo_changed", { before: null, after: null });
    return this.concluded(instance, await this.parts.store.remove(instance.id, entry));
  }
}
