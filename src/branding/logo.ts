import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Maximum size in bytes, because every page loads the logo. A logo of a few hundred pixels is smaller. */
const LOGO_BYTES_MAX = 32 * 1024;

/** The types that a logo may have. SVG is not allowed, because it is a document that can contain scripts. */
export type LogoType = "image/png" | "image/jpeg" | "image/webp";

export interface Logo {
  readonly type: LogoType;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads an uploaded logo.
 *
 * @throws {AdministrationRefused} if the file is empty, too large, or not an image of one of the three types
 */
export function readLogo(bytes: Uint8Array<ArrayBuffer>): Logo {
  if (bytes.length === 0) throw new AdministrationRefused("Choose a file", "logo");
  if (bytes.length > LOGO_BYTES_MAX) {
    throw new AdministrationRefused(`The file is ${kilobytes(bytes.length)} KB; the maximum is 32 KB`, "logo");
  }
  const type = typeOf(bytes);
  if (type === undefined) throw new AdministrationRefused("The file is not a PNG, JPEG or WebP image", "logo");
  return { type, bytes };
}

/**
 * Returns the type that a file's first bytes show. The file's name and declared type are only the sender's claims, and with a
 * wrong type a browser may treat a picture as a page.
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
