import type { InstanceRecord } from "#instance/instances.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readChallenge } from "../support/challenge.ts";
import { ANNOUNCED, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, send } from "../support/world.ts";

/** The calls of the Client API, with the scope that each needs and a valid body. */
const CALLS = {
  SEARCH: ["/rest/api/v1/search", { query: "-" }],
  CHAT: ["/rest/api/v1/chat", { messages: [{ fragments: [{ text: "token" }] }] }],
  DOCUMENTS: ["/rest/api/v1/getdocuments", { documentSpecs: [{ id: "wiki:a" }] }],
} as const;

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

/** Returns the calls that an issuer's token with these claims may make. Each other call must be refused for its scope. */
async function allowed(claims: Readonly<Record<string, unknown>>, registration: IssuerDraft): Promise<string[]> {
  await removeIssuers(instance);
  const issuer = await TestIssuer.publishing("rsa");
  await issuer.register(instance, registration);
  const headers = {
    "Content-Type": "application/json",
    Authorization: `Bearer ${await issuer.token(claims)}`,
    ...ANNOUNCED,
  };
  const scopes: string[] = [];
  for (const [scope, [path, body]] of Object.entries(CALLS)) {
    const response = await send(path, { method: "POST", headers, body: JSON.stringify(body) });
    if (response.status === 200) scopes.push(scope);
    else {
      expect(response.status).toBe(403);
      expect(readChallenge(response)).toMatchObject({ error: "insufficient_scope", scope });
    }
  }
  return scopes;
}

describe("the scope of a token is governed by the service's scopes", () => {
  const scopes = ["SEARCH", "CHAT"];

  it.each<[what: string, claims: Readonly<Record<string, unknown>>, allowed: string[]]>([
    ["names one of them", { scope: "SEARCH" }, ["SEARCH"]],
    ["names one of them among others", { scp: ["openid", "chat", "payroll.read"] }, ["CHAT"]],
    ["names one of them with its API", { scope: "api://gatehouse/SEARCH" }, ["SEARCH"]],
    ["names more than the issuer has", { scp: "SEARCH CHAT DOCUMENTS" }, ["SEARCH", "CHAT"]],
    ["names only one that the issuer lacks", { scope: "DOCUMENTS" }, []],
    ["names none of them", { scope: "openid profile" }, ["SEARCH", "CHAT"]],
    ["has no scopes", {}, ["SEARCH", "CHAT"]],
  ])("a provider's token that %s", async (_, claims, expected) => {
    expect(await allowed(claims, { scopes })).toEqual(expected);
  });

  it("a provider's token has no scope that it does not name, where an administrator demands names", async () => {
    const demanding = { scopes, scopesRequired: true };
    expect(await allowed({}, demanding)).toEqual([]);
    expect(await allowed({ scope: "openid profile" }, demanding)).toEqual([]);
    expect(await allowed({ scope: "openid CHAT" }, demanding)).toEqual(["CHAT"]);
  });
});
