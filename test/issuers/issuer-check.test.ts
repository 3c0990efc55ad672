import type { Finding } from "#platform/finding.ts";
import { parseExternalIssuer } from "#issuers/external-issuer.ts";
import { checkIssuer } from "#issuers/issuer-check.ts";
import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { describe, expect, it } from "vitest";

const ISSUER = "https://idp.example";
const JWKS_URI = `${ISSUER}/keys`;
const RSA = { kty: "RSA", n: "AQAB", e: "AQAB", use: "sig" };
const KEYS = {
  keys: [
    { ...RSA, kid: "1" },
    { ...RSA, kid: "2", alg: "RS512" },
  ],
};

/** Checks an issuer that publishes these documents by URL, and whose registration allows these algorithms. */
function check(documents: Readonly<Record<string, unknown>>, algorithms = ["RS256"]): Promise<Finding[]> {
  const answer = (url: string) =>
    Promise.resolve(documents[url] ? Response.json(documents[url]) : new Response("", { status: 404 }));
  const configuration = { issuer: ISSUER, name: "IdP", clientIds: ["a"], scopes: ["SEARCH"], algorithms };
  return checkIssuer(new IssuerDocuments(answer), parseExternalIssuer(configuration));
}

const DISCOVERY = { [`${ISSUER}/.well-known/openid-configuration`]: { issuer: ISSUER, jwks_uri: JWKS_URI } };

describe("the check of a new issuer's keys", () => {
  it("says where they are, and how many fit", async () => {
    expect(await check({ ...DISCOVERY, [JWKS_URI]: KEYS }, ["RS256", "RS512"])).toMatchObject([
      { verdict: "ok", meaning: `Its keys are at ${JWKS_URI}: 2, of them 1 for RS256, 2 for RS512.` },
    ]);
  });

  it("fails if no key can verify what the registration allows", async () => {
    const [, warning] = await check({ ...DISCOVERY, [JWKS_URI]: KEYS }, ["ES256"]);
    expect(warning?.verdict).toBe("failed");
    expect(warning?.meaning).toMatch(/^None of these keys can sign with ES256/);
  });

  it.each([
    ["it publishes nothing", {}],
    [
      "its discovery document names another issuer",
      {
        [`${ISSUER}/.well-known/openid-configuration`]: { issuer: `${ISSUER}/`, jwks_uri: JWKS_URI },
        [JWKS_URI]: KEYS,
      },
    ],
    ["its keys are missing", DISCOVERY],
    ["its keys are none", { ...DISCOVERY, [JWKS_URI]: { keys: [] } }],
  ])("fails if %s", async (_name, documents) => {
    const [warning, ...more] = await check(documents);
    expect(warning?.verdict).toBe("failed");
    expect(warning?.meaning).toMatch(/^The keys of https:\/\/idp\.example cannot be fetched now/);
    expect(more).toEqual([]);
  });
});
