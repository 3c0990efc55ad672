import { parseEmailAddress } from "#protocol/email-address.ts";
import { describe, expect, it } from "vitest";

describe("email addresses", () => {
  it.each([
    ["ben@acme.example", "ben@acme.example"],
    ["BEN@Acme.Example", "ben@acme.example"],
    ["İREM@acme.example", "İrem@acme.example"],
    ["I\u0307rem@acme.example", "İrem@acme.example"],
    ["JÖRG@münchen.example", "jörg@münchen.example"],
    ["ΟΔΟΣ@acme.example", "οδοσ@acme.example"],
  ])("are compared without regard to case, in any alphabet: %s", (written, address) => {
    expect(parseEmailAddress(written)).toBe(address);
  });

  it.each([
    ["a space", "be n@acme.example"],
    ["a NUL", "ben@acme.example\u0000"],
    ["a line end", "ben@acme.example\n"],
    ["a space of no width", "b\u200ben@acme.example"],
    ["a turn of direction", "\u202eben@acme.example"],
    ["a variation selector, which draws nothing on a letter", "ben\ufe0f@acme.example"],
    ["a joiner of graphemes", "be\u034fn@acme.example"],
    ["a filler of Hangul", "ben\u3164@acme.example"],
    ["the empty Braille pattern", "ben@acme\u2800.example"],
    ["half a character", "ben\ud800@acme.example"],
    ["a Kelvin sign, which lower case turns into k", "\u212aarl@acme.example"],
    ["two @", "ben@acme.example@evil.example"],
    ["no @", "ben"],
  ])("are refused with %s", (_what, written) => {
    expect(parseEmailAddress(written)).toBeUndefined();
  });

  it.each([undefined, null, 1, ["ben@acme.example"], {}])("are refused if they are no string: %j", (value) => {
    expect(parseEmailAddress(value)).toBeUndefined();
  });
});
