import type { ObservedGrant } from "#grants/grant.ts";
import { judgeCode, judgeRefresh, type RefreshJudgement } from "#grants/judgement.ts";
import type { CodeClaim } from "#grants/token-grants.ts";
import { describe, expect, it } from "vitest";

const NOW = 1_000_000;
const GRACE_SECONDS = 600;
const INSTANCE = {
  issuer: "https://acme.example",
  policy: { settings: { refreshRepeatSeconds: GRACE_SECONDS, grantIdleSeconds: 86_400 } },
} as Parameters<typeof judgeRefresh>[2];

const GRANT: ObservedGrant = {
  id: "grant",
  clientId: "client",
  personId: "ada",
  issuer: "https://acme.example",
  scope: "SEARCH CHAT offline_access",
  resource: "https://acme.example/rest/api/v1",
  redirectUri: "https://app.example/cb",
  codeChallenge: "challenge",
  codeExpiresAt: NOW + 60,
  generation: 5,
  tokensUntil: NOW + 3600,
  nonce: null,
  clientKind: "dynamic",
  clientApp: "app",
  clientScopes: ["SEARCH", "CHAT", "offline_access"],
  clientRedirectUris: ["https://app.example/cb"],
  clientRequirements: [],
  keyThumbprint: null,
  redeemedAt: NOW - 1000,
  rotatedAt: NOW - 10,
  revokedAt: null,
  expiresAt: NOW + 86_400,
  personDeactivatedAt: null,
};
const WISH = { scopes: [], resource: undefined, keyThumbprint: undefined, proof: null };

interface Refresh {
  readonly grant?: Partial<ObservedGrant>;
  readonly generation?: number;
  readonly wish?: Partial<Parameters<typeof judgeRefresh>[3]>;
}

function refresh({ grant = {}, generation = 4, wish = {} }: Refresh): RefreshJudgement {
  const observed = { clientAuthenticated: true, grant: { ...GRANT, ...grant } };
  return judgeRefresh(observed, { grantId: "grant", generation }, INSTANCE, { ...WISH, ...wish }, NOW);
}

const reasonOf = (judgement: RefreshJudgement) =>
  judgement.verdict === "same-successor" ? judgement.verdict : [judgement.verdict, judgement.refusal.reason];

describe("a refresh that rotated nothing", () => {
  it("gets the same successor with the previous token, until it may not be repeated any more", () => {
    expect(reasonOf(refresh({}))).toBe("same-successor");
    expect(reasonOf(refresh({ grant: { rotatedAt: NOW - GRACE_SECONDS } }))).toBe("same-successor");
    const late = refresh({ grant: { rotatedAt: NOW - GRACE_SECONDS - 1 } });
    expect(reasonOf(late)).toEqual(["reused", "refresh_token_reused"]);
  });

  it("ends the grant with any older token, however recent", () => {
    expect(reasonOf(refresh({ generation: 3 }))).toEqual(["reused", "refresh_token_reused"]);
    expect(reasonOf(refresh({ generation: 0 }))).toEqual(["reused", "refresh_token_reused"]);
  });

  it("neither refreshes nor ends the grant without its key, unless the client authenticates itself and has another", () => {
    const grant = { keyThumbprint: "key" };
    const proof = { kind: "secret" } as unknown as NonNullable<Parameters<typeof judgeRefresh>[3]["proof"]>;
    const refused = ["refused", "refresh_token_of_another_key"];
    for (const generation of [4, 0]) {
      expect(reasonOf(refresh({ grant, generation }))).toEqual(refused);
      expect(reasonOf(refresh({ grant, generation, wish: { keyThumbprint: "other" } }))).toEqual(refused);
      expect(reasonOf(refresh({ grant, generation, wish: { proof } }))).toEqual(refused);
    }
    expect(reasonOf(refresh({ grant, wish: { keyThumbprint: "key" } }))).toBe("same-successor");
    expect(reasonOf(refresh({ grant, wish: { keyThumbprint: "other", proof } }))).toBe("same-successor");
  });

  it.each<[string, Refresh, string]>([
    ["of another instance", { grant: { issuer: "https://globex.example" } }, "refresh_token_of_another_issuer"],
    ["of a revoked grant", { grant: { revokedAt: NOW - 1 } }, "grant_revoked"],
    ["of an expired grant", { grant: { expiresAt: NOW } }, "grant_expired"],
    ["of a deactivated person", { grant: { personDeactivatedAt: NOW - 1 } }, "person_deactivated"],
    ["from the future", { generation: 6 }, "refresh_token_ahead"],
    ["of a grant without offline_access", { grant: { scope: "SEARCH" } }, "grant_idle"],
    ["for a scope that was not granted", { wish: { scopes: ["DOCUMENTS"] } }, "refresh_scope_wider"],
    ["for a wider resource", { wish: { resource: "https://acme.example" } }, "resource_beyond_grant"],
  ])("is refused %s", (_, given, reason) => {
    expect(reasonOf(refresh(given))).toEqual(["refused", reason]);
  });
});

const CLAIM = {
  instanceId: 1,
  issuer: "https://acme.example",
  credentials: { proof: null },
  codeHash: "hash",
  redirectUri: "https://app.example/cb",
  codeChallenge: "challenge",
  resource: undefined,
  keyThumbprint: undefined,
  tokensUntil: NOW + 3600,
} as unknown as CodeClaim;

function code(claim: Partial<CodeClaim>, grant: Partial<ObservedGrant> = {}) {
  const { refusal, replayed } = judgeCode(
    { ...CLAIM, ...claim },
    { clientAuthenticated: true, grant: { ...GRANT, redeemedAt: null, rotatedAt: null, ...grant } },
    NOW,
  );
  return [refusal.reason, replayed?.id];
}

describe("a code that was not claimed", () => {
  it("ends its grant if it was redeemed before and everything else is right", () => {
    expect(code({}, { redeemedAt: NOW - 1 })).toEqual(["code_replayed", "grant"]);
  });

  it.each<[string, Partial<CodeClaim>, string]>([
    ["without the right verifier", { codeChallenge: "other" }, "code_verifier_wrong"],
    ["with another redirect URI", { redirectUri: "https://app.example/other" }, "redirect_uri_differs"],
    ["at another instance", { issuer: "https://globex.example" }, "code_of_another_issuer"],
  ])("ends no grant if it is sent again %s", (_, claim, reason) => {
    expect(code(claim, { redeemedAt: NOW - 1 })).toEqual([reason, undefined]);
  });

  it.each<[string, Partial<CodeClaim>, Partial<ObservedGrant>, string]>([
    ["has expired", {}, { codeExpiresAt: NOW }, "code_expired"],
    ["belongs to a deactivated person", {}, { personDeactivatedAt: NOW - 1 }, "person_deactivated"],
    ["is bound to another key", { keyThumbprint: "other" }, { keyThumbprint: "key" }, "code_of_another_key"],
    ["is bound to a key that nobody proves", {}, { keyThumbprint: "key" }, "code_of_another_key"],
    ["is asked for a wider resource", { resource: "https://acme.example" }, {}, "resource_beyond_grant"],
  ])("is refused if it %s", (_, claim, grant, reason) => {
    expect(code(claim, grant)).toEqual([reason, undefined]);
  });
});
