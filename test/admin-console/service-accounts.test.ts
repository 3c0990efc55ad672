import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { ClientKey } from "../support/asserting-client.ts";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

const LIST = "/admin/service-accounts";

let acme: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  acme = await makeInstance();
  ada = await openConsole(acme);
});

async function keySet(): Promise<string> {
  const { kid, algorithm: alg, publicJwk } = await ClientKey.make();
  return JSON.stringify({ keys: [{ ...publicJwk, kid, alg }] });
}

function stored(name: string) {
  return servicesOf(env)
    .serviceAccounts.list(acme.id)
    .then((accounts) => accounts.find((account) => account.name === name));
}

async function create(name: string): Promise<string> {
  const fields = { name, groups: "Sales\nlegal", scopes: "SEARCH", proof: "keys", keys: await keySet() };
  const response = await ada.post(`${LIST}/new`, fields);
  expect(response.status).toBe(303);
  return response.headers.get("Location")?.split("?")[0] ?? "";
}

describe("service accounts in the console", () => {
  it("are created with their own key, changed to a platform's tokens, disabled, enabled and deleted", async () => {
    const page = await create("reports");
    expect(await stored("reports")).toMatchObject({ groups: ["sales", "legal"], scopes: ["SEARCH"] });
    expect(await ada.read(page)).toContain("sales\nlegal");
    const workload = {
      groups: "legal",
      scopes: "CHAT",
      proof: "workload",
      issuer: "https://token.actions.githubusercontent.com",
      claims: "repository=acme/reports\nref=refs/heads/main",
      isSingleUse: "on",
    };
    expect((await ada.post(page, workload)).status).toBe(303);
    expect(await stored("reports")).toMatchObject({
      groups: ["legal"],
      scopes: ["CHAT"],
      proof: {
        workload: { claims: { repository: "acme/reports", ref: "refs/heads/main" }, isSingleUse: true },
      },
    });
    expect(await ada.read(page)).toContain("repository=acme/reports");
    expect(await ada.read(LIST)).toContain("Tokens of https://token.actions.githubusercontent.com");
    for (const [decision, isDisabled] of [
      ["disable", true],
      ["enable", false],
    ] as const) {
      if (isDisabled) expect(await ada.read(`${page}/disable`)).toContain("Disable “reports”?");
      expect((await stored("reports"))?.isDisabled).toBe(!isDisabled);
      expect((await ada.post(`${page}/${decision}`)).status).toBe(303);
      expect((await stored("reports"))?.isDisabled).toBe(isDisabled);
    }
    expect(await ada.read(`${page}/delete`)).toContain("Delete “reports”?");
    expect(await stored("reports")).toBeDefined();
    expect((await ada.post(`${page}/delete`)).status).toBe(303);
    expect(await stored("reports")).toBeUndefined();
    expect((await ada.get(page)).status).toBe(404);
  });

  it.each([
    ["a name that is no name", { name: "Not A Name" }, "name"],
    ["no scope", { scopes: "" }, "scopes"],
    ["keys that are none", { keys: "{" }, "keys"],
    [
      "a platform whose every workload would do",
      { proof: "workload", issuer: "https://ci.example", claims: "ref=main" },
      "proof",
    ],
    ["a line that is no claim", { proof: "workload", issuer: "https://ci.example", claims: "repository" }, "claims"],
  ])("are refused with %s: the field is named, and the input is kept", async (_what, wrong, field) => {
    const fields = {
      name: "job",
      groups: "sales",
      scopes: "SEARCH",
      proof: "keys",
      keys: "https://job.example/jwks.json",
      ...wrong,
    };
    const response = await ada.post(`${LIST}/new`, fields);
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain(`href="#${field}"`);
    expect(html).toMatch(/<textarea[^>]*name="groups"[^>]*>\s*sales/);
    expect(await stored("job")).toBeUndefined();
  });
});
