import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { AuditEntry } from "#audit/audit.ts";

/** Every page loads it; a logo of a few hundred pixels is smaller. */
const LOGO_BYTES_MAX = 32 * 1024;

/** The types that a logo may have. SVG is none of them: it is a document that can hold script. */
export type LogoType = "image/png" | "image/jpeg" | "image/webp";

export interface Logo {
  readonly type: LogoType;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface LogoStore {
  /**
   * Stores the instance's logo and names it in the settings, or neither; the entry gets the hash of the one before.
   *
   * @returns whether it is another one; where it is not, nothing is recorded
   */
  put(instanceId: number, hash: string, logo: Logo, entry: AuditEntry<"logo_changed">): Promise<boolean>;
  /** The logo of this hash; `null` where the instance has another one or none. */
  find(instanceId: number, hash: string): Promise<Logo | null>;
  /** Removes the one that there is; where there is none, nothing is recorded. @returns whether there was one */
  remove(instanceId: number, entry: AuditEntry<"logo_changed">): Promise<boolean>;
}

/**
 * Reads what was uploaded as a logo.
 *
 * @throws {AdministrationRefused} for a file that is not an image of the three kinds, or is too large
 */
export function readLogo(bytes: Uint8Array<ArrayBuffer>): Logo {
  if (bytes.length === 0) throw new AdministrationRefused("Choose a file", "logo");
  if (bytes.length > LOGO_BYTES_MAX) {
    throw new AdministrationRefused(`The file has ${kilobytes(bytes.length)} KB; 32 KB are the most`, "logo");
  }
  const type = typeOf(bytes);
  if (type === undefined) throw new AdministrationRefused("The file is no PNG, JPEG or WebP picture", "logo");
  return { type, bytes };
}

/**
 * The type that a file's first bytes show. A name and a declared type are its sender's words, and a browser that is told the
 * wrong type may find a page in what was meant as a picture.
 */
function typeOf(bytes: Uint8Array): LogoType | undefined {
  const begins = (at: number, ...signature: number[]) => signature.every((byte, index) => bytes[at + index] === byte);
  if (begins(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0, 0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0, 0x52, 0x49, 0x46, 0x46) && begins(8, 0x57, 0x45, 0x42, 0x50)) return "image/webp";
  return undefined;
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
