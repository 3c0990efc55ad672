import { ADMIN_API_BASE } from "#admin-api/base.ts";
import { ADMIN_OPERATIONS } from "#admin-api/operations.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readChallenge, readMcpRefusal, readRefusal } from "../support/challenge.ts";
import { allCredentials, type Credentials, type Issuers } from "../support/credentials.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { env } from "../support/isolate.ts";
import { WORDLESS } from "../support/observed-isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { apiRoutes } from "../support/routes.ts";
import type { TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

type ApiScope = (typeof API_SCOPES)[number];

/** Returns the metadata URL and scopes in a challenge, which depend on the error and on the scope that the token has. */
type WayIn = (refused: { error: string; held: ApiScope | undefined }) => Readonly<Record<string, string>>;

interface ClientApiCall {
  readonly scope: ApiScope;
  readonly body: unknown;
  readonly wayIn: WayIn;
}

const RESOURCE_METADATA = `${ORIGIN}/.well-known/oauth-protected-resource`;

const wayInto =
  (scope: ApiScope): WayIn =>
  () => ({ resource_metadata: RESOURCE_METADATA, scope });

/** The MCP endpoint names all scopes of its tools or, if one is missing, that scope and the one that the token has. */
const wayIntoMcp: WayIn = ({ error, held }) => ({
  resource_metadata: `${RESOURCE_METADATA}/mcp`,
  scope: (error === "insufficient_scope"
    ? API_SCOPES.filter((scope) => scope === "SEARCH" || scope === held)
    : API_SCOPES
  ).join(" "),
});

const SEARCH_BY_TOOL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: WORDLESS } };

/** Every call of the Client API and of the MCP endpoint, with the scope that it needs and a valid body. */
const CLIENT_API: Readonly<Record<string, ClientApiCall>> = {
  "POST /rest/api/v1/search": { scope: "SEARCH", body: WORDLESS, wayIn: wayInto("SEARCH") },
  "POST /rest/api/v1/chat": {
    scope: "CHAT",
    body: { messages: [{ fragments: [{ text: "token" }] }] },
    wayIn: wayInto("CHAT"),
  },
  "POST /rest/api/v1/getdocuments": {
    scope: "DOCUMENTS",
    body: { documentSpecs: [{ id: "wiki:a" }] },
    wayIn: wayInto("DOCUMENTS"),
  },
  "POST /mcp": { scope: "SEARCH", body: SEARCH_BY_TOOL, wayIn: wayIntoMcp },
};

interface IndexingCall {
  /** The family of scopes that the call needs. Any token may rotate itself. */
  readonly family: "documents" | "custommetadata" | "any";
  readonly body?: unknown;
}

const user = { datasource: "wiki", user: { email: "ben@acme.example", userId: "ben", name: "Ben" } };
const group = { datasource: "wiki", group: { name: "staff" } };
const membership = { datasource: "wiki", membership: { groupName: "staff", memberUserId: "ben" } };

/** An upload of one page, which replaces any unfinished upload of its kind. */
const upload = { uploadId: "one", isFirstPage: true, isLastPage: true, forceRestartUpload: true, datasource: "bulk" };

/** Every call of the Indexing API below its bases, with a valid body. In this order, each finds the data that it needs. */
const INDEXING_CALLS: Readonly<Record<string, IndexingCall>> = {
  "POST /indexdocument": { family: "documents", body: { document: draft("a") } },
  "POST /indexdocuments": { family: "documents", body: { documents: [draft("a"), draft("b")] } },
  "POST /updatepermissions": { family: "documents", body: { datasource: "wiki", id: "a", permissions: {} } },
  "POST /checkdocumentaccess": {
    family: "documents",
    body: { datasource: "wiki", docId: "a", userEmail: "ben@acme.example" },
  },
  "POST /listdocuments": { family: "documents", body: { datasource: "wiki" } },
  "POST /getdocumentcount": { family: "documents", body: { datasource: "wiki" } },
  "POST /deletedocument": { family: "documents", body: { datasource: "wiki", objectType: "Document", id: "b" } },
  "POST /bulkindexdocuments": {
    family: "documents",
    body: { ...upload, documents: [draft("c", { datasource: "bulk" })] },
  },
  "POST /bulkindexusers": { family: "documents", body: { ...upload, users: [user.user] } },
  "POST /bulkindexgroups": { family: "documents", body: { ...upload, groups: [group.group] } },
  "POST /bulkindexmemberships": {
    family: "documents",
    body: { ...upload, group: "staff", memberships: [{ memberUserId: "ben" }] },
  },
  "POST /processallmemberships": { family: "documents", body: { datasource: "wiki" } },
  "POST /uploadstatus": { family: "documents", body: { datasource: "bulk" } },
  "POST /getdatasourceconfig": { family: "documents", body: { datasource: "wiki" } },
  "POST /getdocumentstatus": { family: "documents", body: { datasource: "wiki", objectType: "Document", docId: "a" } },
  "POST /indexuser": { family: "documents", body: user },
  "POST /indexgroup": { family: "documents", body: group },
  "POST /indexmembership": { family: "documents", body: membership },
  "POST /deletemembership": { family: "documents", body: membership },
  "POST /deletegroup": { family: "documents", body: { datasource: "wiki", groupName: "staff" } },
  "POST /deleteuser": { family: "documents", body: { datasource: "wiki", userId: "ben" } },
  "PUT /custom-metadata/schema/:groupName": {
    family: "custommetadata",
    body: { metadataKeys: [{ name: "status", propertyType: "PICKLIST" }] },
  },
  "GET /custom-metadata/schema/:groupName": { family: "custommetadata" },
  "PUT /custom-metadata/values/:groupName": {
    family: "custommetadata",
    body: { documents: [{ id: "wiki:a", customMetadata: [{ name: "status", value: "approved" }] }] },
  },
  "PUT /document/:docId/custom-metadata/:groupName": {
    family: "custommetadata",
    body: { customMetadata: [{ name: "status", value: "approved" }] },
  },
  "DELETE /document/:docId/custom-metadata/:groupName": { family: "custommetadata" },
  "DELETE /custom-metadata/schema/:groupName": { family: "custommetadata" },
  "POST /rotatetoken": { family: "any", body: {} },
};

const INDEXING_API: Readonly<Record<string, IndexingCall>> = Object.fromEntries(
  ["/api/index/v1", "/rest/api/index"].flatMap((base) =>
    Object.entries(INDEXING_CALLS).map(([call, expected]) => [call.replace(" ", ` ${base}`), expected]),
  ),
);

/** Values of the header that announces an identity provider's token, and values that don't. */
const HEADERS = { absent: undefined, OAUTH: "OAUTH", oauth: "oauth", other: "SERVICE" } as const;
type Header = keyof typeof HEADERS;
const ANNOUNCING: readonly [Header, Header] = ["OAUTH", "oauth"];
const SILENT: readonly [Header, Header] = ["absent", "other"];
const ALL_HEADERS: readonly Header[] = [...SILENT, ...ANNOUNCING];

/** Settings of an administrator. While issuers are "disabled" or "absent", another one is registered. */
interface Switches {
  readonly oauthEnabled: boolean;
  readonly externalTokensEnabled: boolean;
  readonly issuers: "registered" | "disabled" | "absent" | "none at all";
}

const STATES_OF_ISSUERS: readonly Switches["issuers"][] = ["registered", "disabled", "absent", "none at all"];

/** Every state of the issuers with either value of each switch; all four combinations only where they let tokens in. */
const SWITCHES: readonly Switches[] = STATES_OF_ISSUERS.flatMap((issuers, at) =>
  [true, false].flatMap((oauthEnabled) =>
    [true, false]
      .map((externalTokensEnabled) => ({ oauthEnabled, externalTokensEnabled, issuers }))
      .filter((one) => at === 0 || (one.externalTokensEnabled === oauthEnabled) === (at % 2 === 1)),
  ),
);

/**
 * Returns the header to send with a kind of credential to a route. This tests half of all combinations, because the others would add
 * nothing: every kind is sent to every route with external tokens on and off and with every state of the issuers, announced to some
 * routes and unannounced to the others. Each kind and state gets both spellings of either header.
 */
function headerAt(
  { oauthEnabled, externalTokensEnabled, issuers: state }: Switches,
  kind: number,
  route: number,
): Header {
  const at = STATES_OF_ISSUERS.indexOf(state);
  const isAnnounced = (kind + route + at + Number(oauthEnabled) + Number(externalTokensEnabled)) % 2 === 0;
  const [one, other] = isAnnounced ? ANNOUNCING : SILENT;
  return (kind + (route >> 1) + at) % 2 === 0 ? one : other;
}

/**
 * Checks whether to send a kind of credential, which this route never lets in, to the route with these switches. Two of the four routes
 * are tested, one announced and one not, so that every kind meets all switches either way, and every route both values of each.
 */
function isAsked({ oauthEnabled, issuers: state }: Switches, kind: number, route: number): boolean {
  return (kind + (STATES_OF_ISSUERS.indexOf(state) >> 1) + Number(oauthEnabled)) % 2 === route >> 1;
}

/** A response: 200, or a refusal with the error of its challenge and the first words of its message. */
interface Answer {
  readonly status: number;
  readonly error?: string;
  readonly challenge?: string | undefined;
  readonly message?: RegExp;
  /** The parameters about DPoP proofs in the challenge: the scheme after a request with DPoP, the algorithms also in others. */
  readonly proofs?: Readonly<Record<string, string>>;
}

const refused = (status: 401 | 403, error: string, message: RegExp): Answer => ({
  status,
  error,
  challenge: status === 401 ? "invalid_token" : error,
  message,
});
const invalidToken = (message: RegExp) => refused(401, "invalid_token", message);
const invalidSecret = (message: RegExp) => refused(401, "invalid_secret", message);

const PASSES: Answer = { status: 200 };
const ANONYMOUS: Answer = { status: 401, error: "unauthorized", challenge: undefined, message: /^Send an / };
const SERVER_OFF = refused(403, "oauth_not_enabled", /^OAuth is not enabled for this instance: an administrator/);
const PROVIDERS_OFF = refused(403, "oauth_not_enabled", /^OAuth is not enabled for identity providers' tokens/);
const NO_ISSUER = refused(403, "issuer_not_registered", /^This identity provider's tokens are not enabled/);
const NO_CLIENT = refused(403, "client_not_registered", /^The application that this token was issued to/);
const NOT_A_JWT = invalidToken(/^Invalid token format/);
const TWO_TOKENS = invalidToken(/^The Authorization header must have one token/);
const NO_TOKEN_OF_OURS = invalidSecret(/^Invalid secret: this is not a token issued by this service$/);
const UNANNOUNCED = invalidSecret(/^Invalid secret: .* add the header X-Gatehouse-Auth-Type: OAUTH$/);
const ANOTHER_INSTANCE = invalidSecret(/^Invalid secret: this access token is for another instance of this service/);
const FROM_ANOTHER_INSTANCE = refused(403, "issuer_not_registered", /^This access token is for another instance/);
const EXPIRED = invalidSecret(/^Invalid secret: the token has expired/);
const REVOKED = invalidSecret(/^Invalid secret: the token was revoked/);
const FOR_SEARCH_ALONE = invalidToken(/^The token is for http:\/\/acme\.localhost\/rest\/api\/v1\/search: request one/);
const FOR_MCP_ALONE = invalidToken(/^The token is for http:\/\/acme\.localhost\/mcp: request one/);
const FOR_ADMIN_API = invalidSecret(/^Invalid secret: this token is for the Admin API/);
const DEACTIVATED = invalidToken(/^The person's account is deactivated/);

const PROOFS = { algs: "ES256 PS256 Ed25519 EdDSA" };
const BOUND: Answer = { ...invalidToken(/^The access token is bound to a key: send it as /), proofs: PROOFS };
const NOT_BOUND = invalidToken(/^The token is bound to no key: send it as /);
const OF_ANOTHER_KEY = invalidToken(/^The DPoP proof is signed by another key/);
const WITHOUT_PROOF: Answer = {
  status: 401,
  error: "invalid_dpop_proof",
  challenge: "invalid_dpop_proof",
  message: /^Send one DPoP header/,
};
const BOUND_OTHERWISE = invalidToken(/^Tokens can be bound to a DPoP key/);

type Cell = (at: { switches: Switches; scope: ApiScope; route: string }) => Answer;

const always =
  (answer: Answer): Cell =>
  () =>
    answer;
const holding =
  (held: ApiScope): Cell =>
  ({ scope }) =>
    held === scope ? PASSES : refused(403, "insufficient_scope", new RegExp(`^The token lacks the scope ${scope}:`));
const own =
  (cell: Cell): Cell =>
  (at) =>
    at.switches.oauthEnabled ? cell(at) : SERVER_OFF;
const announced =
  (cell: Cell): Cell =>
  (at) => {
    const { externalTokensEnabled, issuers } = at.switches;
    return !externalTokensEnabled || issuers === "none at all" ? PROVIDERS_OFF : cell(at);
  };

const external = (cell: Cell): Cell => announced((at) => (at.switches.issuers === "registered" ? cell(at) : NO_ISSUER));

/** Kind of credential, its response without the header, and its response if the header announces an external token. */
type Row = readonly [kind: string, plain: Cell, announced: Cell];

const same = (kind: string, cell: Cell): Row => [kind, cell, cell];

/** Returns the cell for a request with the DPoP scheme, which gets a challenge of this scheme. */
const byDpop =
  (cell: Cell): Cell =>
  (at) => {
    const answer = cell(at);
    return answer.status === 200 ? answer : { ...answer, proofs: { ...PROOFS, scheme: "DPoP" } };
  };

const CLIENT_API_TABLE: readonly Row[] = [
  same("none", always(ANONYMOUS)),
  same("two Authorization headers", always(TWO_TOKENS)),
  ...API_SCOPES.map((scope) => same(`client-api, ${scope}`, holding(scope))),
  same("client-api, expired", always(EXPIRED)),
  same("client-api, revoked", always(REVOKED)),
  same("client-api, of a deactivated person", always(REVOKED)),
  same("client-api, unknown", always(NO_TOKEN_OF_OURS)),
  ...API_SCOPES.map((scope) => same(`own, ${scope}`, own(holding(scope)))),
  same("own, expired", own(always(invalidToken(/^The access token has expired/)))),
  same("own, altered", own(always(invalidToken(/^The access token is invalid/)))),
  same("own, of a revoked grant", own(always(invalidToken(/^The access was revoked/)))),
  same("own, of a deactivated person", own(always(DEACTIVATED))),
  same(
    "own, for search alone",
    own(({ route }) => (route === "POST /rest/api/v1/search" ? PASSES : FOR_SEARCH_ALONE)),
  ),
  same(
    "own, for MCP alone",
    own(({ route }) => (route === "POST /mcp" ? PASSES : FOR_MCP_ALONE)),
  ),
  same("own, bound to a key", own(always(BOUND))),
  same("by proof: own, SEARCH", byDpop(own(holding("SEARCH")))),
  same("by proof: own, without it", byDpop(own(always(WITHOUT_PROOF)))),
  same("by proof: own, of another key", byDpop(own(always(OF_ANOTHER_KEY)))),
  same("by proof: own, bound to none", byDpop(own(always(NOT_BOUND)))),
  same("by proof: client-api, SEARCH", byDpop(always(NOT_BOUND))),
  ["by proof: external, SEARCH", byDpop(always(UNANNOUNCED)), byDpop(external(holding("SEARCH")))],
  ["external, bound to a key", always(UNANNOUNCED), external(always(BOUND))],
  ["external, bound to a certificate", always(UNANNOUNCED), external(always(BOUND_OTHERWISE))],
  ["own, of another instance", always(ANOTHER_INSTANCE), announced(always(FROM_ANOTHER_INSTANCE))],
  ...API_SCOPES.map((scope): Row => [`external, ${scope}`, always(UNANNOUNCED), external(holding(scope))]),
  ["external, of an unknown issuer", always(UNANNOUNCED), external(always(NO_ISSUER))],
  ["external, of an unknown client", always(UNANNOUNCED), external(always(NO_CLIENT))],
  ["external, expired", always(UNANNOUNCED), external(always(invalidToken(/^The access token has expired/)))],
  ["external, altered", always(UNANNOUNCED), external(always(invalidToken(/^The token's signature is invalid/)))],
  ["external, for another API", always(UNANNOUNCED), external(always(invalidToken(/^The token is for another API/)))],
  ["external, of a deactivated person", always(UNANNOUNCED), external(always(DEACTIVATED))],
  ["a malformed JWT", always(UNANNOUNCED), always(NOT_A_JWT)],
  same("a malformed JWT of this server", always(invalidToken(/^The access token is invalid: it was truncated/))),
  ["opaque", always(NO_TOKEN_OF_OURS), always(NOT_A_JWT)],
  ...["documents", "custom metadata", "expired", "revoked", "unknown"].map(
    (kind): Row => [
      `indexing, ${kind}`,
      always(invalidSecret(/^Invalid secret: this token is for the Indexing API/)),
      always(NOT_A_JWT),
    ],
  ),
  ...["reading", "expired", "revoked", "unknown"].map(
    (kind): Row => [`admin, ${kind}`, always(FOR_ADMIN_API), always(NOT_A_JWT)],
  ),
];

const OTHER_KIND = invalidSecret(/^Invalid secret: this token is for the Client API/);
const NO_OAUTH = invalidToken(/^The Indexing API accepts only service-issued tokens/);
const UNCOVERED = invalidToken(/^The token's scope does not cover this target/);

const OF_METADATA = "indexing, custom metadata";

/** The response to a kind of credential, by the beginning of its name. Neither the header nor the switches matter. */
const INDEXING_API_TABLE: Readonly<Record<string, Answer>> = {
  none: ANONYMOUS,
  "two Authorization headers": TWO_TOKENS,
  "by proof:": TWO_TOKENS,
  "own,": NO_OAUTH,
  "external,": NO_OAUTH,
  "client-api,": OTHER_KIND,
  "admin,": FOR_ADMIN_API,
  "indexing, expired": EXPIRED,
  "indexing, revoked": REVOKED,
  "indexing, unknown": NO_TOKEN_OF_OURS,
  "a malformed JWT": NO_TOKEN_OF_OURS,
  opaque: NO_TOKEN_OF_OURS,
};

const NO_OAUTH_TO_ADMIN = invalidToken(/^The Admin API accepts only service-issued tokens/);

/** The same for the Admin API. */
const ADMIN_API_TABLE: Readonly<Record<string, Answer>> = {
  none: ANONYMOUS,
  "two Authorization headers": TWO_TOKENS,
  "by proof:": TWO_TOKENS,
  "own,": NO_OAUTH_TO_ADMIN,
  "external,": NO_OAUTH_TO_ADMIN,
  "client-api,": OTHER_KIND,
  "indexing,": invalidSecret(/^Invalid secret: this token is for the Indexing API/),
  "admin, reading": PASSES,
  "admin, expired": EXPIRED,
  "admin, revoked": REVOKED,
  "admin, unknown": NO_TOKEN_OF_OURS,
  "a malformed JWT": NO_TOKEN_OF_OURS,
  opaque: NO_TOKEN_OF_OURS,
};

/** All routes have the same gate. For the scope of each, see test/admin-api/operations.test.ts. */
const ADMIN_API = Object.keys(ADMIN_OPERATIONS).map((route) => route.replace(" ", ` ${ADMIN_API_BASE}`));

/** Kinds of credential that are let in, if their scope is the route's. */
const GOOD = [
  ...API_SCOPES.flatMap((scope) => ["own", "external", "client-api"].map((kind) => `${kind}, ${scope}`)),
  "by proof: own, SEARCH",
  "by proof: external, SEARCH",
];

let instance: InstanceRecord;
let issuers: Issuers;
let credentials: Credentials;
let key: DpopKey;
let anotherKey: DpopKey;

beforeAll(async () => {
  instance = await makeInstance();
  // The document that calls about a single document need, whichever credential is tested first.
  await (await Pipeline.of(instance)).index(draft("a"));
  ({ issuers, credentials, key } = await allCredentials(instance));
  anotherKey = await DpopKey.make();
});

/** Sets all switches, which takes effect at once in this isolate. */
async function arrange({ oauthEnabled, externalTokensEnabled, issuers: wanted }: Switches): Promise<void> {
  const { administrationOf, externalIssuers } = servicesOf(env);
  const registered = await externalIssuers.list(instance.id);
  const state = (issuer: TestIssuer) => registered.find(({ configuration }) => configuration.issuer === issuer.url);
  if (wanted === "none at all") await administrationOf(instance, "test").issuers.remove(issuers.bystander.url);
  else if (!state(issuers.bystander)) await issuers.bystander.register(instance);
  for (const scope of API_SCOPES) {
    const issuer = issuers.byScope[scope];
    const now = state(issuer);
    if (wanted === "absent" || wanted === "none at all") {
      if (now) await administrationOf(instance, "test").issuers.remove(issuer.url);
      continue;
    }
    if (!now) await issuer.register(instance, { scopes: [scope] });
    if (wanted === "disabled") await administrationOf(instance, "test").issuers.disable(issuer.url);
    else if (now?.isDisabled) await administrationOf(instance, "test").issuers.enable(issuer.url);
  }
  await changeSettings("acme", { oauthEnabled, externalTokensEnabled });
}

/** Lets this isolate verify and cache all good credentials first, and then sets the switches. */
async function arrangeAfterUse(switches: Switches): Promise<void> {
  await arrange({ oauthEnabled: true, externalTokensEnabled: true, issuers: "registered" });
  for (const [route, { scope, body }] of Object.entries(CLIENT_API)) {
    for (const kind of GOOD) if (kind.endsWith(`, ${scope}`)) await decide(route, body, kind, "OAUTH");
  }
  await arrange(switches);
}

/** Calls a route with a credential, and returns all that a client sees of the decision. */
async function decide(route: string, body: unknown, kind: string, header: Header) {
  const [method = "", template = ""] = route.split(" ");
  const path = template.replace(":groupName", "gateTest").replace(":docId", "wiki%3Aa");
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const value of credentials[kind] ?? []) headers.append("Authorization", value);
  if (kind.startsWith("by proof: ") && !kind.endsWith("without it")) {
    const { DPoP: proof } = await (kind.endsWith("of another key") ? anotherKey : key).headers(
      (credentials[kind]?.[0] ?? "").replace("DPoP ", ""),
      path,
      { claims: { htm: method } },
    );
    headers.set("DPoP", proof);
  }
  if (HEADERS[header] !== undefined) headers.set("X-Gatehouse-Auth-Type", HEADERS[header]);
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await send(path, init);
  if (response.status < 300) {
    await response.body?.cancel();
    return { status: response.status, challenge: response.headers.get("WWW-Authenticate") };
  }
  const { error, message, requestId } = await (path === "/mcp" ? readMcpRefusal : readRefusal)(response);
  return {
    status: response.status,
    error,
    message,
    challenge: readChallenge(response),
    isTraceable: requestId.length > 0 && requestId === response.headers.get("X-Request-Id"),
  };
}

/** Expects that the page "Test a token" explains a call with the gate's decision, at the right step. */
async function expectExplained(
  route: ClientApiRoute,
  kind: string,
  header: Header,
  { status, error, message }: Awaited<ReturnType<typeof decide>>,
) {
  const { policySnapshots, tokenExplainer } = servicesOf(env);
  const policy = await policySnapshots.of("acme", () => undefined);
  if (!policy) throw new Error("no policy");
  const { steps, ...explanation } = await tokenExplainer.explain(
    { issuer: ORIGIN, policy },
    {
      token: (credentials[kind] ?? []).join(", "),
      announcedAsExternal: ANNOUNCING.includes(header),
      authTypeHeader: "X-Gatehouse-Auth-Type",
      route,
      address: "",
      waitUntil: () => undefined,
    },
  );
  const decided = { status, code: error, message: message ?? "The call is accepted." };
  expect({ kind, route, header, ...explanation }).toMatchObject({ kind, route, header, ...decided });
  const failed = steps.findIndex(({ outcome }) => outcome === "fails");
  expect(failed < 0).toBe(status === 200);
  const expected = steps.map((_, at) => (failed < 0 || at < failed ? "holds" : at === failed ? "fails" : "open"));
  expect(steps.map(({ outcome }) => outcome)).toEqual(expected);
}

/** Returns what a client must see of a response. @param wayIn the parameters of every challenge of the API */
function seen(answer: Answer, wayIn: Readonly<Record<string, string>>) {
  if (answer.status === 200) return { status: 200, challenge: null };
  const says = expect.stringMatching(answer.message ?? /^$/) as string;
  const error = answer.challenge === undefined ? {} : { error: answer.challenge, error_description: says };
  return {
    status: answer.status,
    error: answer.error,
    message: says,
    challenge: { ...wayIn, ...error, ...answer.proofs },
    isTraceable: true,
  };
}

describe("the tables of decisions in this test", () => {
  it("have a row for every route of the APIs, and for no other", () => {
    const rows = [...Object.keys(CLIENT_API), ...Object.keys(INDEXING_API), ...ADMIN_API];
    expect(rows.sort()).toEqual(
      apiRoutes()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
  });

  it("have a row for every kind of credential", () => {
    expect(CLIENT_API_TABLE.map(([kind]) => kind).sort()).toEqual(Object.keys(credentials).sort());
  });
});

describe.each(SWITCHES)("the Client API's gate, with %j", (switches) => {
  beforeAll(() => arrangeAfterUse(switches));

  it(`the Client API's gate decides as stated about each credential, with ${JSON.stringify(switches)}`, async () => {
    for (const [row, [kind, plain, withHeader]] of CLIENT_API_TABLE.entries()) {
      const held = API_SCOPES.find((scope) => kind.endsWith(`, ${scope}`));
      for (const [column, [route, { scope, body, wayIn }]] of Object.entries(CLIENT_API).entries()) {
        const mayPass = held === scope || kind.endsWith(" alone");
        if (!mayPass && !isAsked(switches, row, column)) continue;
        const header = headerAt(switches, row, column);
        const cell = ANNOUNCING.includes(header) ? withHeader : plain;
        const answer = cell({ switches, scope, route });
        const decision = await decide(route, body, kind, header);
        const expected = seen(answer, wayIn({ error: answer.error ?? "", held }));
        expect({ kind, route, header, ...decision }).toEqual({ kind, route, header, ...expected });
        // The page "Test a token" can't check proofs, because each is made for a single call.
        const isAboutProof = kind.endsWith("of another key") || kind.endsWith("without it");
        if (kind !== "none" && route in ROUTE_SCOPES && !isAboutProof)
          await expectExplained(route as ClientApiRoute, kind, header, decision);
      }
    }
  });
});

describe.each([SWITCHES[0], SWITCHES.at(-1)] as Switches[])("the Indexing API's gate, with %j", (switches) => {
  beforeAll(() => arrangeAfterUse(switches));

  it(`the Indexing API's gate decides as stated about each credential, with ${JSON.stringify(switches)}`, async () => {
    for (const [row, [kind]] of CLIENT_API_TABLE.entries()) {
      const listed = Object.keys(INDEXING_API_TABLE).find((beginning) => kind.startsWith(beginning));
      for (const [column, [route, { family, body }]] of Object.entries(INDEXING_API).entries()) {
        // Every route gets each credential that may pass, and every fourth route those that never do, with varying headers.
        const place = (row + column) % 32;
        const header = ALL_HEADERS[listed === undefined ? place % 4 : (place - Number(switches.oauthEnabled)) / 2];
        if (header === undefined) continue;
        const isCovered = family === "any" || kind === (family === "documents" ? "indexing, documents" : OF_METADATA);
        const good = isCovered ? PASSES : UNCOVERED;
        const answer = listed === undefined ? good : (INDEXING_API_TABLE[listed] ?? good);
        const decision = await decide(route, body, kind, header);
        const expected = seen(answer, { realm: "Indexing API" });
        expect({ kind, route, header, ...decision }).toEqual({ kind, route, header, ...expected });
      }
    }
  });
});

describe.each([SWITCHES[0], SWITCHES.at(-1)] as Switches[])("the Admin API's gate, with %j", (switches) => {
  beforeAll(() => arrangeAfterUse(switches));

  it("lets in only admin tokens, with or without the header", async () => {
    for (const [kind] of CLIENT_API_TABLE) {
      const listed = Object.keys(ADMIN_API_TABLE).find((beginning) => kind.startsWith(beginning)) ?? "";
      const answer = ADMIN_API_TABLE[listed] ?? PASSES;
      for (const header of ["absent", "OAUTH"] as const) {
        const decision = await decide(`GET ${ADMIN_API_BASE}/apps`, undefined, kind, header);
        expect({ kind, header, ...decision }).toEqual({ kind, header, ...seen(answer, { realm: "Admin API" }) });
      }
    }
  });
});
