import { OAuthError } from "#protocol/errors.ts";
import { type Parameters, parseParameters } from "#protocol/parameters.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../support/properties.ts";

// oxlint-disable-next-line no-control-regex -- control characters are what is left out
const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !/[\u0000-\u001f\u007f]/.test(value));
const name = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "state"));

/** Returns the error code of a refusal. Rethrows any other error, which is a defect. */
function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error.code;
    throw error;
  }
}

describe("request parameters (RFC 6749 §3.1, §3.2, appendix B)", () => {
  it("are decoded to the values that were encoded, whatever their names", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 20 }), (pairs) => {
        const form = parseParameters(new URLSearchParams(pairs).toString());
        const percent = parseParameters(pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"));
        for (const [key, value] of pairs) {
          const expected = value === "" ? undefined : value;
          expect(form.one(key)).toBe(expected);
          if (key !== "" || value !== "") expect(percent.one(key)).toBe(expected);
        }
      }),
    );
  });

  it("are absent unless they were sent, even with names from Object.prototype", () => {
    const none = parseParameters("");
    for (const key of ["state", "__proto__", "constructor", "toString"]) {
      expect(none.one(key)).toBeUndefined();
      expect(none.all(key)).toEqual([]);
      expect(refusalOf(() => none.require(key))).toBe("invalid_request");
    }
  });

  it("are refused if repeated, with the same value or another, empty or not", () => {
    fc.assert(
      fc.property(name, text, text, (key, first, second) => {
        fc.pre(key !== "");
        const repeated = parseParameters(
          new URLSearchParams([
            [key, first],
            [key, second],
          ]).toString(),
        );
        expect(refusalOf(() => repeated.one(key))).toBe("invalid_request");
        expect(refusalOf(() => repeated.require(key))).toBe("invalid_request");
        expect(refusalOf(() => repeated.requireUnrepeated())).toBe("invalid_request");
        expect(refusalOf(() => repeated.requireUnrepeated([key]))).toBeUndefined();
      }),
    );
  });

  it("are either read or refused as invalid_request, whatever the bytes", () => {
    const ascii = fc.string({ unit: "binary-ascii", maxLength: 60 });
    const encoded = fc
      .array(
        fc.oneof(
          ascii,
          fc.constantFrom("%", "%0", "%zz", "%ff", "%c0%80", "%ed%a0%80", "&", "=", "+", "%00", "%0d%0a"),
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(encoded, (body) => {
        expect([undefined, "invalid_request"]).toContain(refusalOf(() => parseParameters(body)));
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(["%", "a=%", "a=%4", "a=%gg", "%ff=x", "a=%c3", "a=%c0%80", "a=%ed%a0%80", "a=%f8%88%80%80%80"])(
    "are refused with the broken encoding %s",
    (body) => {
      expect(refusalOf(() => parseParameters(body))).toBe("invalid_request");
    },
  );

  it("are refused with control characters in names or values", () => {
    for (let code = 0; code <= 0x7f; code += code === 0x1f ? 0x7f - 0x1f : 1) {
      const escaped = `%${code.toString(16).padStart(2, "0")}`;
      expect(refusalOf(() => parseParameters(`a=x${escaped}y`))).toBe("invalid_request");
      expect(refusalOf(() => parseParameters(`a${escaped}=x`))).toBe("invalid_request");
    }
  });

  it("may have a state of 4 KB, but no value of more than 8 KB", () => {
    const read = (length: number): Parameters => parseParameters(`state=${"%2B".repeat(length)}`);
    expect(read(4096).one("state")).toBe("+".repeat(4096));
    expect(refusalOf(() => read(8193))).toBe("invalid_request");
  });

  it("are limited to 64 per request", () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=x`).join("&");
    expect(parseParameters(pairs(64)).one("p63")).toBe("x");
    expect(refusalOf(() => parseParameters(pairs(65)))).toBe("invalid_request");
  });
});
