/** As much of a token as a header of an ordinary request can have. */
const CHARACTERS_MAX = 16 * 1024;

/** The most values that are read, because each is compared with others. A token has one of each. */
const VALUES_MAX = 20;

/** Base64url, or base64 as somebody may have written it instead. */
const ENCODED = /[\w+/-]+/g;

const MEMBER = /"(iss|kid)"\s*:\s*"([^"\\]*)"/g;

/** The names in a text that was a JWT. Nothing in it is verified, and the text may be anything. */
export interface Legible {
  readonly issuers: readonly unknown[];
  readonly keyIds: readonly unknown[];
}

/**
 * Reads which issuer and key a damaged JWT names, to tell its sender where it came from. It may be truncated at either end, have
 * characters added, removed or changed, or be split differently: what is encoded after the damage is shifted by up to three
 * characters, so each part is decoded four times.
 */
export function readDamagedJwt(text: string): Legible {
  const issuers: string[] = [];
  const keyIds: string[] = [];
  for (const [part] of text.slice(0, CHARACTERS_MAX).matchAll(ENCODED)) {
    for (let shift = 0; shift < 4; shift += 1) {
      for (const [, name, value = ""] of decode(part.slice(shift)).matchAll(MEMBER)) {
        const values = name === "iss" ? issuers : keyIds;
        if (values.length < VALUES_MAX) values.push(value);
      }
    }
  }
  return { issuers, keyIds };
}

/** Decodes as many whole bytes as there are, each to one character: the names that are looked for are plain ASCII. */
function decode(part: string): string {
  const whole = part.length % 4 === 1 ? part.slice(0, -1) : part;
  return atob(whole.replaceAll("-", "+").replaceAll("_", "/"));
}
