import { ApiError } from "#protocol/errors.ts";
import { isNumericDate } from "#protocol/numeric-date.ts";
import { requireBegun } from "#resource-server/authentication/steps.ts";
import { describe, expect, it } from "vitest";

const NOW = 1_800_000_000;
const TOLERANCE_SECONDS = 5;

/** Values that are no valid time. */
const NO_TIMES = [
  undefined,
  null,
  "",
  String(NOW),
  "2030-01-01T00:00:00Z",
  true,
  [NOW],
  { valueOf: () => NOW },
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  -NOW,
  -0.5,
  253_402_300_800,
  2 ** 53,
  1e300,
];

describe("isNumericDate (RFC 7519 §2)", () => {
  it.each([0.5, 1, NOW, NOW + 0.5, 253_402_300_799])("accepts %j", (claim) => {
    expect(isNumericDate(claim)).toBe(true);
  });

  it.each(NO_TIMES)("refuses %j", (claim) => {
    expect(isNumericDate(claim)).toBe(false);
  });
});

describe("requireBegun (RFC 7519 §4.1.5, §4.1.6)", () => {
  const begun = (claims: Readonly<Record<string, unknown>>) => {
    try {
      requireBegun(claims, NOW, TOLERANCE_SECONDS);
      return "begun";
    } catch (error) {
      return error instanceof ApiError ? `${error.status} ${error.code}` : error;
    }
  };

  it("accepts a token without iat and nbf", () => {
    expect(begun({})).toBe("begun");
    expect(begun({ exp: 1 })).toBe("begun");
  });

  it.each(["iat", "nbf"])("accepts %s up to the tolerance, and not a second later", (claim) => {
    for (const time of [1, NOW - 1, NOW, NOW + 0.5, NOW + TOLERANCE_SECONDS])
      expect(begun({ [claim]: time })).toBe("begun");
    for (const time of [NOW + TOLERANCE_SECONDS + 0.5, NOW + TOLERANCE_SECONDS + 1, NOW * 2])
      expect(begun({ [claim]: time })).toBe("401 invalid_token");
  });

  it("checks both iat and nbf", () => {
    const late = NOW + TOLERANCE_SECONDS + 1;
    expect(begun({ iat: NOW, nbf: late })).toBe("401 invalid_token");
    expect(begun({ iat: late, nbf: NOW })).toBe("401 invalid_token");
  });

  it.each(NO_TIMES.filter((claim) => claim !== undefined))("refuses an iat or nbf of %j", (claim) => {
    expect(begun({ iat: claim })).toBe("401 invalid_token");
    expect(begun({ nbf: claim })).toBe("401 invalid_token");
  });
});
