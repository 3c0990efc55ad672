import { decodeCanonical, isCanonical } from "#crypto/base64url.ts";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHARACTERS = [...ALPHABET.split(""), "+", "/", "=", " ", "\n", "é"];

/** What an encoder makes of some bytes is their one spelling. */
function isSpelledByEncoder(text: string): boolean {
  try {
    return base64url.encode(base64url.decode(text)) === text;
  } catch {
    return false;
  }
}

describe("canonical base64url (RFC 4648 §3.5, §5)", () => {
  it("takes one spelling of all bytes, and no other text", () => {
    const ends = ["", ...CHARACTERS.flatMap((one) => [one, ...CHARACTERS.map((other) => one + other)])];
    const wrong = ["", "A", "AQ", "AAA", "AAAA"].flatMap((begin) =>
      ends.map((end) => begin + end).filter((text) => isCanonical(text) !== isSpelledByEncoder(text)),
    );
    expect(wrong).toEqual([]);
  });

  it("decodes it, and nothing with a bit left over", () => {
    expect(decodeCanonical("_-8")).toEqual(new Uint8Array([255, 239]));
    expect(decodeCanonical("_-9")).toBeUndefined();
    expect(decodeCanonical("_w==")).toBeUndefined();
  });
});
