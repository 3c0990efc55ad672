import { ApiError } from "#protocol/errors.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";
import { describe, expect, it } from "vitest";

describe("readBearer (RFC 6750 §2.1)", () => {
  it.each(["Bearer abc", "bearer abc", "BEARER   abc"])("accepts %j", (header) => {
    expect(readBearer(header)).toBe("abc");
  });

  it("accepts every character of a b64token, and no other", () => {
    expect(readBearer("Bearer aZ09-._~+/==")).toBe("aZ09-._~+/==");
    for (const character of ' ,"\\:;{}[]()@\t\n\u0000é%') {
      expect(() => readBearer(`Bearer a${character}b`)).toThrow(ApiError);
    }
  });

  it.each([undefined, ""])("returns undefined, for no credential, if the header is %j", (header) => {
    expect(readBearer(header)).toBeUndefined();
  });

  it.each([
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Bearer a,Bearer b",
    "Bearer =",
    "Basic YTpi",
    "abc",
    " Bearer abc",
    "Bearer abc ",
    "Bearer\tabc",
  ])("refuses %j", (header) => {
    expect(() => readBearer(header)).toThrow(expect.objectContaining({ code: "invalid_token", status: 401 }));
  });

  it("reads or refuses a header of a megabyte", () => {
    expect(readBearer(`Bearer ${"a".repeat(1_000_000)}`)).toHaveLength(1_000_000);
    expect(() => readBearer(`Bearer ${"=".repeat(1_000_000)}`)).toThrow(ApiError);
  });
});
