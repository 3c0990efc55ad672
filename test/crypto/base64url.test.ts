import { decodeCanonical } from "#crypto/base64url.ts";
import { describe, expect, it } from "vitest";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHARACTERS = [...ALPHABET.split(""), "+", "/", "=", " ", "\n", "é"];

/** The possible last characters, by the length modulo 4: two characters carry four bits too many, and three two. */
const LAST = [/./, /(?!)/, /[AQgw]/, /[AEIMQUYcgkosw048]/];

/** Checks whether a text has only base64url's characters, and no bits left over. */
function isOnlySpelling(text: string): boolean {
  return text === "" || (/^[\w-]+$/.test(text) && LAST[text.length % 4]?.test(text.slice(-1)) === true);
}

describe("canonical base64url (RFC 4648 §3.5, §5)", () => {
  it("accepts exactly one spelling of the same bytes, and no other text", () => {
    const ends = ["", ...CHARACTERS.flatMap((one) => [one, ...CHARACTERS.map((other) => one + other)])];
    const wrong = ["", "A", "AQ", "AAA", "AAAA"].flatMap((begin) =>
      ends.map((end) => begin + end).filter((text) => (decodeCanonical(text) !== undefined) !== isOnlySpelling(text)),
    );
    expect(wrong).toEqual([]);
  });

  it("is decoded, but not with padding or with leftover bits set", () => {
    expect(decodeCanonical("_-8")).toEqual(new Uint8Array([255, 239]));
    expect(decodeCanonical("_-9")).toBeUndefined();
    expect(decodeCanonical("_w==")).toBeUndefined();
  });
});
