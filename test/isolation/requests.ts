import { INDEXING_BASES } from "#indexing-api/bases.ts";
import { AppClient, CHALLENGE, REDIRECT_URI } from "../support/app-client.ts";
import { ASSERTION_TYPE } from "../support/asserting-client.ts";
import { send } from "../support/world.ts";
import { ANNOUNCED } from "../support/test-issuer.ts";
import type { Route } from "../support/routes.ts";
import type { Kind } from "./identifiers.ts";
import type { Side } from "./sides.ts";

/** One identifier in one place of a request. */
export interface Case {
  readonly kind: Kind;
  /** Sends it to an instance, and returns the response even if it is an error. */
  readonly ask: (side: Side, values: readonly string[]) => Promise<Response>;
  /** Why even the instance's own identifier gets the same response. Such a case only shows that nothing changes elsewhere. */
  readonly alike?: string;
}

type Fields = Readonly<Record<string, string | undefined>>;
type Typed = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "Content-Type": "application/json" };

function encoded(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given).toString();
}

function get({ origin }: Side, path: string, fields: Fields = {}, headers: Record<string, string> = {}) {
  const query = encoded(fields);
  return send(`${origin}${path}${query === "" ? "" : `?${query}`}`, { headers });
}

function postForm({ origin }: Side, path: string, fields: Fields, headers: Record<string, string> = {}) {
  return send(origin + path, { method: "POST", headers: { ...FORM, ...headers }, body: encoded(fields) });
}

function callJson({ origin }: Side, route: Route, token: string, body: Json, headers: Record<string, string> = {}) {
  return send(origin + route.path, {
    method: route.method,
    headers: { ...JSON_TYPE, Authorization: `Bearer ${token}`, ...headers },
    ...(route.method === "GET" || route.method === "DELETE" ? {} : { body: JSON.stringify(body) }),
  });
}

const authorizing = (clientId: string) => ({
  response_type: "code",
  client_id: clientId,
  redirect_uri: REDIRECT_URI,
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
  state: "state-of-the-app",
});

const credentials = ({ clientId, secret }: AppClient) => ({ client_id: clientId, client_secret: secret });

/** Returns a case for each way of client authentication at an endpoint. */
function asClients(path: string, fields: Fields): Case[] {
  const asKeyed = { client_assertion_type: ASSERTION_TYPE };
  return [
    { kind: "registered client", ask: (side, [id]) => postForm(side, path, { ...fields, client_id: id }) },
    {
      kind: "confidential client",
      ask: (side, [id, secret]) => postForm(side, path, { ...fields, client_id: id, client_secret: secret }),
    },
    {
      kind: "client with a key",
      ask: (side, [id, assertion]) =>
        postForm(side, path, { ...fields, ...asKeyed, client_id: id, client_assertion: assertion }),
    },
  ];
}

const code = (value: string | undefined, verifier: string | undefined, clientId: string | undefined) => ({
  grant_type: "authorization_code",
  code: value,
  code_verifier: verifier,
  redirect_uri: REDIRECT_URI,
  client_id: clientId,
});

const tokenInHand = (path: string): Case[] => [
  { kind: "access token", ask: (side, [token]) => postForm(side, path, { ...credentials(side.app), token }) },
  { kind: "refresh token", ask: (side, [token]) => postForm(side, path, { ...credentials(side.app), token }) },
];

const managing = (method: string): Case[] => [
  {
    kind: "registration",
    ask: ({ origin }, [id = "", token = ""]) =>
      send(`${origin}/oauth/register/${id}`, {
        method,
        headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
        ...(method === "PUT"
          ? {
              body: JSON.stringify({
                client_id: id,
                redirect_uris: [REDIRECT_URI],
                token_endpoint_auth_method: "none",
              }),
            }
          : {}),
      }),
  },
];

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };

/** The authorization server's endpoints. */
const AUTHORIZATION_SERVER: Readonly<Record<string, readonly Case[]>> = {
  "GET /oauth/authorize": [
    { kind: "registered client", ask: (side, [id = ""]) => get(side, "/oauth/authorize", authorizing(id)) },
    { kind: "made client", ask: (side, [id = ""]) => get(side, "/oauth/authorize", authorizing(id)) },
  ],
  "GET /oauth/callback": [
    {
      kind: "state of an app",
      ask: (side, [state, cookie = ""]) =>
        get(side, "/oauth/callback", { state, error: "access_denied" }, { Cookie: cookie }),
    },
    {
      kind: "state of a session",
      ask: (side, [state, cookie = "", sso]) => get(side, "/oauth/callback", { state, code: sso }, { Cookie: cookie }),
    },
    {
      kind: "state of a step-up",
      ask: (side, [state, cookie = "", sso]) => get(side, "/oauth/callback", { state, code: sso }, { Cookie: cookie }),
    },
  ],
  "GET /oauth/callback/:number": [
    {
      kind: "state of an app",
      ask: (side, [state, cookie = ""]) =>
        get(side, "/oauth/callback/2", { state, error: "access_denied" }, { Cookie: cookie }),
    },
  ],
  "POST /oauth/sign-in": [
    {
      kind: "state of an app",
      ask: (side, [request, cookie = ""]) =>
        postForm(side, "/oauth/sign-in", { request, sso: "1" }, { Cookie: cookie, ...SAME_ORIGIN }),
    },
  ],
  "GET /oauth/consent": [
    {
      kind: "consent request",
      ask: (side, [request, cookie = ""]) => get(side, "/oauth/consent", { request }, { Cookie: cookie }),
    },
  ],
  "POST /oauth/consent": [
    {
      kind: "consent request",
      ask: (side, [request, cookie = "", csrf]) =>
        postForm(
          side,
          "/oauth/consent",
          { request, csrf_token: csrf, decision: "allow", scope: "SEARCH" },
          { Cookie: cookie, ...SAME_ORIGIN },
        ),
    },
  ],
  "POST /oauth/register": [],
  "GET /oauth/register/:clientId": managing("GET"),
  "PUT /oauth/register/:clientId": managing("PUT"),
  "DELETE /oauth/register/:clientId": managing("DELETE"),
  "POST /oauth/token": [
    ...asClients("/oauth/token", { grant_type: "refresh_token", refresh_token: "ghr_nothing" }),
    {
      kind: "authorization code",
      ask: (side, [value, verifier]) => postForm(side, "/oauth/token", code(value, verifier, side.app.clientId)),
    },
    {
      kind: "code with its client",
      ask: (side, [value, verifier, id]) => postForm(side, "/oauth/token", code(value, verifier, id)),
    },
    {
      kind: "refresh token",
      ask: (side, [token]) =>
        postForm(side, "/oauth/token", { ...credentials(side.app), grant_type: "refresh_token", refresh_token: token }),
    },
    {
      kind: "refresh token with its client",
      ask: (side, [token, id]) =>
        postForm(side, "/oauth/token", { client_id: id, grant_type: "refresh_token", refresh_token: token }),
    },
  ],
  "POST /oauth/par": asClients("/oauth/par", { ...authorizing(""), client_id: undefined }),
  "POST /oauth/revoke": [
    ...asClients("/oauth/revoke", { token: "ghr_nothing" }),
    ...tokenInHand("/oauth/revoke").map((one) => ({ ...one, alike: "every answer is 200 (RFC 7009 §2.2)" })),
  ],
  "POST /oauth/introspect": [
    // Public clients, which come first, can't use this endpoint at any instance.
    ...asClients("/oauth/introspect", { token: "ghr_nothing" }).slice(1),
    {
      kind: "access token of a confidential client",
      ask: (side, [token]) => postForm(side, "/oauth/introspect", { ...credentials(side.confidential), token }),
    },
    {
      kind: "refresh token of a confidential client",
      ask: (side, [token]) => postForm(side, "/oauth/introspect", { ...credentials(side.confidential), token }),
    },
  ],
  // Their bodies are signed by the SSO of one instance. test/signals/ sends them to another.
  "POST /oauth/backchannel-logout": [],
  "POST /oauth/global-token-revocation": [],
  "POST /signals/events": [],
  "GET /oauth/jwks": [],
  "GET /.well-known/oauth-authorization-server": [],
  "GET /.well-known/openid-configuration": [],
  "GET /oauth/userinfo": bearers({ method: "GET", path: "/oauth/userinfo" }, ["access token"]),
  "POST /oauth/userinfo": bearers({ method: "POST", path: "/oauth/userinfo" }, ["access token"]),
};

/** Returns a case for each kind of bearer token that a route accepts. */
function bearers(route: Route, kinds: readonly Kind[], body: Json = {}): Case[] {
  return kinds.map((kind) => ({
    kind,
    ask: (side, [token = ""]) => callJson(side, route, token, body, kind === "external token" ? ANNOUNCED : {}),
  }));
}

const READING = ["access token", "external token", "Client API token"] as const;

const mcpCall = (name: string, args: Json) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

const SEARCH: Route = { method: "POST", path: "/rest/api/v1/search" };
const CHAT: Route = { method: "POST", path: "/rest/api/v1/chat" };
const GET_DOCUMENTS: Route = { method: "POST", path: "/rest/api/v1/getdocuments" };
const MCP: Route = { method: "POST", path: "/mcp" };

const QUESTION = { messages: [{ author: "USER", fragments: [{ text: "both" }] }] };

const READING_APIS: Readonly<Record<string, readonly Case[]>> = {
  "POST /rest/api/v1/search": [
    ...bearers(SEARCH, READING, { query: "both" }),
    {
      kind: "cursor",
      ask: (side, [cursor]) => callJson(side, SEARCH, side.reader, { query: "both", pageSize: 1, cursor }),
    },
    { kind: "document", ask: (side, [id]) => callJson(side, SEARCH, side.reader, { query: id }) },
    { kind: "author", ask: (side, [name]) => callJson(side, SEARCH, side.reader, { query: `title from:${name}` }) },
  ],
  "POST /rest/api/v1/chat": bearers(CHAT, ["Client API token"], QUESTION),
  "POST /rest/api/v1/getdocuments": [
    ...bearers(GET_DOCUMENTS, READING, { documentSpecs: [{ id: "wiki:both" }] }),
    {
      kind: "document",
      ask: (side, [id]) => callJson(side, GET_DOCUMENTS, side.reader, { documentSpecs: [{ id: `wiki:${id}` }] }),
    },
    {
      kind: "document",
      ask: (side, [id]) =>
        callJson(side, GET_DOCUMENTS, side.reader, { documentSpecs: [{ url: `https://wiki.acme.example/${id}` }] }),
    },
  ],
  "POST /mcp": [
    ...bearers(MCP, ["access token", "Client API token"], mcpCall("search", { query: "both" })),
    { kind: "document", ask: (side, [id]) => callJson(side, MCP, side.reader, mcpCall("fetch", { id: `wiki:${id}` })) },
  ],
};

const MADE = "what does not exist is created";
const GONE = "deleting what does not exist succeeds";

/** Bodies of each call of the Indexing API, with the kind of identifier in them and why all responses are alike. */
const INDEXING_CALLS: Readonly<Record<string, readonly [Kind, (value: string) => Json, alike?: string][]>> = {
  indexdocument: [["document", (id) => ({ document: documentOf(id) }), MADE]],
  indexdocuments: [["document", (id) => ({ documents: [documentOf(id)] }), MADE]],
  bulkindexdocuments: [["upload", (id) => ({ ...pageOf(id), documents: [documentOf("one")] })]],
  bulkindexusers: [["upload", (id) => ({ ...pageOf(id), users: [{ email: "ann@acme.example" }] })]],
  bulkindexgroups: [["upload", (id) => ({ ...pageOf(id), groups: [{ name: "all" }] })]],
  bulkindexmemberships: [
    ["upload", (id) => ({ ...pageOf(id), group: "all", memberships: [] })],
    ["group of a datasource", (group) => ({ ...pageOf("m", true), group, memberships: [] })],
  ],
  processallmemberships: [],
  uploadstatus: [["upload", (uploadId) => ({ datasource: "wiki", uploadId })]],
  getdatasourceconfig: [],
  getdocumentstatus: [["document", (docId) => ({ datasource: "wiki", docId })]],
  deletedocument: [["document", (id) => ({ datasource: "wiki", id }), GONE]],
  getdocumentcount: [],
  listdocuments: [],
  updatepermissions: [["document", (id) => ({ datasource: "wiki", id, permissions: { allowAnonymousAccess: true } })]],
  checkdocumentaccess: [
    ["document", (docId) => ({ datasource: "wiki", docId, userEmail: "ben@acme.example" })],
    [
      "user of a datasource",
      (id) => ({ datasource: "wiki", docId: "both", userEmail: `${id}@acme.example` }),
      "a document for everyone",
    ],
  ],
  indexuser: [
    [
      "user of a datasource",
      (userId) => ({ datasource: "wiki", user: { userId, email: `${userId}@acme.example` } }),
      MADE,
    ],
  ],
  deleteuser: [["user of a datasource", (userId) => ({ datasource: "wiki", userId }), GONE]],
  indexgroup: [["group of a datasource", (name) => ({ datasource: "wiki", group: { name } }), MADE]],
  deletegroup: [["group of a datasource", (groupName) => ({ datasource: "wiki", groupName }), GONE]],
  indexmembership: [
    ["group of a datasource", (groupName) => ({ datasource: "wiki", membership: { groupName, memberUserId: "u" } })],
  ],
  deletemembership: [
    [
      "group of a datasource",
      (groupName) => ({ datasource: "wiki", membership: { groupName, memberUserId: "u" } }),
      GONE,
    ],
  ],
  rotatetoken: [],
};

function documentOf(id: string): Json {
  return { id, datasource: "wiki", title: id, viewURL: "https://wiki.acme.example/x", permissions: {} };
}

function pageOf(uploadId: string, isFirstPage = false): Json {
  return { uploadId, datasource: "wiki", isFirstPage, isLastPage: isFirstPage };
}

const METADATA_SCHEMA = /^\/custom-metadata\/schema\/:groupName$/;

function bodyOfMetadata(call: string, document: string): Json {
  const customMetadata = [{ name: "stage", value: "new" }];
  if (METADATA_SCHEMA.test(call)) return { metadataKeys: [{ name: "stage", propertyType: "TEXT" }] };
  return call.includes("/values/") ? { documents: [{ id: `wiki:${document}`, customMetadata }] } : { customMetadata };
}

/** Returns the cases of a call of the Indexing API. @param call its path below the base */
function indexingCases(route: Route, call: string): Case[] {
  const filled = (side: Side, group: string, document = "both") =>
    callJson(
      side,
      { ...route, path: route.path.replace(":groupName", group).replace(":docId", `wiki:${document}`) },
      side.metadata.token,
      bodyOfMetadata(call, document),
    );
  const path = route.path.replace(":groupName", "shared").replace(":docId", "wiki:both");
  const tokens = bearers({ ...route, path }, [call.includes(":groupName") ? "metadata token" : "documents token"]);
  // The second base has the same handlers, so only the gate before them is tested there, too.
  if (!route.path.startsWith(INDEXING_BASES[0])) return tokens;
  if (call.includes(":")) {
    const isMade = METADATA_SCHEMA.test(call) && route.method === "PUT";
    return [
      ...tokens,
      {
        kind: "metadata group",
        ask: (side, [group = ""]) => filled(side, group),
        ...(isMade ? { alike: MADE } : {}),
      },
      ...(call.includes(":docId") || call.includes("/values/")
        ? [{ kind: "document", ask: (side: Side, [id = ""]: readonly string[]) => filled(side, "shared", id) } as const]
        : []),
    ];
  }
  const bodies = INDEXING_CALLS[call.slice(1)];
  if (!bodies) throw new Error(`no case is known for ${call}`);
  return [
    ...tokens,
    ...bodies.map(([kind, body, alike]) => ({
      kind,
      ask: (side: Side, [value = ""]: readonly string[]) => callJson(side, route, side.documents.token, body(value)),
      ...(alike === undefined ? {} : { alike }),
    })),
  ];
}

const INDEXING_BASE = /^(\/rest\/api\/index|\/api\/index\/v1)(\/.*)$/;

/** Identifiers in the path, query or form of our own pages, by route. Every page is also tested with sessions and CSRF tokens. */
const OWN_PAGES: Readonly<Record<string, readonly (readonly [Kind, Place, fields?: Typed])[]>> = {
  "GET /admin": [],
  "GET /admin/oauth": [],
  "POST /admin/oauth": [],
  "POST /admin/oauth/enable": [],
  "GET /admin/oauth/disable": [],
  "POST /admin/oauth/disable": [],
  "GET /admin/clients": [],
  "GET /admin/clients/new": [],
  "POST /admin/clients/new": [],
  "GET /admin/registration": [],
  "POST /admin/registration": [],
  "GET /admin/clients/app": [["registered client", "id"]],
  "GET /admin/clients/rotate-secret": [["confidential client", "id"]],
  "POST /admin/clients/rotate-secret": [["confidential client", "id"]],
  "GET /admin/clients/deny": [["registered client", "id"]],
  "POST /admin/clients/deny": [["registered client", "id"]],
  "GET /admin/clients/rules": [["ruled app", "app"]],
  "POST /admin/clients/rules": [["ruled app", "app", { group: "sales", scopes: "SEARCH" }]],
  "GET /admin/clients/content": [["ruled app", "app"]],
  "POST /admin/clients/content": [
    ["ruled app", "app", { content: "datasource: wiki", asked: "Change what it may search?" }],
  ],
  "GET /admin/service-accounts/content": [["service account", "app"]],
  "POST /admin/service-accounts/content": [
    ["service account", "app", { content: "datasource: wiki", asked: "Change what it may search?" }],
  ],
  "POST /admin/clients/app": [["registered client", "id"]],
  "POST /admin/clients/approve": [["registered client", "id"]],
  "GET /admin/clients/disable": [["registered client", "id"]],
  "POST /admin/clients/disable": [["registered client", "id"]],
  "POST /admin/clients/enable": [["registered client", "id"]],
  "GET /admin/clients/delete": [["registered client", "id"]],
  "POST /admin/clients/delete": [["registered client", "id"]],
  "GET /admin/single-sign-on": [],
  "POST /admin/single-sign-on": [],
  "POST /admin/single-sign-on/test": [],
  "GET /admin/single-sign-on/add": [],
  "POST /admin/single-sign-on/add": [],
  "GET /admin/single-sign-on/remove": [["single sign-on", "issuer"]],
  "POST /admin/single-sign-on/remove": [["single sign-on", "issuer"]],
  "GET /admin/signals": [],
  "GET /admin/signals/transmitter": [["transmitter", "issuer"]],
  "POST /admin/signals/transmitter": [],
  "GET /admin/signals/remove": [["transmitter", "issuer"]],
  "POST /admin/signals/remove": [["transmitter", "issuer"]],
  "GET /admin/service-accounts": [],
  "GET /admin/service-accounts/new": [],
  "POST /admin/service-accounts/new": [],
  "GET /admin/service-accounts/:id": [["service account", ":id"]],
  "POST /admin/service-accounts/:id": [["service account", ":id"]],
  "GET /admin/service-accounts/:id/disable": [["service account", ":id"]],
  "POST /admin/service-accounts/:id/disable": [["service account", ":id"]],
  "POST /admin/service-accounts/:id/enable": [["service account", ":id"]],
  "GET /admin/service-accounts/:id/delete": [["service account", ":id"]],
  "POST /admin/service-accounts/:id/delete": [["service account", ":id"]],
  "GET /admin/issuers": [],
  "GET /admin/issuers/new": [],
  "POST /admin/issuers/new": [],
  "GET /admin/issuers/issuer": [["issuer", "issuer"]],
  "POST /admin/issuers/issuer": [["issuer", "issuer"]],
  "GET /admin/issuers/disable": [["issuer", "issuer"]],
  "POST /admin/issuers/disable": [["issuer", "issuer"]],
  "POST /admin/issuers/enable": [["issuer", "issuer"]],
  "GET /admin/issuers/remove": [["issuer", "issuer"]],
  "POST /admin/issuers/remove": [["issuer", "issuer"]],
  "GET /admin/token-test": [],
  "POST /admin/token-test": [
    ["access token", "token"],
    ["external token", "token", { announced: "on" }],
    ["Client API token", "token"],
  ],
  "GET /admin/grants": [["client in use", "client"]],
  "GET /admin/grants/:id/revoke": [["grant", ":id"]],
  "POST /admin/grants/:id/revoke": [["grant", ":id"]],
  "GET /admin/glossary": [],
  "GET /admin/glossary/export": [],
  "POST /admin/glossary/add": [],
  "POST /admin/glossary/remove": [],
  "GET /admin/metadata": [],
  "GET /admin/metadata/new": [],
  "POST /admin/metadata/new": [],
  "GET /admin/metadata/groups/:group": [["metadata group", ":group"]],
  "GET /admin/metadata/groups/:group/schema": [["metadata group", ":group"]],
  "POST /admin/metadata/groups/:group/schema": [["metadata group", ":group"]],
  "GET /admin/metadata/groups/:group/delete": [["metadata group", ":group"]],
  "POST /admin/metadata/groups/:group/delete": [["metadata group", ":group"]],
  "GET /admin/connections": [
    ["step of a connection", "find"],
    ["refused client", "find"],
  ],
  "GET /admin/document-storage": [],
  "GET /admin/document-storage/move": [],
  "POST /admin/document-storage/move": [],
  "POST /admin/document-storage/cancel": [],
  "GET /admin/document-storage/erase-old": [],
  "POST /admin/document-storage/erase-old": [],
  "GET /admin/keys": [],
  "GET /admin/keys/rotate": [],
  "POST /admin/keys/rotate": [],
  "GET /admin/people": [],
  "POST /admin/people": [],
  "GET /admin/people/:id": [["person", ":id"]],
  "GET /admin/people/:id/access": [["person", ":id"]],
  "GET /admin/people/:id/deactivate": [["person", ":id"]],
  "POST /admin/people/:id/deactivate": [["person", ":id"]],
  "POST /admin/people/:id/reactivate": [["person", ":id"]],
  "GET /admin/people/:id/release": [["person", ":id"]],
  "POST /admin/people/:id/release": [["person", ":id"]],
  "POST /admin/people/:id/role": (["administrator", "none"] as const).map(
    (role) => ["person", ":id", { role, confirmed: "yes" }] as const,
  ),
  "GET /admin/audit": [],
  "GET /admin/audit/export": [],
  "GET /admin/audit/check": [],
  "GET /admin/audit/receiver": [],
  "POST /admin/audit/receiver": [],
  "POST /admin/audit/receiver/authorization": [],
  "POST /admin/audit/receiver/deliver": [],
  "GET /admin/tokens": [],
  "GET /admin/tokens/new": [],
  "POST /admin/tokens/new": [],
  "GET /admin/tokens/:id/rotate": [["service token", ":id"]],
  "POST /admin/tokens/:id/rotate": [["service token", ":id"]],
  "GET /admin/tokens/:id/revoke": [["service token", ":id"]],
  "POST /admin/tokens/:id/revoke": [["service token", ":id"]],
  "GET /admin/settings": [],
  "POST /admin/settings": [],
  "POST /admin/settings/logo": [],
  "POST /admin/settings/remove-logo": [],
  "GET /admin/settings/end-grants": [],
  "POST /admin/settings/end-grants": [],
  "GET /admin/settings/sign-everybody-out": [],
  "POST /admin/settings/sign-everybody-out": [],
  "GET /admin/settings/refuse-external-tokens": [],
  "POST /admin/settings/refuse-external-tokens": [],
  "POST /admin/settings/take-external-tokens": [],
  "GET /admin/content": [],
  "GET /admin/directories": [],
  "GET /admin/content/:datasource": [["datasource", ":datasource"]],
  "GET /admin/content/:datasource/document": [["document", "id"]],
  "GET /admin/content/:datasource/held/remove": [["datasource", ":datasource"]],
  "POST /admin/content/:datasource/held/remove": [["datasource", ":datasource"]],
  "POST /admin/content/:datasource/held/discard": [["datasource", ":datasource"]],
  "GET /admin/content/:datasource/bring-back": [["datasource", ":datasource"]],
  "POST /admin/content/:datasource/bring-back": [["datasource", ":datasource"]],
  "GET /admin/doctor": [],
  "GET /search": [],
  "GET /search/suggestions": [],
  "GET /documents/:datasource/:id": [["document", ":id"]],
  "GET /account": [],
  "POST /account/end": [["client in use", "client_id"]],
  "POST /account/end-all": [],
  "POST /account/end-sessions": [],
  "POST /sign-out": [],
};

/** A parameter of the path, or a field of the query or form. */
type Place = string;

/** The only form that uploads a file. */
const UPLOAD = "/admin/settings/logo";

const MULTIPART = { "Content-Type": "multipart/form-data; boundary=x" };

function partOf(name: string, value: string): string {
  return `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`;
}

function ownPageCases(route: Route): Case[] | undefined {
  const named = OWN_PAGES[`${route.method} ${route.path}`];
  if (!named) return undefined;
  const isForm = route.method === "POST";
  const placed = route.path.replace(/:[a-zA-Z]+/g, "nobody");
  const cases = named.map(
    ([kind, place, fields = {}]): Case => ({
      kind,
      ask: ({ administrator }, [value = ""]) => {
        const isInPath = place.startsWith(":");
        // Both sides have this datasource.
        const placedHere = isInPath ? route.path.replace(place, encodeURIComponent(value)) : route.path;
        const path = placedHere.replace(":datasource", "wiki");
        const given = isInPath ? fields : { ...fields, [place]: value };
        return isForm ? administrator.post(path, given) : administrator.get(`${path}?${encoded(given)}`);
      },
    }),
  );
  const withSession: Case = {
    kind: "session",
    ask: (side, [cookie = "", csrf = ""]) =>
      route.path === UPLOAD
        ? send(side.origin + placed, {
            method: "POST",
            headers: { ...SAME_ORIGIN, ...MULTIPART, Cookie: cookie },
            body: partOf("csrf_token", csrf),
          })
        : isForm
          ? postForm(side, placed, { csrf_token: csrf }, { Cookie: cookie, ...SAME_ORIGIN })
          : get(side, placed, {}, { Cookie: cookie }),
  };
  const withToken: Case = {
    kind: "CSRF token",
    ask: ({ administrator }, [csrf = ""]) =>
      route.path === UPLOAD
        ? administrator.send("POST", placed, { ...SAME_ORIGIN, ...MULTIPART }, partOf("csrf_token", csrf))
        : administrator.postRaw(placed, { csrf_token: csrf }),
  };
  return [...cases, withSession, ...(isForm ? [withToken] : [])];
}

const ADMIN_BASE = "/rest/api/admin/v1";

/** Kinds of identifier in paths of the Admin API, by the first word of the path. */
const ADMIN_NOUNS: Readonly<Record<string, Kind>> = {
  apps: "made client",
  "app-rules": "ruled app",
  grants: "grant",
  people: "person",
  roles: "person",
  issuers: "issuer",
  transmitters: "transmitter",
  "single-sign-ons": "single sign-on",
  "service-accounts": "service account",
  tokens: "service token",
  "metadata-groups": "metadata group",
};

/** A key with another type than in the groups that exist. An instance's own group refuses it. */
const OTHER_KEYS: Json = { metadataKeys: [{ name: "stage", propertyType: "PICKLIST" }] };

const LIMIT: Json = { content: [{ field: "datasource", values: ["wiki"] }] };

const ADMIN_BODIES: Readonly<Record<string, Json>> = {
  "PATCH apps": { name: "Another name" },
  "PATCH issuers": { name: "Another name" },
  "PUT issuers": {
    name: "IdP",
    clientIds: ["portal"],
    audiences: ["api://gatehouse"],
    scopes: ["SEARCH"],
    emailDomains: ["acme.example"],
  },
  "PATCH service-accounts": { groups: ["sales"] },
  "PUT app-rules": { rules: [{ group: "sales", scopes: ["SEARCH"] }] },
  "PUT transmitters": { name: "EDR", audience: "here" },
  "PUT single-sign-ons": {
    clientId: "gatehouse",
    clientSecret: "hush",
    scopes: "openid",
    groupsClaim: "groups",
    emailClaim: "email",
    requiredClaims: {},
    // Without domains, it is refused.
  },
  "POST metadata-groups": OTHER_KEYS,
  "PUT metadata-groups": OTHER_KEYS,
};

/** Identifiers in the query parameters of lists. */
const ADMIN_FILTERS: Readonly<Record<string, readonly (readonly [kind: Kind, parameter: string])[]>> = {
  apps: [["cursor of apps", "sort=name&cursor"]],
  audit: [["token that issued another", "actor"]],
  "connection-attempts": [["refused client", "clientId"]],
  grants: [
    ["client in use", "client"],
    ["person with a grant", "person"],
  ],
  tokens: [["token that issued another", "createdBy"]],
};

function adminCases(route: Route): Case[] | undefined {
  if (!route.path.startsWith(`${ADMIN_BASE}/`)) return undefined;
  const [noun = ""] = route.path.slice(ADMIN_BASE.length + 1).split("/");
  const body = route.path.endsWith("/approve")
    ? { changedAt: 1 }
    : route.path.endsWith("/content")
      ? LIMIT
      : (ADMIN_BODIES[`${route.method} ${noun}`] ?? {});
  const withToken: Case = {
    kind: "admin token",
    ask: (side, [token = ""]) => callJson(side, route, token, body),
  };
  // All routes of this API have the same gate, so one is enough.
  if (route.path === `${ADMIN_BASE}/settings` && route.method === "GET") return [withToken];
  if (route.path === `${ADMIN_BASE}/${noun}` && route.method === "GET") {
    return (ADMIN_FILTERS[noun] ?? []).map(([of, parameter]) => ({
      kind: of,
      ask: (side, [value = ""]) =>
        get(
          side,
          `${route.path}?${parameter}=${encodeURIComponent(value)}`,
          {},
          { Authorization: `Bearer ${side.admin}` },
        ),
    }));
  }
  const kind = ADMIN_NOUNS[noun];
  if (!route.path.includes(":") || kind === undefined) return [];
  const isReplaced = route.method === "PUT" && ["issuers", "transmitters", "single-sign-ons"].includes(noun);
  return [
    {
      kind,
      ...(isReplaced ? { alike: "it answers what is there from now on, whatever was there" } : {}),
      ask: (side, [value = ""]) =>
        callJson(side, { ...route, path: route.path.replace(/:\w+/, encodeURIComponent(value)) }, side.admin, body),
    },
  ];
}

const SCIM_BASE = "/scim/v2";

const SCIM_BODIES: Readonly<Record<string, Json>> = {
  "PUT /Users/:id": { userName: "replaced@acme.example" },
  "PATCH /Users/:id": { Operations: [{ op: "replace", path: "title", value: "Lead" }] },
  "PUT /Groups/:id": { displayName: "Replaced" },
  "PATCH /Groups/:id": { Operations: [{ op: "replace", path: "externalId", value: "replaced" }] },
};

function scimCases(route: Route): Case[] | undefined {
  if (!route.path.startsWith(`${SCIM_BASE}/`)) return undefined;
  const path = route.path.slice(SCIM_BASE.length);
  const ask = (token: string, side: Side, to: string, body: Json) =>
    callJson(side, { ...route, path: SCIM_BASE + to }, token, body);
  // All routes of this API have the same gate, so one is enough.
  if (path === "/ServiceProviderConfig") {
    return [{ kind: "SCIM token", ask: (side, [token = ""]) => ask(token, side, path, {}) }];
  }
  const isOfUsers = path.startsWith("/Users");
  if (!isOfUsers && !path.startsWith("/Groups")) return [];
  const kind = isOfUsers ? ("directory user" as const) : ("directory group" as const);
  const asked = (side: Side, to: string, body: Json = {}) => ask(side.directory.token, side, to, body);
  if (path.endsWith("/:id")) {
    const body = SCIM_BODIES[`${route.method} ${path}`];
    return [{ kind, ask: (side, [id = ""]) => asked(side, path.replace(":id", id), body) }];
  }
  if (route.method === "GET") {
    return [{ kind, ask: (side, [id = ""]) => asked(side, `${path}?filter=${encodeURIComponent(`id eq "${id}"`)}`) }];
  }
  if (isOfUsers) return [];
  const body = (id: string) => ({ displayName: `With ${id}`, members: [{ value: id }] });
  return [{ kind: "directory user", ask: (side, [id = ""]) => asked(side, path, body(id)) }];
}

const INTERNAL = ["stats", "export", "import"].map((word, at): [string, readonly Case[]] => [
  `POST /internal/documents/${word}`,
  [
    {
      kind: "command token",
      ask: (side, tokens) =>
        callJson(side, { method: "POST", path: `/internal/documents/${word}` }, tokens[at] ?? "", {
          after: null,
          lines: [],
        }),
    },
  ],
]);

const OPEN: Readonly<Record<string, readonly Case[]>> = {
  "GET /": [],
  "GET /assets/logo": [{ kind: "logo", ask: (side, [v]) => get(side, "/assets/logo", { v }) }],
  "GET /openapi.json": [],
  "POST /": [],
  "POST /mcp/": [],
  "POST /mcp/sse": [],
  "POST /sse": [],
  "GET /setup": [],
  "POST /setup": [],
  "GET /sign-in": [],
  "POST /sign-in": [
    {
      kind: "sign-in form",
      ask: (side, [cookie = "", csrf]) =>
        postForm(side, "/sign-in", { to: "/account", csrf_token: csrf }, { Cookie: cookie, ...SAME_ORIGIN }),
    },
  ],
};

/** Paths whose responses are the same for every instance, or only name the instance of their host. */
const OF_NO_INSTANCE = /^GET (\/assets\/(?!logo)|\/\.well-known\/oauth-protected-resource)/;

const TABLE: ReadonlyMap<string, readonly Case[]> = new Map([
  ...Object.entries(AUTHORIZATION_SERVER),
  ...Object.entries(READING_APIS),
  ...Object.entries(OPEN),
  ...INTERNAL,
]);

/** Returns a case for every identifier that a request to this route can carry. @throws if the route has no entry */
export function casesOf(route: Route): readonly Case[] {
  const name = `${route.method} ${route.path}`;
  const [, , call] = INDEXING_BASE.exec(route.path) ?? [];
  const cases =
    call === undefined
      ? (TABLE.get(name) ?? adminCases(route) ?? scimCases(route) ?? ownPageCases(route))
      : indexingCases(route, call);
  if (cases) return cases;
  if (OF_NO_INSTANCE.test(name)) return [];
  throw new Error(`${name} has no entry here: say which identifiers its requests carry`);
}

/** Returns the routes that are listed here but unknown to the router. */
export function strayEntries(routes: readonly Route[]): string[] {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  return [...TABLE.keys(), ...Object.keys(OWN_PAGES)].filter((name) => !known.has(name));
}
