import { scopesNamedIn, scopesOfToken } from "#issuers/token-scopes.ts";
import { describe, expect, it } from "vitest";

type Claims = Readonly<Record<string, unknown>>;

describe("the scopes that an identity provider's token names", () => {
  it.each<[what: string, claims: Claims, named: string[]]>([
    ["a text in scope, as at Auth0 and Keycloak", { scope: "openid SEARCH profile" }, ["SEARCH"]],
    ["a text in scp, as at Entra", { scp: "SEARCH CHAT" }, ["SEARCH", "CHAT"]],
    ["an array in scp, as at Okta", { scp: ["openid", "CHAT"] }, ["CHAT"]],
    ["an array in scope", { scope: ["DOCUMENTS"] }, ["DOCUMENTS"]],
    ["scopes", { scopes: ["SEARCH"] }, ["SEARCH"]],
    ["several claims together", { scope: "openid", scp: ["CHAT"], scopes: "SEARCH" }, ["SEARCH", "CHAT"]],
    ["another case", { scope: "search Chat" }, ["SEARCH", "CHAT"]],
    [
      "the API before the scope, as at Cognito",
      { scope: "api://gatehouse/SEARCH https://acme.example/chat" },
      ["SEARCH", "CHAT"],
    ],
    ["a text in an array", { scope: ["SEARCH CHAT"] }, ["SEARCH", "CHAT"]],
    ["commas and several spaces", { scope: " SEARCH,CHAT  openid" }, ["SEARCH", "CHAT"]],
  ])("are read from %s", (_, claims, named) => {
    expect(scopesNamedIn(claims)).toEqual(named);
  });

  it.each<Claims>([
    {},
    { scope: "openid profile email offline_access" },
    { scp: "search.read SEARCHING research SEARCH/ api://SEARCH/read" },
    { scope: null },
    { scope: 1, scp: { SEARCH: true }, scopes: [["SEARCH"]] },
    { roles: ["SEARCH"], permissions: ["SEARCH"] },
  ])("are none in %j", (claims) => {
    expect(scopesNamedIn(claims)).toEqual([]);
  });
});

describe("the scopes of an identity provider's token", () => {
  const optional = { scopes: ["SEARCH", "CHAT"], scopesRequired: false } as const;
  const of = (claims: Claims, scopesRequired = false) =>
    scopesOfToken(claims, { ...optional, scopes: [...optional.scopes], scopesRequired });

  it("are those of the issuer if it names none, unless the issuer's tokens must name them", () => {
    expect(of({ scope: "openid" })).toEqual(["SEARCH", "CHAT"]);
    expect(of({ scope: "openid" }, true)).toEqual([]);
  });

  it("are never more than those of the issuer, nor more than it names", () => {
    for (const required of [true, false]) {
      expect(of({ scope: "SEARCH DOCUMENTS" }, required)).toEqual(["SEARCH"]);
      expect(of({ scope: "DOCUMENTS" }, required)).toEqual([]);
    }
  });
});
