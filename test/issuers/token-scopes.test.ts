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
  const AUDIENCE = "api://gatehouse";
  const of = (claims: Claims, scopesRequired = false, audiences = [AUDIENCE]) =>
    scopesOfToken(claims, { scopes: ["SEARCH", "CHAT"], scopesRequired, audiences });

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

  it.each<Claims>([
    { scp: [["SEARCH"]] },
    { scp: { SEARCH: true } },
    { scope: 1 },
    { scope: [null] },
    { scope: "openid", scp: false },
  ])("are none if they are written in a way that can't be read: %j", (claims) => {
    expect(of(claims)).toEqual([]);
  });

  it("are those that can be read beside something else, and all of them if the claims are null", () => {
    expect(of({ scp: ["CHAT", 5] })).toEqual(["CHAT"]);
    expect(of({ scope: null, scp: [] })).toEqual(["SEARCH", "CHAT"]);
  });

  it("are not given by the name of another API's scope, which only narrows", () => {
    for (const foreign of [
      "https://mail.example/SEARCH",
      "api://gatehouse.evil.example/SEARCH",
      "api://gatehouse/x/SEARCH",
    ]) {
      expect(of({ scope: foreign }, true)).toEqual([]);
      expect(of({ scope: foreign }, true, [])).toEqual(["SEARCH"]);
      expect(of({ scope: foreign })).toEqual(["SEARCH"]);
    }
    for (const own of ["api://gatehouse/SEARCH", "search"]) expect(of({ scope: own }, true)).toEqual(["SEARCH"]);
    expect(of({ scope: "https://acme.example/SEARCH" }, true, ["https://acme.example/"])).toEqual(["SEARCH"]);
  });
});
