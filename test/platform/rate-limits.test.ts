import type { InstanceRecord } from "#instance/instances.ts";
import type { Bindings } from "#platform/bindings.ts";
import {
  bindingOf,
  RATE_LIMIT_BINDINGS,
  RATE_LIMITS,
  RATE_PERIOD_SECONDS,
  type RatedWork,
} from "#platform/rate-limits.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI, type TokenAnswer } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { Pipeline } from "../support/pipeline.ts";
import { DirectoryClient } from "../support/scim.ts";
import { issueAdminToken } from "../support/service-tokens.ts";
import { makeInstance, send } from "../support/world.ts";
import limitsPage from "../../docs/limits.md?raw";
import wranglerToml from "../../wrangler.toml?raw";

/** Returns the limit and period of each of the deployment's counters, by name. */
function boundCounters(): Record<string, { limit: number; period: number }> {
  const blocks = wranglerToml.matchAll(
    /\[\[ratelimits\]\]\nname = "(\w+)"\n.*\nsimple = \{ limit = (\d+), period = (\d+) \}/g,
  );
  return Object.fromEntries(
    [...blocks].map(([, name = "", limit, period]) => [name, { limit: Number(limit), period: Number(period) }]),
  );
}

describe("the rate limit bindings in wrangler.toml", () => {
  it("match the table in the code, with one counter for each limit", () => {
    const counters = RATE_LIMITS.map(({ limit }) => [bindingOf({ limit }), { limit, period: RATE_PERIOD_SECONDS }]);
    expect(boundCounters()).toEqual(Object.fromEntries(counters));
    expect(wranglerToml.match(/\[\[ratelimits\]\]/g)).toHaveLength(RATE_LIMIT_BINDINGS.length);
  });
});

describe("the table of rate limits in docs/limits.md", () => {
  it("matches the code", () => {
    const [, section = ""] = limitsPage.split("## Rate limits\n");
    const rows = [...section.matchAll(/^\| ([\w-]+) \| .*\| (\w+) \| (\d+) \|$/gm)];
    expect(rows.map(([, work, subject, limit]) => ({ work, subject, limit: Number(limit) }))).toEqual(
      RATE_LIMITS.map(({ work, subject, limit }) => ({ work, subject, limit })),
    );
  });
});

describe("a request that is counted against rate limits", () => {
  let instance: InstanceRecord;
  let ada: ConsoleBrowser;
  let pipeline: Pipeline;
  let token: string;
  let admin: string;
  let directory: string;
  const address = { "CF-Connecting-IP": "2001:db8:0:7:aaaa::1" };
  const post = (body: string, type: string, headers: Record<string, string> = {}): RequestInit => ({
    method: "POST",
    headers: { ...address, "Content-Type": type, ...headers },
    body,
  });
  const form = "application/x-www-form-urlencoded";
  const bearer = () => ({ Authorization: `Bearer ${pipeline.token}` });

  /** Requests that are counted as each kind of work. */
  const counted: Record<
    Exclude<RatedWork, "connection-step" | "refresh">,
    () => [path: string, init: RequestInit][]
  > = {
    registration: () => [
      ["/oauth/register", post("{}", "application/json")],
      ["/oauth/register/any", { ...post("{}", "application/json"), method: "PUT" }],
      ["/oauth/register/any", { method: "DELETE", headers: address }],
    ],
    "unknown-client": () => [
      [AppClient.of("https://unknown.example/client.json", REDIRECT_URI).authorizeUrl(CHALLENGE), { headers: address }],
    ],
    authorization: () => [["/oauth/authorize?client_id=any", { headers: address }]],
    "sign-in": () => [["/sign-in", post("", form, { "Sec-Fetch-Site": "same-origin" })]],
    token: () =>
      ["/oauth/token", "/oauth/par", "/oauth/revoke", "/oauth/introspect"].map((path) => [
        path,
        post("token=any", form),
      ]),
    "pushed-request": () => [["/oauth/par", post("client_id=any", form)]],
    "tool-call": () => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };
      return [["/mcp", post(JSON.stringify(call), "application/json", { Authorization: `Bearer ${token}` })]];
    },
    "own-form": () => [
      ["/account/end-all", post("", form, { "Sec-Fetch-Site": "same-origin", Cookie: ada.session ?? "" })],
    ],
    "custom-metadata": () => {
      const base = "/api/index/v1";
      const json = { ...post("{}", "application/json", bearer()), method: "PUT" };
      const bare = { method: "DELETE", headers: { ...address, ...bearer() } };
      return [
        [`${base}/custom-metadata/schema/Team`, json],
        [`${base}/custom-metadata/schema/Team`, bare],
        [`${base}/custom-metadata/values/Team`, json],
        [`${base}/document/any/custom-metadata/Team`, json],
        [`${base}/document/any/custom-metadata/Team`, bare],
      ];
    },
    "admin-api": () => [
      ["/rest/api/admin/v1/settings", { headers: { ...address, Authorization: `Bearer ${admin}` } }],
      ["/rest/api/admin/v1/apps/any", { method: "DELETE", headers: { ...address, Authorization: `Bearer ${admin}` } }],
    ],
    "admin-api-refusal": () => [
      ["/rest/api/admin/v1/settings", { headers: address }],
      ["/rest/api/admin/v1/settings", { headers: { ...address, Authorization: `Bearer ${pipeline.token}` } }],
    ],
    rotation: () => [["/api/index/v1/rotatetoken", post("", form, bearer())]],
    scim: () => [["/scim/v2/Users", { headers: { ...address, Authorization: `Bearer ${directory}` } }]],
    signal: () => [
      ["/oauth/backchannel-logout", post("logout_token=any", form)],
      ["/oauth/global-token-revocation", post("{}", "application/json")],
      ["/signals/events", post("any", "application/secevent+jwt")],
    ],
    "scim-refusal": () => [["/scim/v2/Users", { headers: { ...address, Authorization: `Bearer ${admin}` } }]],
  };

  /** Returns counters that refuse the keys of one limit, and record the keys that they were asked about. */
  function countersFull(full: string): { asked: string[]; bindings: Bindings } {
    const asked: string[] = [];
    const limit = async ({ key }: { key: string }) => {
      // Recording a refusal as a connection step is counted after the response.
      if (!key.startsWith("connection-step:")) asked.push(key);
      return { success: !key.startsWith(full) };
    };
    const counters = Object.fromEntries(RATE_LIMIT_BINDINGS.map((binding) => [binding, { limit }]));
    return { asked, bindings: { ...env, ...counters } };
  }

  beforeAll(async () => {
    instance = await makeInstance();
    ada = await ConsoleBrowser.signIn("ada");
    pipeline = await Pipeline.of(instance, "custommetadata:global_scope");
    admin = await issueAdminToken(instance);
    directory = (await DirectoryClient.of(instance)).token;
    token = (await (await AppClient.registered()).tokens()).access_token;
  });

  it.each(
    RATE_LIMITS.flatMap(({ work, subject }) =>
      work === "connection-step" || work === "refresh" ? [] : [[work, subject] as const],
    ),
  )("for %s per %s gets 429 with Retry-After, even if no other limit is reached", async (work, subject) => {
    const { asked, bindings } = countersFull(`${work}:${subject}:`);
    for (const [path, init] of counted[work]()) {
      const response = await send(path, init, bindings);
      expect({ path, status: response.status }).toEqual({ path, status: 429 });
      expect(response.headers.get("Retry-After")).toBe(String(RATE_PERIOD_SECONDS));
    }
    const subjects = { network: "2001:db8:0:7::/64", instance: "", group: "team" } as Record<string, string>;
    const last = asked.at(-1) ?? "";
    expect(last).toMatch(`${work}:${subject}:${instance.id}:${subjects[subject] ?? ""}`);
  });

  it.each(["person", "client"] as const)(
    "for refresh per %s gets 429, and doesn't use up the refresh token",
    async (subject) => {
      const app = await AppClient.registered();
      const { asked, bindings } = countersFull(`refresh:${subject}:`);
      const refresh = (refreshToken: string | undefined) => {
        const fields = { grant_type: "refresh_token", client_id: app.clientId, refresh_token: refreshToken ?? "" };
        return send("/oauth/token", post(new URLSearchParams(fields).toString(), form), bindings);
      };
      const first = await (await refresh((await app.tokens()).refresh_token)).json<TokenAnswer>();
      const refused = await refresh(first.refresh_token);
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, String(RATE_PERIOD_SECONDS)]);
      const { id } = await knownPerson(instance, "ben@acme.example");
      expect(asked.at(-1)).toBe(`refresh:${subject}:${instance.id}:${subject === "person" ? id : app.clientId}`);
      expect((await app.refresh(first.refresh_token)).status).toBe(200);
    },
  );

  it("with an invented refresh token is not counted as a refresh of that client", async () => {
    const { asked, bindings } = countersFull("nothing");
    const app = await AppClient.registered();
    const fields = { grant_type: "refresh_token", client_id: app.clientId, refresh_token: "invented" };
    for (let time = 0; time < 2; time += 1) {
      await send("/oauth/token", post(new URLSearchParams(fields).toString(), form), bindings);
    }
    expect(asked.filter((key) => !key.startsWith("token:network:"))).toEqual([]);
  });

  it("is not counted against a wider limit if a narrower one refused it", async () => {
    const { asked, bindings } = countersFull("sign-in:network:");
    // Showing the page starts no sign-in, and is not counted.
    expect((await send("/sign-in", { headers: address }, bindings)).status).toBe(200);
    expect(asked).toEqual([]);
    for (const [path, init] of counted["sign-in"]()) await send(path, init, bindings);
    expect(asked).toEqual([`sign-in:network:${instance.id}:2001:db8:0:7::/64`]);
  });
});
