import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { RESOURCE_METADATA_PATH } from "#protocol/resource-indicator.ts";
import { COOLDOWN_SECONDS } from "#issuers/issuer-keys.ts";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { servicesOf } from "#services.ts";
import { AppClient, basic, type TokenAnswer } from "../test/support/app-client.ts";
import { ASSERTION_TYPE, ClientKey } from "../test/support/asserting-client.ts";
import { Chance } from "../test/support/chance.ts";
import { ConsoleBrowser, setRole } from "../test/support/console-browser.ts";
import { DirectGrants } from "../test/support/direct-grants.ts";
import { env } from "../test/support/isolate.ts";
import { MetadataPipeline } from "../test/support/metadata-pipeline.ts";
import { everybodyOf } from "../test/support/people.ts";
import { DirectoryClient } from "../test/support/scim.ts";
import { allTokens, issueAdminToken } from "../test/support/service-tokens.ts";
import {
  changeSettings,
  connectSso,
  issueClientApiToken,
  issueIndexingToken,
  makeInstance,
  ORIGIN,
  send,
} from "../test/support/world.ts";
import { ADMIN_CALLS, type Sample } from "../test/support/admin-calls.ts";
import { countedDatabase, noCost, type StatementCost } from "../test/support/counted-database.ts";
import { type CallBody, type FoundForm, formsOf, FuzzCalls } from "../test/support/fuzz-calls.ts";
import { putTogether } from "../test/support/forged-tokens.ts";
import { FuzzMessages } from "../test/support/fuzz-messages.ts";
import { routeOf } from "../test/support/routes.ts";
import { boundOf, EARLIER_REFUSALS, statedCost } from "../test/support/stated-limits.ts";
import { removeIssuers } from "../test/support/test-issuer.ts";

/** A request under construction: what a well-behaved client would send, with random changes. */
interface Draft {
  readonly endpoint: string;
  method: string;
  origin: string;
  path: string;
  query: [string, string][];
  body: CallBody | undefined;
  headers: Record<string, string>;
  /** The client that the request is about, if it is about one. */
  clientId: string | undefined;
}

const STATIC_URIS = ["https://app.example/callback", "https://app.example/other?tenant=1", "com.example.app:/callback"];
const SCOPES = ["SEARCH", "search CHAT offline_access", "offline_access", "SEARCH SEARCH", "openid profile", ""];
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND"];

// biome-ignore format: a list
const NAMES = [
  "grant_type", "client_id", "client_secret", "code", "code_verifier", "redirect_uri", "refresh_token", "scope", "resource",
  "token", "token_type_hint", "state", "request", "csrf_token", "decision", "response_type", "prompt", "max_age", "iss",
  "login_hint", "error", "code_challenge", "code_challenge_method", "response_mode", "request_uri", "nonce", "__proto__",
];

// biome-ignore format: a list
const HEADERS = [
  "Origin", "Sec-Fetch-Site", "Cookie", "X-Gatehouse-Auth-Type", "Accept", "Range", "DPoP", "If-Match", "If-None-Match",
  "Content-Encoding", "Accept-Language", "MCP-Protocol-Version",
];

/** Code that converts this to text or a number fails. */
const ODD = { toString: 1, valueOf: 1 };

// biome-ignore format: a list
const HOSTILE = [
  "", " ", "a\u0000b", "a\r\nLocation: https://evil.example", "%", "%00", "\ud800", "ü漢😀\u202e\ufeff\uffff", "__proto__",
  "' OR 1=1; DROP TABLE clients; --", "\"><script>alert(1)</script>", "{\"$ne\":null}", "../../../../etc/passwd", "1e999",
  "-1", "0", "null", "x".repeat(200), "x".repeat(9000), "none", "https://evil.example/callback", "//evil.example",
  "/\\evil.example", "https://app.example@evil.example/callback", "https://app.example/callback/../evil",
  "https://app.example.evil.example/callback", "https://app.example/callback#fragment", "javascript:alert(1)",
  "http://127.0.0.1:33418/callback@evil.example", "http://127.0.0.1.evil.example/callback", "http://[::1]/callback",
  "https://app.example/callback%0d%0aSet-Cookie:a=b", "data:text/html,x", "https://acme.localhost/oauth/callback",
  "https://documents.example/client.json", "https://documents.example/odd.json", "plain", "S256", "login consent",
  "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/x", "https://0x7f.1/x", "https://10.1.2.3.:8443/x",
  "https://metadata.google.internal./x", "https://localhost.:8787/x",
  putTogether({ alg: "ES256", typ: "at+jwt", kid: ODD }, { iss: ORIGIN, sub: ODD, aud: [ODD], exp: ODD, events: ODD }, "x"),
  putTogether({ alg: "ES256", typ: ODD, kid: "__proto__" }, { iss: ODD, jti: ODD, iat: 1e300, cnf: ODD, scope: ODD }, "x"),
];

/** What anybody can send without a session. It is tried more often than its share of the routes. */
// biome-ignore format: a list
const FLOWS = [
  "/oauth/authorize", "/oauth/authorize, pushed", "/oauth/callback", "/oauth/consent", "/oauth/token", "/oauth/token by assertion",
  "/oauth/par", "/oauth/revoke", "/oauth/introspect", "/oauth/register", "/oauth/register/{id}", "/oauth/backchannel-logout",
  "/oauth/global-token-revocation", "/signals/events",
];

/** What apps call all day. These are few routes, so a share by routes would be too small. */
const OF_APPS = /^POST \/(?:mcp$|rest\/api\/v1\/)/;

/** What other systems' servers call, which sign what they send. */
const SIGNED = ["/oauth/backchannel-logout", "/oauth/global-token-revocation", "/signals/events", "/oauth/par"];

// biome-ignore format: a list
const CONTENT_TYPES = [
  "application/json", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-7", "text/plain",
  "multipart/form-data; boundary=x", "application/xml", "", ";", "*/*", "APPLICATION/JSON; x=\"y",
];

const RAW_BODIES = [
  "%",
  "%zz=1",
  "client_id=%ff",
  "=&=&",
  "{",
  "[]",
  "null",
  '"x"',
  "{}".repeat(50),
  "\u0000",
  "a=1;b=2",
];

describe("a fuzzed Gatehouse", () => {
  const requests = inject("requests");
  const seed = inject("seed");
  const chance = new Chance(seed);

  let instance: InstanceRecord;
  let grants: DirectGrants;
  let apps: AppClient[];
  /** Where codes of each client may be sent. */
  const registered = new Map<string, readonly string[]>();
  /** Genuine values, newest last, which any parameter may be filled with. */
  const genuine: Record<"code" | "verifier" | "refresh" | "access" | "service" | "handle" | "csrf", string[]> = {
    code: [],
    verifier: [],
    refresh: [],
    access: [],
    service: [],
    handle: [],
    csrf: [],
  };
  /** Browsers of people who are signed in: an administrator, and somebody without a role. */
  const sessions: ConsoleBrowser[] = [];
  const csrfTokens: string[] = [];
  let forms: readonly FoundForm[] = [];
  /** Tokens for each of the APIs, issued again after they end. */
  let kept = { reader: "", documents: "", metadata: "", administrator: "", directory: "" };
  let keyed: { readonly clientId: string; readonly key: ClientKey };
  /** What was logged since the last check. */
  const logged: string[] = [];
  /** What the current request costs in the database. */
  let cost = noCost();
  let messages: FuzzMessages;
  /** Calls of the Admin API about things that exist, by route. */
  const samples = new Map<string, Sample>();
  /** Hosts that the Worker was sent to by text from outside. */
  const asked = new Set<string>();
  /** Until when the Worker has no keys of an issuer, and why: its last fetch got no key set. */
  let withoutKeys: { readonly until: number; readonly why: string; readonly isPlanted: boolean } | undefined;
  const managed: { id: string; token: string }[] = [];
  const clientOfHandle = new Map<string, string>();
  const clientOfState = new Map<string, string>();

  beforeAll(async () => {
    for (const level of ["info", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation(
        (...parts: unknown[]) => void logged.push(parts.map(String).join(" ")),
      );
    }
    const database = env.DB;
    const counted = countedDatabase(
      () => database,
      () => cost,
    );
    Object.assign(env, { DB: counted });
    instance = await makeInstance();
    const other = await makeInstance("other");
    grants = new DirectGrants(instance);
    apps = [
      await AppClient.registered(),
      await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" }),
      await AppClient.madeByAdministrator(instance, { redirectUris: STATIC_URIS }),
    ];
    for (const app of apps) registered.set(app.clientId, [app.redirectUri]);
    registered.set(apps[2]?.clientId ?? "", STATIC_URIS);
    genuine.service.push(await issueClientApiToken(instance, "ben@acme.example", "SEARCH"));
    genuine.service.push(await issueIndexingToken(instance, "documents:global_scope"));
    genuine.service.push(await issueIndexingToken(instance, "custommetadata:global_scope"));
    kept = {
      reader: await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "CHAT", "DOCUMENTS"),
      documents: await issueIndexingToken(instance, "documents:global_scope"),
      metadata: await issueIndexingToken(instance, "custommetadata:global_scope"),
      administrator: await issueAdminToken(instance),
      directory: (await DirectoryClient.of(instance)).token,
    };
    const metadata = await MetadataPipeline.of(instance);
    await metadata.describe("deal", [{ name: "stage", propertyType: "TEXT" }]);
    const key = await ClientKey.make();
    const keys = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key.publicJwk] } };
    keyed = { clientId: (await AppClient.registered(keys)).clientId, key };
    await setRole(instance);
    const realFetch = globalThis.fetch;
    const genuineHosts = [inject("sso").issuer, inject("issuers").origin];
    const noteMissing = (isPlanted: boolean, why: string) => {
      withoutKeys = { until: Date.now() + 1000 * COOLDOWN_SECONDS, why, isPlanted };
    };
    vi.stubGlobal("fetch", async (input: string, init: RequestInit) => {
      if (!genuineHosts.some((host) => input.startsWith(host))) {
        asked.add(new URL(input).host);
        noteMissing(true, `${input} has no keys`);
        return documentAnswer(input);
      }
      try {
        return await realFetch(input, init);
      } catch (error) {
        noteMissing(false, `${input}: ${String(error)}`);
        throw error;
      }
    });
    messages = await FuzzMessages.of(instance, other, chance, () => (chance.happens(0.2) ? ODD : anyValue()));
    Object.assign(drafts, messages.drafts(registered));
  });

  /** What a server responds that a client id may point to: often a good document, sometimes anything. */
  function documentAnswer(url: string): Response {
    const document = {
      client_id: url,
      client_name: "A document",
      redirect_uris: ["https://documents.example/callback"],
    };
    // Whatever its address is, a client may get responses where its document says, and nowhere else.
    registered.set(url, document.redirect_uris);
    const answers = [
      () => Response.json(document),
      () => Response.json({ ...document, redirect_uris: chance.pick([[], null, [1], {}, ["javascript:x"]]) }),
      () => new Response(chance.pick(RAW_BODIES), { status: chance.pick([200, 404, 500]) }),
      () => new Response(null, { status: 302, headers: { Location: "https://evil.example" } }),
    ];
    return chance.happens(0.7) ? Response.json(document) : chance.pick(answers)();
  }

  async function keepTokens(): Promise<void> {
    const works = async (token: string, path: string, method = "POST") => {
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
      return (await send(path, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) })).status !== 401;
    };
    kept = {
      reader: (await works(kept.reader, "/rest/api/v1/search"))
        ? kept.reader
        : await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "CHAT", "DOCUMENTS"),
      documents: (await works(kept.documents, "/rest/api/index/getdocumentcount"))
        ? kept.documents
        : await issueIndexingToken(instance, "documents:global_scope"),
      metadata: (await works(kept.metadata, "/rest/api/index/getdocumentcount"))
        ? kept.metadata
        : await issueIndexingToken(instance, "custommetadata:global_scope"),
      administrator: (await works(kept.administrator, "/rest/api/admin/v1/settings", "GET"))
        ? kept.administrator
        : await issueAdminToken(instance),
      directory: (await works(kept.directory, "/scim/v2/Users?count=0", "GET"))
        ? kept.directory
        : (await DirectoryClient.of(instance)).token,
    };
  }

  /** Undoes what administrators' forms did to everybody. Otherwise the rest of the run would only be refused. */
  async function reopen(): Promise<void> {
    await changeSettings(instance.name, {
      oauthEnabled: true,
      externalTokensEnabled: true,
      registration: "open",
      appRequirements: [],
    });
    await connectSso(instance).catch(() => undefined);
    const [ada, ben] = sessions;
    if ((await ada?.get("/admin"))?.status !== 200 || (await ben?.get("/account"))?.status !== 200) {
      const back = "UPDATE people SET deactivated_at = NULL, deactivated_by = NULL WHERE instance_id = ?1";
      await env.DB.prepare(back).bind(instance.id).run();
      await setRole(instance);
      sessions.splice(0, 2, await ConsoleBrowser.signIn("ada"), await ConsoleBrowser.signIn("ben"));
      csrfTokens.splice(0, 2, ...(await Promise.all(sessions.map((person) => person.csrfToken()))));
    }
    await keepTokens();
    if (chance.happens(0.05) || forms.length === 0) forms = await formsOf(sessions[0] ?? new ConsoleBrowser(ORIGIN));
    const people = await everybodyOf(instance);
    const tokens = await allTokens(instance);
    parameters.id = [...people.map(({ id }) => id), ...tokens.map(({ id }) => id)].slice(-30);
    const provisioned = await env.DB.prepare(
      "SELECT id FROM directory_users WHERE instance_id = ?1 UNION SELECT id FROM directory_groups WHERE instance_id = ?1",
    )
      .bind(instance.id)
      .all<{ id: string }>();
    parameters.scimId = provisioned.results.slice(-30).map(({ id }) => id);
    parameters.clientId = apps.map(({ clientId }) => clientId);
  }
  const parameters: Record<string, readonly string[]> = {
    id: [],
    scimId: [],
    clientId: [],
    group: ["deal", "new", "nothing"],
    groupName: ["deal", "deal", "Deal", "__proto__", "a b"],
    docId: ["wiki:d1", "wiki:d2", "wiki:d3", "d1", ":"],
  };

  /** @returns whether the app exists and may do everything */
  async function replenishFrom(app: AppClient): Promise<boolean> {
    // Nobody may allow a hundred apps an hour, so the person changes now and then.
    replenished += 1;
    const email = `person-${Math.floor(replenished / 40)}@acme.example`;
    const [unused, used] = [await grants.grant(app, email), await grants.grant(app, email)];
    genuine.code.push(unused.code);
    genuine.verifier.push(unused.verifier);
    const answer = await app.redeem(used);
    if (answer.status !== 200) return false;
    const tokens = await answer.json<TokenAnswer>();
    genuine.access.push(tokens.access_token);
    genuine.refresh.push(tokens.refresh_token ?? "");
    const pending = await grants.awaitConsent(app);
    cookies.set(pending.handle, pending.browser);
    genuine.handle.push(pending.handle);
    genuine.csrf.push(pending.csrfToken);
    clientOfHandle.set(pending.handle, app.clientId);
    const signIn = await grants.awaitSignIn(app);
    cookies.set(signIn.state, signIn.browser);
    states.push(signIn.state);
    clientOfState.set(signIn.state, app.clientId);
    return true;
  }

  /** Adds new genuine values to replace those that were used up. */
  async function replenish(): Promise<void> {
    await reopen();
    for (let made = 0; made < 6; made += 1) await sampleAdminCall();
    if ((await servicesOf(env).externalIssuers.list(instance.id)).length > 12) await removeIssuers(instance);
    for (const stored of (await servicesOf(env).transmitters.list(instance.id)).slice(0, -8)) {
      await servicesOf(env).administrationOf(instance, "test").signals.remove(stored);
    }
    await messages.renew();
    assertion = [
      ["grant_type", "refresh_token"],
      ["refresh_token", genuine.refresh.at(-1) ?? "ghr_x"],
      ["client_id", keyed.clientId],
      ["client_assertion_type", ASSERTION_TYPE],
      ["client_assertion", await keyed.key.assertion(keyed.clientId)],
    ];
    for (const [at, app] of apps.entries()) {
      // An administrator's form may have ended the app. Another one replaces it.
      if (!(await replenishFrom(app))) {
        apps[at] = await AppClient.registered();
        registered.set(apps[at].clientId, [apps[at].redirectUri]);
      }
    }
    for (const list of [...Object.values(genuine), states]) if (list.length > 30) list.splice(0, list.length - 20);
  }
  let replenished = 0;

  async function sampleAdminCall(): Promise<void> {
    const [route, arrange] = chance.pick(Object.entries(ADMIN_CALLS));
    const [method = "", path = ""] = route.split(" ");
    // Something that was arranged before may prevent it: a setting, or a limit.
    const sample = await Promise.resolve(arrange(instance)).catch(() => undefined);
    if (sample) samples.set(`${method} /rest/api/admin/v1${path}`, sample);
  }
  /** An assertion of a client with a key, made anew now and then. */
  let assertion: [string, string][] = [];
  const cookies = new Map<string, string>();
  const states: string[] = [];

  const drafts: Record<string, () => Partial<Draft>> = {
    "/oauth/authorize": () => {
      const app = chance.pick(apps);
      const clientId = chance.happens(0.15) ? "https://documents.example/client.json" : app.clientId;
      const uri = clientId === app.clientId ? chance.pick(registered.get(clientId) ?? []) : STATIC_URIS[0];
      return {
        query: [
          ["response_type", "code"],
          ["client_id", clientId],
          ["redirect_uri", clientId === app.clientId ? (uri ?? "") : "https://documents.example/callback"],
          ["code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
          ["code_challenge_method", "S256"],
          ["state", "state-of-the-app"],
          ["scope", chance.pick(SCOPES)],
          ["prompt", chance.pick(["login", "none", "consent", "odd"])],
        ],
      };
    },
    "/oauth/callback": () => {
      const state = chance.pick(states);
      const answer: [string, string] = chance.happens(0.5) ? ["code", "invented"] : ["error", "access_denied"];
      return {
        query: [["state", state], answer, ["iss", inject("sso").issuer]],
        headers: { Cookie: `gatehouse-browser=${cookies.get(state)}` },
        clientId: clientOfState.get(state),
      };
    },
    "/oauth/consent": () => {
      const place = chance.between(0, genuine.handle.length - 1);
      const handle = genuine.handle[place] ?? "";
      const headers = { Cookie: `gatehouse-browser=${cookies.get(handle)}` };
      const clientId = clientOfHandle.get(handle);
      if (chance.happens(0.3)) return { query: [["request", handle]], headers, clientId };
      return {
        method: "POST",
        body: {
          form: [
            ["request", handle],
            ["csrf_token", genuine.csrf[place] ?? ""],
            ["decision", chance.pick(["allow", "deny"])],
            ["scope", "SEARCH"],
            ["scope", "offline_access"],
          ],
        },
        headers,
        clientId,
      };
    },
    "/oauth/token": () => {
      const app = chance.pick(apps);
      const place = chance.between(0, genuine.code.length - 1);
      if (chance.happens(0.1)) return { method: "POST", body: { form: [...assertion] } };
      const grant: [string, string][] = chance.happens(0.5)
        ? [
            ["grant_type", "authorization_code"],
            ["code", genuine.code[place] ?? ""],
            ["code_verifier", genuine.verifier[place] ?? ""],
            ["redirect_uri", app.redirectUri],
          ]
        : [
            ["grant_type", "refresh_token"],
            ["refresh_token", chance.pick(genuine.refresh)],
          ];
      return { method: "POST", body: { form: [...grant, ...credentials(app)] } };
    },
    "/oauth/revoke": () => ({
      method: "POST",
      body: { form: [["token", anyToken()], ...credentials(chance.pick(apps))] },
    }),
    "/oauth/introspect": () => ({
      method: "POST",
      body: { form: [["token", anyToken()], ...credentials(chance.pick(apps))] },
    }),
    "/oauth/register": () => ({ method: "POST", body: { json: registration() } }),
    "/oauth/register/{id}": () => {
      const { id, token } = managed.length > 0 ? chance.pick(managed) : { id: "nobody", token: "nothing" };
      return {
        path: `/oauth/register/${encodeURIComponent(id)}`,
        method: chance.pick(["GET", "PUT", "PUT", "DELETE"]),
        body: { json: { ...registration(), client_id: id } },
        headers: { Authorization: `Bearer ${token}` },
      };
    },
    "/rest/api/v1/search": () => ({
      method: "POST",
      body: {
        json: {
          query: chance.pick(["token", '"exact phrase" -not', "-", "plan) OR acl:(p1", ...HOSTILE]),
          pageSize: chance.pick([1, 10, 100, 0, -1, 1e9, "10", null]),
          cursor: chance.pick([undefined, "x", "e30", null]),
        },
      },
      headers: bearer(),
    }),
    "/api/index/v1/indexdocument": () => ({
      method: "POST",
      body: { json: { document: draftDocument() } },
      headers: bearer(),
    }),
    "/rest/api/index/indexdocuments": () => ({
      method: "POST",
      body: { json: { documents: Array.from({ length: chance.between(0, 3) }, draftDocument) } },
      headers: bearer(),
    }),
    [ENDPOINTS.metadata]: () => ({}),
    [ENDPOINTS.jwks]: () => ({}),
    [RESOURCE_METADATA_PATH]: () => ({}),
    "/": () => ({}),
    "(no route)": () => ({
      path: chance.pick([
        "/oauth",
        "/oauth/token/",
        "//oauth/token",
        "/..%2f",
        "/%00",
        "/rest/api/v1/chat",
        "/x?y",
        "/%ff",
      ]),
    }),
  };

  const calls = new FuzzCalls({
    chance,
    hostile: HOSTILE,
    bearer: (path) => (chance.happens(0.3) ? bearer() : { Authorization: `Bearer ${tokenFor(path)}` }),
    session: () => {
      const person = chance.happens(0.85) ? sessions[0] : sessions[1];
      const cookie = [...(person?.cookies ?? [])].map((pair) => pair.join("=")).join("; ");
      return { cookie, csrfToken: csrfTokens[sessions.indexOf(person as ConsoleBrowser)] ?? "" };
    },
    forms: () => forms,
    adminCall: (route) => samples.get(route),
    parameter: (name) =>
      chance.happens(0.85) && parameters[name]?.length ? chance.pick(parameters[name]) : anyValue(),
  });
  const written = new Set(Object.keys(drafts).map((path) => path.replace("{id}", ":clientId")));
  // FuzzMessages drafts those that need signed messages.
  for (const path of SIGNED) written.add(path);
  written.delete("/rest/api/v1/search");
  for (const path of ["/api/index/v1/indexdocument", "/rest/api/index/indexdocuments"]) written.delete(path);
  Object.assign(drafts, calls.besides(written));

  function tokenFor(path: string): string {
    if (path.startsWith("/scim/")) return kept.directory;
    if (path.startsWith("/rest/api/admin/")) return kept.administrator;
    if (path.includes("custom-metadata")) return kept.metadata;
    return /\/index\//.test(path) ? kept.documents : kept.reader;
  }

  function credentials(app: AppClient): [string, string][] {
    return [
      ["client_id", app.clientId],
      ...(app.secret === undefined ? [] : [["client_secret", app.secret] as [string, string]]),
    ];
  }

  function anyToken(): string {
    return chance.pick([...genuine.refresh, ...genuine.access, ...genuine.service]);
  }

  function bearer(): Record<string, string> {
    return {
      Authorization: `Bearer ${anyToken()}`,
      ...(chance.happens(0.2) ? { "X-Gatehouse-Auth-Type": "oauth" } : {}),
    };
  }

  function registration(): Record<string, unknown> {
    return {
      redirect_uris: [chance.pick(["http://127.0.0.1:33418/callback", ...STATIC_URIS])],
      token_endpoint_auth_method: chance.pick(["none", "client_secret_post", "client_secret_basic"]),
      client_name: chance.pick(["A fuzzed app", ...HOSTILE]),
      client_uri: chance.pick(["https://app.example", ...HOSTILE]),
      scope: chance.pick(SCOPES),
    };
  }

  function draftDocument(): Record<string, unknown> {
    return {
      id: `d${chance.between(0, 50)}`,
      datasource: "wiki",
      title: chance.pick(["A token", ...HOSTILE]),
      viewURL: chance.pick(["https://wiki.example/a", ...HOSTILE]),
      body: { mimeType: "text/plain", textContent: chance.pick(HOSTILE) },
      permissions: chance.pick([
        { allowAnonymousAccess: true },
        { allowedUsers: [{ email: "ben@acme.example" }] },
        null,
        [],
      ]),
    };
  }

  /** Returns any value, most often one that means something here. */
  function anyValue(): string {
    if (chance.happens(0.4)) return chance.pick(HOSTILE);
    if (chance.happens(0.2)) return chance.pick(apps).clientId;
    const lists = Object.values(genuine).filter((list) => list.length > 0);
    return mutated(chance.pick([...chance.pick(lists), ...states, chance.pick(apps).redirectUri]));
  }

  function mutated(value: string): string {
    const at = chance.between(0, Math.max(0, value.length - 1));
    switch (chance.between(0, 5)) {
      case 0:
        return value.slice(0, at) + String.fromCharCode(chance.between(0, 300)) + value.slice(at + 1);
      case 1:
        return value.slice(0, at);
      case 2:
        return value + chance.pick(HOSTILE);
      case 3:
        return value.toUpperCase();
      default:
        return value;
    }
  }

  /** Changes one thing. */
  function mutate(draft: Draft): void {
    const fields = draft.body && "form" in draft.body ? draft.body.form : draft.query;
    const place = chance.between(0, Math.max(0, fields.length - 1));
    switch (chance.between(0, 10)) {
      case 0:
        fields.splice(place, 1);
        break;
      case 1:
      case 2:
        if (fields[place]) fields[place] = [fields[place][0], anyValue()];
        break;
      case 3:
        if (fields[place]) fields[place] = [fields[place][0], mutated(fields[place][1])];
        break;
      case 4:
        fields.push([chance.pick(NAMES), anyValue()]);
        break;
      case 5:
        draft.method = chance.pick(METHODS);
        break;
      case 6:
        draft.headers["Content-Type"] = chance.pick(CONTENT_TYPES);
        break;
      case 7: {
        const app = chance.pick(apps);
        draft.headers["Authorization"] = chance.pick([
          basic(app.clientId, app.secret ?? ""),
          `Bearer ${anyValue()}`,
          `Basic ${anyValue()}`,
          "Basic //79",
          anyValue(),
        ]);
        break;
      }
      case 8:
        draft.headers[chance.pick(HEADERS)] = chance.pick([
          anyValue(),
          "null",
          "https://evil.example",
          "cross-site",
          "OAUTH",
          "gatehouse-browser=x",
          messages.proof(),
        ]);
        break;
      case 9:
        draft.headers["Authorization"] = `DPoP ${anyToken()}`;
        draft.headers["DPoP"] = messages.proof();
        break;
      default:
        if (draft.body && "json" in draft.body) {
          // A copy: some objects are in several drafts, and one that contained itself couldn't be sent.
          const json = structuredClone(draft.body.json);
          draft.body = { json };
          const object = anyPlace(json);
          const name = chance.pick([...Object.keys(object), ...NAMES]);
          object[name] = chance.pick<unknown>([
            anyValue(),
            null,
            1,
            -1.5,
            [],
            {},
            [anyValue()],
            { a: [] },
            true,
            ODD,
            [ODD],
          ]);
        } else
          draft.origin = chance.pick([ORIGIN, "http://other.localhost", "http://localhost", "https://evil.example"]);
    }
  }

  /** Returns the body, or an object somewhere inside it. */
  function anyPlace(json: Record<string, unknown>): Record<string, unknown> {
    const inner = Object.values(json).filter((value) => typeof value === "object" && value !== null);
    if (inner.length === 0 || chance.happens(0.3)) return json;
    return anyPlace(chance.pick(inner) as Record<string, unknown>);
  }

  function draftOf(endpoint: string): Draft {
    const usual = {
      method: "GET",
      origin: ORIGIN,
      path: endpoint.replace(/^[A-Z]+ /, ""),
      query: [],
      body: undefined,
      headers: {},
    };
    const draft: Draft = { ...usual, clientId: undefined, ...drafts[endpoint]?.(), endpoint };
    const mutations = chance.happens(0.35) ? 0 : chance.between(1, 4);
    for (let done = 0; done < mutations; done += 1) mutate(draft);
    return draft;
  }

  function encodeFields(fields: readonly [string, string][]): string {
    const encode = (text: string) => (chance.happens(0.03) ? text : encodeURIComponent(text.toWellFormed()));
    return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  }

  /** Builds the request of a draft, or returns `undefined` if no HTTP client could send it. */
  function requestOf(draft: Draft): { url: string; init: RequestInit } | undefined {
    const headers = new Headers({ "CF-Connecting-IP": `198.51.${chance.between(0, 255)}.${chance.between(0, 255)}` });
    let body: BodyInit | null = null;
    if (draft.method !== "GET" && draft.method !== "HEAD") {
      if (chance.happens(0.03)) body = chance.pick(RAW_BODIES);
      else if (chance.happens(0.02)) body = new Uint8Array([0x61, 0x3d, 0xff, 0xfe, 0xc0, 0x80]);
      else if (draft.body) body = bodyOf(draft.body);
      const type = draft.body && "json" in draft.body ? "application/json" : "application/x-www-form-urlencoded";
      headers.set("Content-Type", type);
    }
    try {
      for (const [name, value] of Object.entries(draft.headers)) headers.set(name, value.replace(/[^\0-\x7f]/g, "?"));
      const query = draft.query.length > 0 ? `?${encodeFields(draft.query)}` : "";
      const url = `${draft.origin}${draft.path}${query}`;
      const init = { method: draft.method, headers, body };
      void new Request(url, init);
      return { url, init };
    } catch {
      return undefined;
    }
  }

  function bodyOf(body: CallBody): BodyInit {
    if ("form" in body) return encodeFields(body.form);
    if ("json" in body) return JSON.stringify(body.json);
    return "text" in body ? body.text : body.bytes;
  }

  /**
   * Whether a redirect leads to the host's SSO, to ourselves, or to where the request's client may get its responses.
   */
  function isAllowed(location: string, draft: Draft, url: string): boolean {
    if (location.startsWith(`${new URL(inject("sso").issuer).origin}/`)) return true;
    if (draft.origin === messages.ssoOrigin && location.startsWith(`${messages.ssoIssuer}/`)) return true;
    if (/^\/(?![/\\])/.test(location) || location.startsWith(`${draft.origin}/`)) return true;
    const named = draft.path === ENDPOINTS.authorization ? namedClient(url) : draft.clientId;
    return (registered.get(named ?? "") ?? []).some((uri) => isAnswerAt(location, uri));
  }

  /** Lists what a response or the log discloses but must not: a secret that was sent, our code's stack, a script. */
  async function toldBy(response: Response, draft: Draft, { headers }: RequestInit): Promise<string[]> {
    const log = logged.splice(0).join("\n");
    const text = await response.text();
    const sent = new Headers(headers);
    const fields = draft.body && "form" in draft.body ? draft.body.form : [];
    const isSecret = (name: string) =>
      /^(code|code_verifier|refresh_token|client_secret|client_assertion|token)$/.test(name);
    // A refused form shows what was typed again, even if the same value is a secret elsewhere.
    const typed = new Set(fields.filter(([name]) => !isSecret(name)).map(([, value]) => value));
    const secrets = [
      /^Bearer (gh\w_\S{20,}|eyJ\S{20,})$/.exec(sent.get("Authorization") ?? "")?.[1],
      /gatehouse-session=([\w-]{43})/.exec(sent.get("Cookie") ?? "")?.[1],
      ...fields
        .filter(([name]) => isSecret(name))
        .map(([, value]) => value)
        .filter((value) => !typed.has(value))
        .filter((value) => /^(gh[a-z]_[\w-]{40,}|eyJ[\w.-]{40,}|[\w-]{43})$/.test(value)),
    ].filter((secret) => secret !== undefined);
    // Managing a registration returns its token again (RFC 7592 §3).
    const isManaged = draft.endpoint.startsWith("/oauth/register");
    return [
      ...secrets.filter((secret) => !isManaged && text.includes(secret)).map((secret) => `answered ${secret}`),
      ...secrets.filter((secret) => log.includes(secret)).map((secret) => `logged ${secret}`),
      ...(/\n\s+at .+:\d+/.test(text) || /\.tsx?:\d+/.test(text) ? [`a stack: ${text.slice(0, 300)}`] : []),
      ...(/html/.test(response.headers.get("Content-Type") ?? "") && text.includes("<script>alert") ? ["script"] : []),
    ];
  }

  function namedClient(url: string): string | undefined {
    return new URL(url).searchParams.get("client_id") ?? undefined;
  }

  /** Remembers clients that the fuzz itself registered or changed, and requests that it pushed. */
  async function learn(draft: Draft, response: Response): Promise<void> {
    if (draft.endpoint === "/oauth/par" && response.status === 201) {
      const { request_uri } = await response.json<{ request_uri: string }>();
      const form = draft.body && "form" in draft.body ? draft.body.form : [];
      const clientId = form.find(([name]) => name === "client_id")?.[1] ?? "";
      messages.pushed.push({ clientId, uri: request_uri });
      if (messages.pushed.length > 20) messages.pushed.shift();
      return;
    }
    const isRegistration = draft.endpoint === "/oauth/register" && response.status === 201;
    const isUpdate = draft.endpoint === "/oauth/register/{id}" && response.status === 200 && draft.method === "PUT";
    if (isRegistration || isUpdate) {
      const { client_id, redirect_uris, registration_access_token } = await response.json<{
        client_id: string;
        redirect_uris: string[];
        registration_access_token?: string;
      }>();
      registered.set(client_id, redirect_uris);
      if (registration_access_token !== undefined) managed.push({ id: client_id, token: registration_access_token });
      if (managed.length > 20) managed.shift();
    } else await response.body?.cancel();
  }

  /** Runs the cron's maintenance. @returns the tasks that fail with what was planted */
  async function failedMaintenance(): Promise<string[]> {
    const { eachHour, stores } = servicesOf(env);
    // It throws if a task failed, which it has recorded by then.
    await eachHour().catch(() => undefined);
    return ((await stores.maintenance.last())?.failed ?? []).map((task) => `the task ${task} failed`);
  }

  /**
   * Explains why a 503 is correct. Either the keys of an issuer can't be fetched, because an administrator's form moved them to a
   * server that has none, or because the issuers' server, which shares this machine, didn't respond in time. Or an
   * administrator's move of the documents is in its last seconds, or a database was restored to a time before one. Nothing that
   * another caller sends causes either.
   */
  async function excuseOf(status: number, reasons: string): Promise<string | undefined> {
    if (status !== 503) return undefined;
    if (reasons.includes("documents_sealed")) {
      const moved = "SELECT stage FROM document_moves WHERE instance_id = ?1 AND changed_at > unixepoch() - 60";
      const stage = await env.DB.prepare(moved).bind(instance.id).first<string>("stage");
      return stage === null ? undefined : `planted: a move of documents, now ${stage}`;
    }
    if (reasons.includes("documents_elsewhere")) {
      // A form sets the placement to repair a database that is behind the engines. The run plants such a database, and repairs it
      // here if the form doesn't come.
      const wasBehind = await servicesOf(env).administrationOf(instance, "test").documents.restorePlacement();
      return wasBehind ? "planted: a database that was restored to an earlier time" : undefined;
    }
    const isAboutKeys = reasons.includes('"external_keys_unavailable"');
    if (!isAboutKeys || withoutKeys === undefined || Date.now() > withoutKeys.until) return undefined;
    return `${withoutKeys.isPlanted ? "planted" : "machine"}: ${withoutKeys.why}`;
  }

  it("never answers 5xx, tells no secret, and sends nobody where nobody may be sent", async () => {
    const table = new Map<string, Record<string, number>>();
    const broken: string[] = [];
    const excused: string[] = [];
    const astray: string[] = [];
    const told: string[] = [];
    const most = new Map<string, Omit<StatementCost, "roundTrips">>();
    const over: string[] = [];
    let unsendable = 0;
    let redirects = 0;
    const started = performance.now();
    const endpoints = Object.keys(drafts);
    const calledByApps = endpoints.filter((endpoint) => OF_APPS.test(endpoint));
    await replenish();
    for (let sent = 0; sent < requests; ) {
      if (sent % 200 === 199) await replenish();
      if (sent % 2000 === 1999) broken.push(...(await failedMaintenance()));
      const draft = draftOf(
        chance.pick(chance.happens(0.25) ? FLOWS : chance.happens(0.25) ? calledByApps : endpoints),
      );
      const request = requestOf(draft);
      if (!request) {
        unsendable += 1;
        continue;
      }
      sent += 1;
      cost = noCost();
      const response = await send(request.url, request.init);
      const { statements, rowsRead, rowsWritten } = cost;
      const location = response.headers.get("Location");
      const what = `${draft.method} ${request.url.slice(0, 300)} ${JSON.stringify(draft.body)?.slice(0, 500)} ${JSON.stringify(draft.headers)}`;
      const route = routeOf(request.init.method, new URL(request.url).pathname);
      const before = most.get(route) ?? noCost();
      most.set(route, {
        statements: Math.max(before.statements, statements),
        rowsRead: Math.max(before.rowsRead, rowsRead),
        rowsWritten: Math.max(before.rowsWritten, rowsWritten),
      });
      const stated = route === "none" ? NO_ROUTE : boundsOf(route);
      const isWithin = (["statements", "rowsRead", "rowsWritten"] as const).every(
        (each) => cost[each] <= stated[each] + (response.status < 400 ? 0 : EARLIER_REFUSALS[each]),
      );
      if (!isWithin) {
        over.push(`${statements} statements, ${rowsRead} rows read, ${rowsWritten} written by ${route} ← ${what}`);
      }
      // RFC 7644 §3.11: a directory has no account of its own.
      const isMissing = response.status === 501 && route.endsWith(" /scim/v2/Me");
      if (response.status >= 500 && !isMissing) {
        const reasons = logged.filter((line) => /5\d\d|error/.test(line)).join(" ");
        const excuse = await excuseOf(response.status, reasons);
        if (excuse === undefined) broken.push(`${response.status} ${what}: ${reasons}`);
        else excused.push(`${response.status} ${route}: ${excuse}`);
      }
      if (location !== null) redirects += 1;
      if (location !== null && !isAllowed(location, draft, request.url)) {
        const named = namedClient(request.url);
        const stored = "SELECT kind, redirect_uris FROM clients WHERE id = ?1 AND instance_id = ?2";
        const client = await env.DB.prepare(stored)
          .bind(named ?? "", instance.id)
          .first();
        astray.push(
          `${location} ← ${what} of ${JSON.stringify(client)}, known as ${String(registered.get(named ?? ""))}`,
        );
      }
      const row = table.get(draft.endpoint) ?? {};
      const column = `${Math.floor(response.status / 100)}xx`;
      row[column] = (row[column] ?? 0) + 1;
      table.set(draft.endpoint, row);
      told.push(...(await toldBy(response.clone(), draft, request.init)).map((secret) => `${secret} ← ${what}`));
      await learn(draft, response);
      if (response.status < 400 && SHUTS.test(draft.endpoint)) await reopen();
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`seed ${seed}: ${requests} requests, ${redirects} redirects, ${unsendable} not sendable, ${seconds} s`);
    console.log(printed(table));
    console.log(`${excused.length} rightly unavailable\n${excused.join("\n")}`);
    console.log(
      [...most]
        .sort(([one], [other]) => one.localeCompare(other))
        .map(([route, { statements, rowsRead, rowsWritten }]) => `${route}: ${statements}, ${rowsRead}, ${rowsWritten}`)
        .join("\n"),
    );
    expect(broken.slice(0, 10)).toEqual([]);
    expect(astray.slice(0, 10)).toEqual([]);
    expect(told.slice(0, 10)).toEqual([]);
    expect(over.slice(0, 10)).toEqual([]);
    expect([...asked].filter((host) => INSIDE.test(host))).toEqual([]);
    const tables = await env.DB.prepare("SELECT COUNT(*) AS n FROM instances").first("n");
    expect(tables).toBe(2);
  });
});

/** The limits of a request that no route handles: the policy of its host, and a step of a connection. */
const NO_ROUTE: Readonly<Omit<StatementCost, "roundTrips">> = { statements: 16, rowsRead: 1000, rowsWritten: 500 };

/** More rows than the run creates in any table. */
const PLANTED = 5000;

/** Returns the limits that route-limits.md states for a route, for an instance with the rows of this run. */
function boundsOf(route: string): Omit<StatementCost, "roundTrips"> {
  const { statements, rowsRead, rowsWritten } = statedCost(route);
  const rows = new Map(Object.keys({ ...rowsRead.tables, ...rowsWritten.tables }).map((table) => [table, PLANTED]));
  return { statements, rowsRead: boundOf(rowsRead, rows), rowsWritten: boundOf(rowsWritten, rows) };
}

/** Matches requests after which others are refused. */
const SHUTS =
  /^POST \/(sign-out|admin\/(settings\/(sign-|refuse)|oauth\/disable|single-sign-on$|people))|^[PD]\w+ \/rest\/api\/admin\/v1\/(settings|single-sign-on|sessions|people|roles|deactivations)|^\/signals|^\/oauth\/global/;

/** Matches addresses that only the inside of a network can reach. Loopback is allowed in local development only. */
const INSIDE = /^(10|169\.254|192\.168|0)\.|^\[|\.(internal|local)\.?(:|$)/;

/**
 * Whether this is the registered address with a response in its query. A loopback address may have any port (RFC 8252 §7.3).
 */
function isAnswerAt(location: string, registeredUri: string): boolean {
  const [there, registered] = [new URL(location), new URL(registeredUri)];
  const isLoopback = ["127.0.0.1", "[::1]", "localhost"].includes(registered.hostname);
  if (isLoopback) there.port = registered.port;
  for (const name of ["code", "state", "iss", "error", "error_description"]) there.searchParams.delete(name);
  return there.href === registered.href;
}

function printed(table: ReadonlyMap<string, Record<string, number>>): string {
  const columns = ["2xx", "3xx", "4xx", "5xx"];
  const rows = [...table]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([endpoint, counts]) => [endpoint, ...columns.map((column) => counts[column] ?? 0)]);
  const sums = columns.map((column) => rows.reduce((sum, row) => sum + Number(row[columns.indexOf(column) + 1]), 0));
  return [["endpoint", ...columns], ["---", ...columns.map(() => "---:")], ...rows, ["all", ...sums]]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}
