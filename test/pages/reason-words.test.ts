import { describe, expect, it } from "vitest";
import { wordsOf } from "#pages/views/reason-words.ts";

describe("a refusal's reason on the console", () => {
  it("is something that people say", () => {
    const said = (
      ["json_broken", "no_route", "token_expired", "redirect_uri_differs", "dpop_proof_replayed"] as const
    ).map(wordsOf);
    expect(said).toEqual([
      "Invalid JSON",
      "No page or API at this address",
      "Token expired",
      "Mismatched redirect URI",
      "Reused DPoP proof",
    ]);
    expect(wordsOf("indexing_scope_uncovered")).toBe("Datasource or group outside the token’s scope");
    expect(wordsOf("step_up_acr_differs")).toBe("Mismatched step-up method");
  });
});
