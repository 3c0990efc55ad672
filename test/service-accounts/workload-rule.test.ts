import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { isOfWorkload, readWorkloadRule, type WorkloadRule } from "#service-accounts/workload-rule.ts";
import { describe, expect, it } from "vitest";

const GITHUB = "https://token.actions.githubusercontent.com";
const CLUSTER = "https://oidc.eks.eu-west-1.amazonaws.com/id/ABC";

function read(changes: Partial<WorkloadRule>): unknown {
  try {
    return readWorkloadRule({
      issuer: CLUSTER,
      claims: { sub: "system:serviceaccount:ci:indexer" },
      isSingleUse: false,
      ...changes,
    });
  } catch (error) {
    if (error instanceof AdministrationRefused && error.member === "proof") return error.message;
    throw error;
  }
}

describe("a workload rule", () => {
  it.each<[string, Record<string, string>]>([
    [GITHUB, { repository: "acme/search" }],
    [GITHUB, { repository_owner_id: "1234", ref: "refs/heads/main" }],
    ["https://gitlab.com", { project_path: "acme/search" }],
    ["https://accounts.google.com", { sub: "1098" }],
    ["https://login.microsoftonline.com/0f1c2d3e-0000-4000-8000-000000000001/v2.0", { oid: "0f1c" }],
    [CLUSTER, { sub: "system:serviceaccount:ci:indexer" }],
  ])("at %s names the workload by %j", (issuer, claims) => {
    expect(read({ issuer, claims })).toEqual({ issuer, claims, isSingleUse: false });
  });

  it.each<[string, Partial<WorkloadRule>, RegExp]>([
    [
      "that anybody on GitHub satisfies",
      { issuer: GITHUB, claims: { ref: "refs/heads/main", event_name: "push" } },
      /Everybody.*repository/,
    ],
    [
      "that anybody on GitHub can satisfy by a name of their own",
      { issuer: GITHUB, claims: { environment: "production" } },
      /Everybody/,
    ],
    [
      "that anybody on GitLab satisfies",
      { issuer: "https://gitlab.com", claims: { ref: "main" } },
      /Everybody.*project_path/,
    ],
    [
      "that anybody at Google satisfies",
      { issuer: "https://accounts.google.com", claims: { azp: "32555940559" } },
      /Everybody/,
    ],
    ["without claims", { claims: {} }, /Everybody/],
    ["with a claim that is no workload's", { claims: { namespace: "default" } }, /Everybody/],
    ["by the audience", { claims: { sub: "x", aud: "y" } }, /own check/],
    ["by the issuer", { claims: { sub: "x", iss: "y" } }, /own check/],
    ["with a pattern", { claims: { sub: "repo:acme/*" } }, /never match/],
    ["with an empty text", { claims: { sub: "" } }, /name and a text/],
    ["without https", { issuer: "http://cluster.example" }, /https/],
    ["with keys without https", { jwksUri: "http://cluster.example/keys" }, /https/],
  ])("is refused %s", (_name, changes, message) => {
    expect(read(changes)).toMatch(message);
  });

  it("matches exactly its texts", () => {
    const rule = { issuer: CLUSTER, claims: { sub: "1" }, isSingleUse: false };
    expect(isOfWorkload(rule, { sub: "1", more: true })).toBe(true);
    for (const sub of [1, ["1"], " 1", "1 ", { toString: () => "1" }, null, undefined]) {
      expect(isOfWorkload(rule, { sub })).toBe(false);
    }
    expect(isOfWorkload({ ...rule, claims: { constructor: "x" } }, {})).toBe(false);
  });

  it("needs all of its claims, not only one", () => {
    const rule = { issuer: GITHUB, claims: { repository: "acme/docs", ref: "refs/heads/main" }, isSingleUse: true };
    expect(isOfWorkload(rule, { repository: "acme/docs", ref: "refs/heads/main" })).toBe(true);
    expect(isOfWorkload(rule, { repository: "acme/docs", ref: "refs/heads/other" })).toBe(false);
    expect(isOfWorkload(rule, { repository: "acme/docs" })).toBe(false);
    expect(isOfWorkload(rule, { repository: "mallory/docs", ref: "refs/heads/main" })).toBe(false);
  });
});
