import { inject, beforeAll, describe, expect, it, vi } from "vitest";
import { servicesOf } from "#services.ts";
import { AppClient, basic, CHALLENGE, REDIRECT_URI, type TokenAnswer } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { beginIsolate, env } from "../support/isolate.ts";
import { MeasuredIsolate, type StorageCost } from "../support/measured-isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { SigningSso } from "../support/signing-sso.ts";
import { DirectoryClient } from "../support/scim.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, ORIGIN, travel } from "../support/world.ts";
import table from "../../docs/storage-operations.md?raw";

/** Returns the costs that the document states. */
function statedCosts(): Record<string, StorageCost> {
  const costs: Record<string, StorageCost> = {};
  for (const line of table.split("\n")) {
    const [, request = "", ...numbers] = line.split("|").map((cell) => cell.trim());
    if (!/^\d+$/.test(numbers[0] ?? "")) continue;
    const [statements = NaN, roundTrips = NaN, rowsRead = NaN, rowsWritten = NaN, calls = NaN, inSequence = NaN] =
      numbers.slice(0, 6).map(Number);
    costs[request] = { statements, roundTrips, rowsRead, rowsWritten, calls, inSequence };
  }
  return costs;
}

describe("costs in the database (docs/storage-operations.md)", () => {
  const measured: Record<string, StorageCost> = {};
  let isolate: MeasuredIsolate;

  function post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    at = isolate,
  ): Promise<Response> {
    return at.send(path, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  function postJson(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    at = isolate,
  ): Promise<Response> {
    return at.send(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  function redeem(client: AppClient, code: string, verifier: string, at = isolate): Promise<Response> {
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
    return client.secret === undefined
      ? post("/oauth/token", { ...fields, client_id: client.clientId }, {}, at)
      : post("/oauth/token", fields, { Authorization: basic(client.clientId, client.secret) }, at);
  }

  function refresh({ clientId }: AppClient, refresh_token: string, at = isolate): Promise<Response> {
    return post("/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token }, {}, at);
  }

  /** Reads the policy snapshot now, so that its renewal, which is not part of a request's cost, is not measured. */
  async function warmUp(): Promise<void> {
    servicesOf(isolate.bindings).policySnapshots.expire("acme");
    expect((await isolate.send("/.well-known/oauth-authorization-server")).status).toBe(200);
  }

  async function measure(request: string, status: number, act: () => Promise<Response>): Promise<Response> {
    await warmUp();
    let response: Response | undefined;
    measured[request] = await isolate.costOf(async () => {
      response = await act();
    });
    if (!response) throw new Error("there was no answer");
    expect({ request, status: response.status }).toEqual({ request, status });
    return response;
  }

  /** Measures the first request of an isolate. */
  async function measureFirst(request: string, act: (isolate: MeasuredIsolate) => Promise<Response>) {
    const first = new MeasuredIsolate();
    let response: Response | undefined;
    const name = `${request}, first of an isolate`;
    measured[name] = await first.costOf(async () => {
      response = await act(first);
    });
    if (!response) throw new Error("there was no answer");
    expect([name, response.status < 400]).toEqual([name, true]);
    return response;
  }

  /** Measures each request of one sign-in: in an isolate that knows its policy, or each in a new one. */
  async function measureFlow(app: AppClient, areFirst: boolean): Promise<void> {
    const steps: Record<string, string> = {
      "GET /oauth/authorize": "authorize",
      "GET /oauth/callback": "callback",
      "GET /oauth/consent": "consent page",
      "POST /oauth/consent": "consent decision",
    };
    const browser = app.browser(async (url, init) => {
      if (url.startsWith(inject("sso").issuer)) return fetch(url, init);
      const step = steps[`${init.method} ${new URL(url).pathname}`] ?? "";
      if (areFirst) return measureFirst(step, (first) => first.send(url, init));
      return measure(step, step === "consent page" ? 200 : step === "authorize" ? 302 : 303, () =>
        isolate.send(url, init),
      );
    });
    const consent = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE));
    await browser.press(consent, { name: "decision", value: "allow" });
  }

  /** Measures the first request of isolates, at an instance where little has happened yet. */
  async function measureFirsts(): Promise<void> {
    const instance = await makeInstance();
    const app = await AppClient.registered();
    const pipeline = await Pipeline.of(instance);
    await pipeline.index(draft("one", { title: "The first token" }), draft("two", { title: "The second token" }));
    await app.tokens();
    await measureFlow(app, true);
    const { code, verifier } = await new DirectGrants(instance).grant(app);
    const exchanged = await measureFirst("code exchange", (at) => redeem(app, code, verifier, at));
    const { access_token, refresh_token = "" } = await exchanged.json<TokenAnswer>();
    await measureFirst("refresh", (at) => refresh(app, refresh_token, at));
    const authorized = { Authorization: `Bearer ${access_token}` };
    const found = await measureFirst("search", (at) =>
      postJson("/rest/api/v1/search", { query: "token" }, authorized, at),
    );
    expect((await found.json<{ results: unknown[] }>()).results).toHaveLength(2);
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: { query: "token" } },
    };
    await measureFirst("MCP: tools/call search", (at) => postJson("/mcp", call, authorized, at));
    const { session: Cookie = "" } = await ConsoleBrowser.signIn("ben");
    await measureFirst("search page", (at) => at.send("/search?q=token", { headers: { Cookie } }));
  }

  beforeAll(async () => {
    await measureFirsts();
    beginIsolate();
    const instance = await makeInstance();
    const app = await AppClient.registered();
    const confidential = await AppClient.registered({ token_endpoint_auth_method: "client_secret_basic" });
    const pipeline = await Pipeline.of(instance);
    await pipeline.index(draft("one", { title: "The first token" }), draft("two", { title: "The second token" }));
    isolate = new MeasuredIsolate();
    const grants = new DirectGrants(instance);
    // This isolate first signs in a person and issues a token, so that it has cached the SSO's metadata and the signing key.
    await app.authorize();
    const early = await grants.grant(app);
    expect((await redeem(app, early.code, early.verifier)).status).toBe(200);

    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", client_name: "Another app" };
    await measure("register", 201, () => postJson("/oauth/register", metadata, { "CF-Connecting-IP": "203.0.113.9" }));
    await measureFlow(app, false);
    const authorizing = Object.fromEntries(new URL(app.authorizeUrl(CHALLENGE)).searchParams);
    const pushed = await measure("push a request", 201, () => post("/oauth/par", authorizing));
    const { request_uri } = await pushed.json<{ request_uri: string }>();
    const reference = new URLSearchParams({ client_id: app.clientId, request_uri }).toString();
    await measure("authorize, pushed", 302, () => isolate.send(`/oauth/authorize?${reference}`));

    const first = await grants.grant(app);
    const second = await grants.grant(confidential);
    const answer = await measure("code exchange, public client", 200, () => redeem(app, first.code, first.verifier));
    await measure("code exchange, confidential client", 200, () => redeem(confidential, second.code, second.verifier));
    const { access_token, refresh_token = "" } = await answer.json<TokenAnswer>();
    const refreshes = () => refresh(app, refresh_token);
    const refreshed = await (await measure("refresh", 200, refreshes)).json<TokenAnswer>();
    const again = await (await measure("refresh, loser of a race", 200, refreshes)).json<TokenAnswer>();
    expect(again.refresh_token).toBe(refreshed.refresh_token);

    await measure("introspect", 200, () =>
      post(
        "/oauth/introspect",
        { token: access_token },
        { Authorization: basic(confidential.clientId, confidential.secret ?? "") },
      ),
    );
    await measure("JWKS", 200, () => isolate.send("/oauth/jwks"));

    const search = (query: string) =>
      postJson("/rest/api/v1/search", { query }, { Authorization: `Bearer ${access_token}` });
    await measure("warm gate of the Client API", 200, () => search("-"));
    // Stops the clock, so that what is cached about the person does not expire.
    travel(0);
    await search("token");
    await measure("search, warm", 200, () => search("token"));
    const mcp = (method: string, params: object) =>
      postJson("/mcp", { jsonrpc: "2.0", id: 1, method, params }, { Authorization: `Bearer ${access_token}` });
    await measure("MCP: tools/list, warm", 200, () => mcp("tools/list", {}));
    await measure("MCP: tools/call search, warm", 200, () =>
      mcp("tools/call", { name: "search", arguments: { query: "token" } }),
    );
    vi.useRealTimers();
    // Uses the only token that exists: with a second one, D1 would read a row more or less, depending on their random ids.
    const { token } = pipeline;
    await env.DB.exec("UPDATE service_tokens SET last_used_at = NULL");
    const posted = (path: string, secret: string) =>
      isolate.send(path, { method: "POST", headers: { Authorization: `Bearer ${secret}` } });
    const passGate = (secret: string) => posted("/api/index/v1/nothing", secret);
    await measure("service-issued token, first of an isolate", 404, () => passGate(token));
    await measure("warm gate of the Indexing API", 404, () => passGate(token));
    await measure("rotatetoken", 200, () => posted("/api/index/v1/rotatetoken", token));
    await measure("service-issued token, after a change", 404, () => passGate(token));
    await measure("rotatetoken, repeated", 200, () => posted("/api/index/v1/rotatetoken", token));

    const push = (call: string, body: object) =>
      postJson(`/api/index/v1/${call}`, body, { Authorization: `Bearer ${pipeline.token}` });
    const document = draft("one", { title: "The first token", permissions: { allowedGroups: ["engineering"] } });
    await push("indexdocument", { document });
    await measure("index a document again, unchanged", 200, () => push("indexdocument", { document }));
    const documents = Array.from({ length: 500 }, (_, at) => draft(String(at), { datasource: "pages" }));
    const page = { uploadId: "nightly", datasource: "pages", isFirstPage: true, isLastPage: true, documents };
    await measure("bulk page of 500 documents", 200, () => push("bulkindexdocuments", page));
    const allowedGroups = ["finance"];
    await push("updatepermissions", { datasource: "wiki", id: "two", permissions: { allowedGroups } });
    await measure("new permissions of a document", 200, () =>
      push("updatepermissions", { datasource: "wiki", id: "one", permissions: { allowedGroups } }),
    );
    await push("indexgroup", { datasource: "wiki", group: { name: "finance" } });
    await measure("a membership", 200, () =>
      push("indexmembership", {
        datasource: "wiki",
        membership: { groupName: "finance", memberUserId: "ben@acme.example" },
      }),
    );
    await measure("check a person's access", 200, () =>
      push("checkdocumentaccess", { datasource: "wiki", docId: "one", userEmail: "ben@acme.example" }),
    );
    const renew = () => {
      const { policySnapshots } = servicesOf(isolate.bindings);
      policySnapshots.expire("acme");
      return policySnapshots.of("acme", () => {});
    };
    measured["policy renewal, nothing changed"] = await isolate.costOf(renew);
    await measure("revoke", 200, () => post("/oauth/revoke", { token: access_token, client_id: app.clientId }));
    measured["policy renewal, after a revocation"] = await isolate.costOf(renew);

    const directory = await DirectoryClient.of(instance);
    const scim = (method: string, path: string, body?: unknown) =>
      isolate.send(`/scim/v2${path}`, {
        method,
        headers: { Authorization: `Bearer ${directory.token}`, "Content-Type": "application/scim+json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const member = await directory.addUser("member@acme.example");
    const group = await directory.addGroup("finance", member);
    // Sorts after every random id, so that the measured rows are never the last of a list, whichever ids they get.
    await env.DB.batch(
      [
        "INSERT INTO people (id, instance_id, email, name, created_at) SELECT '~', instance_id, '~', '~', created_at FROM directory_users WHERE id = ?1",
        "INSERT INTO directory_users SELECT '~', instance_id, directory, '~', '~', external_id, is_active, attributes, revision, created_at, changed_at FROM directory_users WHERE id = ?1",
        "INSERT INTO directory_groups SELECT '~', instance_id, directory, '~', display_name, external_id, revision, created_at, changed_at FROM directory_groups WHERE id <> ?1",
        "INSERT INTO directory_members SELECT instance_id, '~', '~' FROM directory_users WHERE id = ?1",
      ].map((sql) => env.DB.prepare(sql).bind(member)),
    );
    const filter = encodeURIComponent('userName eq "new@acme.example"');
    await scim("GET", "/ServiceProviderConfig");
    await measure("SCIM: look a user up", 200, () => scim("GET", `/Users?filter=${filter}`));
    const made = await measure("SCIM: create a user", 201, () =>
      scim("POST", "/Users", { userName: "new@acme.example", active: true }),
    );
    const { id } = await made.json<{ id: string }>();
    const operations = (...Operations: object[]) => ({ Operations });
    await measure("SCIM: add a member", 204, () =>
      scim("PATCH", `/Groups/${group}`, operations({ op: "add", path: "members", value: [{ value: id }] })),
    );
    await measure("SCIM: read a group of two", 200, () => scim("GET", `/Groups/${group}`));
    await measure("SCIM: change a user", 200, () =>
      scim("PATCH", `/Users/${id}`, operations({ op: "replace", path: "title", value: "Lead" })),
    );
    await measure("SCIM: deactivate a user", 200, () =>
      scim("PATCH", `/Users/${id}`, operations({ op: "replace", path: "active", value: false })),
    );

    const { session: Cookie = "" } = await ConsoleBrowser.signIn("ben");
    const openAccount = () => isolate.send("/account", { headers: { Cookie } });
    await measure("account page", 200, openAccount);
    await env.DB.exec("UPDATE sessions SET last_used_at = last_used_at - 300");
    await measure("account page, first in five minutes", 200, openAccount);

    const sso = await SigningSso.of(instance);
    // Sorts after every random id, too.
    await env.DB.prepare(
      "INSERT INTO people (id, instance_id, email, name, created_at) VALUES ('~carla', ?1, ?2, ?2, 0)",
    )
      .bind(instance.id, "carla@acme.example")
      .run();
    await sso.signIn("one", "carla");
    const logout = async (claims: Record<string, unknown>) =>
      post("/oauth/backchannel-logout", { logout_token: await sso.logoutToken({ sub: "carla", ...claims }) });
    await logout({ sid: "none" });
    await measure("back-channel logout, one session", 200, () => logout({ sid: "one" }));
    await sso.signIn("two", "carla");
    await measure("sign-out of a person", 200, () => logout({}));
    await env.DB.exec("UPDATE people SET signed_out_at = NULL");
    await app.tokensAt({ issuer: sso.issuer.url, sid: "three" }, {}, "carla");

    const { account, key } = await makeKeyedAccount(instance);
    const authenticated = async () => ({
      grant_type: "client_credentials",
      ...(await key.authenticates(account.id)),
    });
    const asMachine = async () => post("/oauth/token", await authenticated());
    await measure("machine's first token, by its key", 200, asMachine);
    await measure("machine's next token, by its key", 200, asMachine);

    const vouchedFor = await AppClient.madeByAdministrator(instance, {
      tokenEndpointAuthMethod: "client_secret_basic",
    });
    const identityProvider = await TestIssuer.publishing("rsa");
    const [clientIds, scopes] = [[vouchedFor.clientId], ["SEARCH"]] as const;
    await identityProvider.register(instance, { accepts: "id-jags", clientIds, audiences: [], scopes });
    const forge = await identityProvider.forge("rsa");
    const byIdJag = async () => {
      const [iat, jti] = [Math.floor(Date.now() / 1000), crypto.randomUUID()];
      const about = { aud: ORIGIN, client_id: vouchedFor.clientId, jti, iat, exp: iat + 300 };
      const assertion = await forge.sign(
        { ...forge.header, typ: "oauth-id-jag+jwt" },
        { ...forge.claims, azp: undefined, ...about },
      );
      const fields = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
      return post("/oauth/token", fields, { Authorization: basic(vouchedFor.clientId, vouchedFor.secret ?? "") });
    };
    await measure("first token for a person's ID-JAG", 200, byIdJag);
    await measure("next token for a person's ID-JAG", 200, byIdJag);

    const audience = `${ORIGIN}/signals/events`;
    const transmitter = { issuer: identityProvider.url, name: "EDR", audience };
    await servicesOf(isolate.bindings).administrationOf(instance, "test").signals.put(transmitter, null);
    const type = "https://schemas.openid.net/secevent/caep/event-type/session-revoked";
    const event = async () => {
      const [iat, jti] = [Math.floor(Date.now() / 1000), crypto.randomUUID()];
      const sub_id = { format: "email", email: "carla@acme.example" };
      return forge.sign(
        { ...forge.header, typ: "secevent+jwt" },
        { iss: identityProvider.url, aud: audience, iat, jti, sub_id, events: { [type]: {} } },
      );
    };
    await measure("security event about a person with a grant", 202, async () =>
      isolate.send("/signals/events", {
        method: "POST",
        headers: { "Content-Type": "application/secevent+jwt" },
        body: await event(),
      }),
    );

    const retitle = (title: string) => ({
      method: "PATCH",
      path: `/Users/${member}`,
      data: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        ...operations({ op: "replace", path: "title", value: title }),
      },
    });
    const Operations = [retitle("Lead"), retitle("Head")];
    await measure("SCIM: two changes of a user in bulk", 200, () =>
      scim("POST", "/Bulk", { schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], Operations }),
    );
    travel(0);
    const openSearch = () => isolate.send("/search?q=token", { headers: { Cookie } });
    await openSearch();
    await measure("search page, warm", 200, openSearch);
    vi.useRealTimers();
  });

  it("are exactly those that the document states", () => {
    expect(measured).toEqual(statedCosts());
  });

  it("stay within the document's budgets of calls in sequence", () => {
    const budgets = [...table.matchAll(/^\| ([^|]+) \|.*\| (\d+) in sequence[^|]*\|$/gm)];
    expect(budgets).toHaveLength(9);
    for (const [, request = "", most] of budgets) {
      expect([request, (measured[request]?.inSequence ?? NaN) <= Number(most)]).toEqual([request, true]);
    }
    for (const request of ["refresh", "search, warm", "MCP: tools/call search, warm"])
      expect([request, measured[request]?.inSequence]).toEqual([request, 1]);
  });

  it.each(["code exchange, public client", "code exchange, confidential client", "refresh"])(
    "are one round trip and one row written for: %s",
    (request) => {
      expect(measured[request]).toMatchObject({ roundTrips: 1, rowsWritten: 1 });
    },
  );

  it("include no row written for the loser of a race of refreshes", () => {
    expect(measured["refresh, loser of a race"]).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });

  it("include at most one row written for the account page, and only once in five minutes", () => {
    const { statements = 0, rowsWritten } = measured["account page"] ?? {};
    expect(rowsWritten).toBe(0);
    expect(measured["account page, first in five minutes"]).toMatchObject({
      statements: statements + 1,
      rowsWritten: 1,
    });
  });

  it("are one call to the documents for changes of documents, permissions and memberships", () => {
    const requests = ["index a document again, unchanged", "bulk page of 500 documents", "a membership"];
    for (const request of [...requests, "new permissions of a document"]) {
      expect([request, measured[request]]).toMatchObject([request, { roundTrips: 0, calls: 1 }]);
    }
  });

  it("are three round trips for a rotation, two of them for the audit, and one without a write for its repetition", () => {
    expect(measured["rotatetoken"]).toMatchObject({ roundTrips: 3 });
    expect(measured["rotatetoken, repeated"]).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });

  it("are nothing for a service-issued token that is cached", () => {
    expect(measured["warm gate of the Indexing API"]).toMatchObject({ statements: 0, roundTrips: 0 });
  });

  it("are one call to the documents for a search, and nothing for its gate when it is warm", () => {
    expect(measured["warm gate of the Client API"]).toMatchObject({ statements: 0, roundTrips: 0, calls: 0 });
    expect(measured["search, warm"]).toMatchObject({ statements: 0, roundTrips: 0, calls: 1 });
  });

  it("are the same for a search through the MCP endpoint, and nothing for its list of tools", () => {
    expect(measured["MCP: tools/list, warm"]).toMatchObject({ statements: 0, roundTrips: 0 });
    expect(measured["MCP: tools/call search, warm"]).toEqual(measured["search, warm"]);
  });
});
