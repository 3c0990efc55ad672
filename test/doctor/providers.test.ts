import { checkExternalIssuers } from "#doctor/providers.ts";
import { type ExternalIssuer, parseExternalIssuer } from "#issuers/external-issuer.ts";
import { describe, expect, it } from "vitest";

function issuer(changes: Partial<ExternalIssuer>): ExternalIssuer {
  const plain = { issuer: "https://idp.example", name: "IdP", clientIds: ["portal"], scopes: ["SEARCH"] };
  return parseExternalIssuer({ ...plain, ...changes });
}

const verdictOf = async (changes: Partial<ExternalIssuer>) => {
  const [finding] = await checkExternalIssuers([issuer(changes)], () => Promise.resolve([]));
  return finding?.verdict;
};

describe("the doctor's check of an identity provider", () => {
  it("warns if its access tokens may be for any audience", async () => {
    expect(await verdictOf({ audiences: [] })).toBe("warning");
    expect(await verdictOf({ audiences: [], accepts: "both" })).toBe("warning");
  });

  it("finds nothing wrong with an audience, or with assertions, which have their own", async () => {
    expect(await verdictOf({ audiences: ["api://gatehouse"] })).toBe("ok");
    expect(await verdictOf({ audiences: [], accepts: "id-jags" })).toBe("ok");
  });
});
