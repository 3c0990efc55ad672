import { challengeOf } from "#authorization-server/token/pkce.ts";
import { describe, expect, it } from "vitest";

describe("the challenge of a code verifier (RFC 7636)", () => {
  it("is its SHA-256 in base64url, as in Appendix B", async () => {
    expect(await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    );
  });

  it.each([
    ["is missing", undefined, "code_verifier_missing"],
    ["is empty", "", "code_verifier_malformed"],
    ["is one character short", "a".repeat(42), "code_verifier_malformed"],
    ["is one character long", "a".repeat(129), "code_verifier_malformed"],
    ["has a space", `${"a".repeat(42)} `, "code_verifier_malformed"],
    ["ends with a line break", `${"a".repeat(43)}\n`, "code_verifier_malformed"],
    ["has padding", `${"a".repeat(43)}=`, "code_verifier_malformed"],
  ])("is refused if the verifier %s", async (_, verifier, reason) => {
    await expect(challengeOf(verifier)).rejects.toMatchObject({ code: "invalid_grant", reason });
  });
});
