import { AppAccess } from "#app-access/app-access.ts";
import { type AppRule, EVERYBODY, requireRules, RULES_PER_APP_MAX, scopesByRules } from "#app-access/app-rules.ts";
import { SCOPES, type Scope } from "#protocol/scopes.ts";
import { parseSettings } from "#settings/settings.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const GROUPS = ["sales", "engineering", "support", "https://idp.example|staff"];

const someScopes = fc.subarray([...SCOPES]);
const someRules = fc.uniqueArray(
  fc.record({ group: fc.constantFrom(EVERYBODY, ...GROUPS), scopes: fc.subarray([...SCOPES], { minLength: 1 }) }),
  { selector: ({ group }) => group },
);

/** Returns the scopes that rules give, computed group by group and scope by scope. */
function model(rules: readonly AppRule[], groups: readonly string[], scopes: readonly Scope[]): Set<Scope> {
  if (rules.length === 0) return new Set(scopes);
  const may = new Set<Scope>();
  for (const group of [...groups, EVERYBODY]) {
    for (const rule of rules) if (rule.group === group) for (const scope of rule.scopes) may.add(scope);
  }
  return new Set(scopes.filter((scope) => may.has(scope)));
}

function policyWith(rules: readonly AppRule[], dynamicScopes: readonly Scope[]) {
  const settings = parseSettings({ dynamicScopes });
  return { instanceId: 1, settings, appRules: new Map(rules.length === 0 ? [] : [["app", rules]]) };
}

function reading(groups: readonly string[] | null) {
  let reads = 0;
  const of = () => {
    reads += 1;
    return Promise.resolve(groups && { email: "ada@acme.example", directoryGroups: groups });
  };
  return { appAccess: new AppAccess({ of }), reads: () => reads };
}

describe("the rules of an app", () => {
  it("give the same scopes as a plain model, for any rules, groups, app and scopes", async () => {
    await fc.assert(
      fc.asyncProperty(
        someRules,
        fc.subarray(GROUPS),
        someScopes,
        someScopes,
        fc.constantFrom("static", "dynamic", "document"),
        async (rules, groups, scopes, dynamicScopes, kind) => {
          const policy = policyWith(rules, dynamicScopes);
          const { appAccess, reads } = reading(groups);
          const client = { id: "app", app: "app", kind, scopes, redirectUris: [] } as const;
          const ofApp = kind === "static" ? scopes : scopes.filter((scope) => dynamicScopes.includes(scope));
          const expected = model(rules, groups, ofApp);
          expect(new Set(await appAccess.scopesFor(policy, client, { personId: "ada" }))).toEqual(expected);
          expect(reads()).toBe(rules.length === 0 ? 0 : 1);
        },
      ),
    );
  });

  it("give somebody deactivated or unknown the scopes for everybody, and none of a group", async () => {
    const rules: AppRule[] = [
      { group: EVERYBODY, scopes: ["SEARCH"] },
      { group: "sales", scopes: ["CHAT"] },
    ];
    const { appAccess } = reading(null);
    const client = { id: "app", app: "app", kind: "static", scopes: ["SEARCH", "CHAT"], redirectUris: [] } as const;
    expect(await appAccess.scopesFor(policyWith(rules, []), client, { personId: "gone" })).toEqual(["SEARCH"]);
  });

  it("match groups only by their stored names: no group is part of another", () => {
    const rules = requireRules([{ group: " Sales ", scopes: ["CHAT", "SEARCH"] }]);
    expect(rules).toEqual([{ group: "sales", scopes: ["SEARCH", "CHAT"] }]);
    expect(scopesByRules(rules, ["sales team", "https://idp.example|sales"], ["SEARCH"])).toEqual([]);
    expect(scopesByRules(rules, ["sales"], ["SEARCH", "DOCUMENTS"])).toEqual(["SEARCH"]);
  });

  it("are refused if they are empty, duplicate or too many", () => {
    const many = Array.from({ length: RULES_PER_APP_MAX + 1 }, (_, at) => ({
      group: `g${at}`,
      scopes: ["SEARCH"] as const,
    }));
    for (const wrong of [
      [{ group: " ", scopes: ["SEARCH"] as const }],
      [{ group: "sales", scopes: [] }],
      [
        { group: "sales", scopes: ["SEARCH"] as const },
        { group: "SALES", scopes: ["CHAT"] as const },
      ],
      many,
    ]) {
      expect(() => requireRules(wrong)).toThrow();
    }
    expect(requireRules(many.slice(1))).toHaveLength(RULES_PER_APP_MAX);
  });
});
