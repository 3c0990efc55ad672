import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { readDraft, type TokenDraft } from "#service-tokens/token-draft.ts";
import { describe, expect, it } from "vitest";

const DAY_SECONDS = 24 * 3600;
const INDEXING: TokenDraft = {
  kind: "indexing",
  name: "sync",
  scopes: ["documents:wiki"],
  person: null,
  lifetimeSeconds: 90 * DAY_SECONDS,
};
const PERSONAL: TokenDraft = { ...INDEXING, kind: "client-api", scopes: ["SEARCH"], person: "ada@acme.example" };

/** Returns the member that a draft is refused for. */
function refusedMember(draft: TokenDraft): string | undefined {
  try {
    readDraft(draft);
  } catch (error) {
    if (error instanceof AdministrationRefused) return error.member;
    throw error;
  }
  return undefined;
}

describe("the scopes of a service-issued token", () => {
  it.each<[TokenDraft["kind"], string[]]>([
    ["indexing", ["documents:wiki"]],
    ["indexing", ["documents:wiki", "documents:tickets"]],
    ["indexing", ["documents:global_scope"]],
    ["indexing", ["custommetadata:hr"]],
    ["indexing", ["custommetadata:global_scope"]],
    ["scim", ["directory:okta"]],
    ["admin", ["admin:read"]],
  ])("of kind %s may be %j", (kind, scopes) => {
    expect(readDraft({ ...INDEXING, kind, scopes }).scopes).toEqual(scopes);
  });

  it.each<[TokenDraft["kind"], string[]]>([
    ["indexing", []],
    ["indexing", ["custommetadata:hr", "custommetadata:legal"]],
    ["indexing", ["custommetadata:hr", "custommetadata:global_scope"]],
    ["indexing", ["custommetadata:hr", "documents:wiki"]],
    ["indexing", ["SEARCH"]],
    ["scim", []],
    ["scim", ["directory:okta", "directory:entra"]],
    ["scim", ["directory:okta", "admin:read"]],
    ["admin", []],
    ["admin", ["admin:read", "documents:wiki"]],
    ["admin", ["directory:okta"]],
  ])("of kind %s can't be %j", (kind, scopes) => {
    expect(refusedMember({ ...INDEXING, kind, scopes })).toBe("scopes");
  });

  it("of a person's token can't be those of a pipeline, a directory or an administrator", () => {
    expect(refusedMember(PERSONAL)).toBeUndefined();
    for (const scope of ["documents:wiki", "custommetadata:hr", "directory:okta", "admin:read", "offline_access"]) {
      expect([scope, refusedMember({ ...PERSONAL, scopes: [scope] })]).toEqual([scope, "scopes"]);
    }
  });
});

describe("a service-issued token of a program", () => {
  it.each<TokenDraft["kind"]>(["indexing", "admin", "scim"])(
    "of kind %s belongs to nobody and expires within 366 days",
    (kind) => {
      const scopes = { indexing: ["documents:wiki"], admin: ["admin:read"], scim: ["directory:okta"] };
      const draft = { ...INDEXING, kind, scopes: scopes[kind as keyof typeof scopes] };
      expect(refusedMember({ ...draft, person: "ada@acme.example" })).toBe("person");
      expect(refusedMember({ ...draft, lifetimeSeconds: null })).toBe("lifetimeSeconds");
      expect(refusedMember({ ...draft, lifetimeSeconds: 366 * DAY_SECONDS + 1 })).toBe("lifetimeSeconds");
      expect(refusedMember({ ...draft, lifetimeSeconds: 366 * DAY_SECONDS })).toBeUndefined();
    },
  );

  it("is refused with a network that can't be read, which would otherwise open it to all", () => {
    expect(refusedMember({ ...INDEXING, networks: ["192.0.2.0/24", "office"] })).toBe("networks");
    expect(readDraft({ ...INDEXING, networks: ["192.0.2.0/24"] }).networks).toEqual(["192.0.2.0/24"]);
  });
});
