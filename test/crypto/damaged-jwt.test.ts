import { readDamagedJwt } from "#crypto/damaged-jwt.ts";
import * as fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { runs } from "../support/properties.ts";

const ISSUER = "https://acme-be.example.com";

describe("what is legible of a damaged JWT", () => {
  const token = ["header", `{"iss":"${ISSUER}","sub":"ben"}`, "signature"]
    .map((part) => base64url.encode(part))
    .join(".");

  it("is the issuer, after any number of lost or added characters", () => {
    const claimsAt = token.indexOf(".") + 1;
    for (let lost = 0; lost <= claimsAt; lost += 1) expect(readDamagedJwt(token.slice(lost)).issuers).toContain(ISSUER);
    for (let added = 1; added < 9; added += 1) {
      expect(readDamagedJwt("A".repeat(added) + token.replaceAll(".", "")).issuers).toContain(ISSUER);
    }
  });

  it("is no issuer in which a character is missing", () => {
    expect(readDamagedJwt(token.slice(0, token.indexOf(".") + 30)).issuers).toEqual([]);
  });

  it("is read from any text without failing", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.base64String(), fc.string()), (text) => {
        expect(readDamagedJwt(text)).toEqual({ issuers: [], keyIds: [] });
      }),
      { numRuns: runs(200) },
    );
  });

  it("is limited, in a text that names thousands of issuers", () => {
    const many = base64url.encode(Array.from({ length: 50_000 }, (_, at) => `"iss":"${at}"`).join(","));
    expect(readDamagedJwt(many).issuers).toHaveLength(20);
  });
});
