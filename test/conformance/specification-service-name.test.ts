import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { deploymentNamed, issueClientApiToken, makeInstance, send } from "../support/world.ts";

let instance: InstanceRecord;
let token: string;

/** Searches in a deployment whose service has this name. */
function searchAs(serviceName: string, bearer: string, headers: Record<string, string> = {}): Promise<Response> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${bearer}`, ...headers },
    body: JSON.stringify({ query: "holidays" }),
  };
  return send("/rest/api/v1/search", init, deploymentNamed(serviceName));
}

/** Asks a question in a deployment whose service has this name. */
function chatAs(serviceName: string, bearer: string, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${bearer}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return send("/rest/api/v1/chat", init, deploymentNamed(serviceName));
}

beforeAll(async () => {
  instance = await makeInstance();
  const issuer = await TestIssuer.publishing("rsa");
  await issuer.register(instance);
  token = await issuer.token();
});

describe("the header X-<Service>-Auth-Type", () => {
  it("has the word that is derived from the service's name, whatever the name is", async () => {
    const names = {
      Gatehouse: "X-Gatehouse-Auth-Type",
      "Acme Search": "X-Acme-Search-Auth-Type",
      "Müller & Søn 2": "X-Muller-Son-2-Auth-Type",
      "Acme 検索": "X-Acme-Auth-Type",
    };
    for (const [name, header] of Object.entries(names)) {
      expect((await searchAs(name, token, { [header]: "OAUTH" })).status, name).toBe(200);
      expect((await searchAs(name, token)).status, name).toBe(401);
      expect(await readRefusal(await searchAs(name, token))).toMatchObject({
        message: expect.stringContaining(`add the header ${header}: OAUTH`),
      });
    }
  });

  it("is named in the API description", async () => {
    const response = await send("/openapi.json", {}, deploymentNamed("Acme Search"));
    const text = await response.text();
    expect(text).toContain("X-Acme-Search-Auth-Type: OAUTH");
    expect(text).not.toContain("X-Gatehouse-Auth-Type");
  });

  it("is refused as a configuration error, which names the variable, if no word can be made of the name", async () => {
    const ownToken = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
    for (const name of ["検索", "…", " Acme", ""]) {
      const response = await searchAs(name, ownToken);
      expect(response.status, name).toBe(503);
      expect(await response.json()).toMatchObject({
        error: "temporarily_unavailable",
        message: expect.stringMatching(/^The service is not configured correctly\. SERVICE_NAME must/),
      });
    }
  });
});

describe("the author of chat's answers", () => {
  it("comes from the service's own name", async () => {
    const chatToken = await issueClientApiToken(instance, "ben@acme.example", "CHAT");
    for (const [name, author] of Object.entries({ Gatehouse: "GATEHOUSE_AI", "Acme Search": "ACME_SEARCH_AI" })) {
      for (const stream of [false, true]) {
        const messages = [{ author: "USER", fragments: [{ text: "holidays" }] }];
        const response = await chatAs(name, chatToken, { messages, stream });
        expect(response.status).toBe(200);
        const lines = (await response.text()).trimEnd().split("\n");
        for (const line of lines) expect(JSON.parse(line)).toMatchObject({ messages: [{ author }] });
      }
    }
  });

  it("can be any in a request, as clients that exist send it", async () => {
    const chatToken = await issueClientApiToken(instance, "ben@acme.example", "CHAT");
    for (const author of ["GATEHOUSE_AI", "OTHER_SERVICE_AI", "assistant"]) {
      const question = { author: "USER", fragments: [{ text: "holidays" }] };
      const answer = { author, fragments: [{ text: "Which ones?" }] };
      expect((await chatAs("Gatehouse", chatToken, { messages: [answer, question] })).status, author).toBe(200);
      expect((await chatAs("Gatehouse", chatToken, { messages: [answer] })).status, author).toBe(400);
    }
  });
});
