import { decodeCanonical, isCanonical } from "#crypto/base64url.ts";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHARACTERS = [...ALPHABET.split(""), "+", "/", "=", " ", "\n", "é"];

/** Checks whether an encoder would make exactly this text. */
function isSpelledByEncoder(text: string): boolean {
  try {
    return base64url.encode(base64url.decode(text)) === text;
  } catch {
    return false;
  }
}

describe("canonical base64url (RFC 4648 §3.5, §5)", () => {
  it("accepts exactly one spelling of the same bytes, and no other text", () => {
    const ends = ["", ...CHARACTERS.flatMap((one) => [one, ...CHARACTERS.map((other) => one + other)])];
    const wrong = ["", "A", "AQ", "AAA", "AAAA"].flatMap((begin) =>
      ends.map((end) => begin + end).filter((text) => isCanonical(text) !== isSpelledByEncoder(text)),
    );
    expect(wrong).toEqual([]);
  });

  it("is decoded, but not with padding or with leftover bits set", () => {
    expect(decodeCanonical("_-8")).toEqual(new Uint8Array([255, 239]));
    expect(decodeCanonical("_-9")).toBeUndefined();
    expect(decodeCanonical("_w==")).toBeUndefined();
  });
});
