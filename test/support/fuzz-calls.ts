import { newFormId } from "#admin-console/form-id.ts";
import type { Sample } from "./admin-calls.ts";
import type { Chance } from "./chance.ts";
import type { ConsoleBrowser } from "./console-browser.ts";
import { MODERN, NEGOTIATED, rpcRequest } from "./mcp.ts";
import { scimBody, scimQuery } from "./fuzz-scim.ts";
import { routes } from "./routes.ts";

/** A request as a well-behaved client sends it. */
export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly query?: [string, string][];
  readonly body?: CallBody;
  readonly headers?: Record<string, string>;
}

export type CallBody =
  | { form: [string, string][] }
  | { json: Record<string, unknown> }
  | { text: string }
  | { bytes: Uint8Array };

/** A form of our own pages, as a page had it. */
export interface FoundForm {
  readonly action: string;
  readonly fields: readonly [string, string][];
}

/** The values that calls are made from. */
export interface Material {
  readonly chance: Chance;
  /** Malicious texts. */
  readonly hostile: readonly string[];
  /** Returns an Authorization header, usually with a token for this path. */
  readonly bearer: (path: string) => Record<string, string>;
  /** Returns the cookie of somebody who is signed in, usually an administrator, and their forms' CSRF token. */
  readonly session: () => { readonly cookie: string; readonly csrfToken: string };
  readonly forms: () => readonly FoundForm[];
  /** Returns a call of the Admin API about something that exists, if one was made for this route. */
  readonly adminCall: (route: string) => Sample | undefined;
  /** Returns a genuine value for a parameter of a path. */
  readonly parameter: (name: string, path: string) => string;
}

const DAY = 24 * 3600;

const ADMIN_BASE = "/rest/api/admin/v1";

/** Names from pipelines: plain ones, so that they match each other, and odd ones. */
// biome-ignore format: a list
const NAMES = [
  "ann", "ben", "eng", "Eng", "ENG ", "finance", "a|b", "https://idp.example|finance", "\u212Aelvin", "straße", "STRASSE",
  "e\u0301", "\u00e9", "\u202Egnp", "a\u0000b", "", "0", "__proto__", "constructor", "toString", "😀", "x".repeat(300),
  "%", "_", "*", "\"", "'", "a,b", "a:b", "null", "  ", "\ufeff",
];

const WORDS = ["token", "plan", "straße", "ﬁnance", "a", "the", "日本語", "x".repeat(90), "C++", "e\u0301tude", "0"];

/** Drafts calls of the APIs, MCP, OpenID Connect and our own pages. */
export class FuzzCalls {
  readonly #with: Material;
  #formId = newFormId();

  constructor(material: Material) {
    this.#with = material;
  }

  /** Returns the drafts of every route that is not in `known`, by route. */
  besides(known: ReadonlySet<string>): Record<string, () => Call> {
    const drafts: Record<string, () => Call> = {};
    for (const route of routes()) {
      const name = `${route.method} ${route.path}`;
      if (known.has(route.path)) continue;
      const call = /^(?:\/rest\/api\/index|\/api\/index\/v1|\/rest\/api\/v1)\/(\w+)$/.exec(route.path)?.[1];
      drafts[name] = () => this.#draft(route.method, route.path, call);
    }
    return drafts;
  }

  #draft(method: string, path: string, call: string | undefined): Call {
    const { bearer, chance, session, forms, parameter } = this.#with;
    const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
      encodeURIComponent(parameter(name === "id" && path.startsWith("/scim/") ? "scimId" : name, path).toWellFormed()),
    );
    if (path === "/mcp") return this.#mcp();
    if (call !== undefined) return { method, path: filled, body: { json: this.#body(call) }, headers: bearer(path) };
    const sample = path.startsWith(ADMIN_BASE) ? this.#with.adminCall(`${method} ${path}`) : undefined;
    if (sample) return { method, headers: bearer(path), query: this.#pageQuery(), ...sampleCall(path, sample) };
    if (path.startsWith("/rest/") || path.startsWith("/api/")) {
      const json = path.includes("/document/") ? { customMetadata: this.#list(() => this.#value()) } : this.#schema();
      return { method, path: filled, headers: bearer(path), ...(method === "PUT" ? { body: { json } } : {}) };
    }
    if (path.startsWith("/scim/")) {
      const said = { chance, name: () => this.#name(), id: () => parameter("scimId", path) };
      const body = method === "GET" || method === "DELETE" ? {} : { body: { json: scimBody(method, path, said) } };
      return { method, path: filled, headers: bearer(path), query: scimQuery(said), ...body };
    }
    if (path === "/oauth/userinfo") return { method, headers: bearer(path) };
    if (!/^\/(admin|account|search|sign-)/.test(path)) return { method, path: filled };
    const { cookie, csrfToken } = session();
    const headers = { Cookie: cookie, ...(chance.happens(0.95) ? { "Sec-Fetch-Site": "same-origin" } : {}) };
    if (method === "GET") return { method, path: filled, headers, query: this.#pageQuery() };
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
    const found = forms().filter(({ action }) => pattern.test(action));
    if (found.length === 0) return { method, path: filled, headers, body: { form: [["csrf_token", csrfToken]] } };
    const form = chance.pick(found);
    // A form works once; some are sent again.
    if (chance.happens(0.9)) this.#formId = newFormId();
    const own: Readonly<Record<string, string>> = { csrf_token: csrfToken, form_id: this.#formId };
    const fields = form.fields.map(([name, value]): [string, string] => [name, own[name] ?? value]);
    return { method, path: form.action, headers, body: { form: fields } };
  }

  #pageQuery(): [string, string][] {
    const { chance, hostile } = this.#with;
    const names = [
      "q",
      "after",
      "before",
      "search",
      "person",
      "client",
      "id",
      "issuer",
      "done",
      "state",
      "purpose",
      "to",
      "page",
      "from",
      "type",
      "app",
      "cursor",
      "limit",
      "sort",
      "event",
      "actor",
    ];
    return chance.happens(0.5) ? [] : [[chance.pick(names), this.#with.parameter("any", chance.pick(hostile))]];
  }

  #mcp(): Call {
    const { bearer, chance } = this.#with;
    const revision = chance.pick([MODERN, ...NEGOTIATED]);
    const tool = chance.pick([
      ["search", { query: this.#query() }],
      [
        "search_documents",
        { query: this.#query(), datasources: [this.#name()], limit: chance.pick([1, 100, -1, "x"]) },
      ],
      ["fetch", { id: `wiki:d${chance.between(0, 50)}` }],
      ["chat", { message: this.#query() }],
      ["whoami", {}],
      [this.#name(), { [this.#name()]: this.#name() }],
    ] as const);
    const method = chance.pick([
      "tools/call",
      "tools/call",
      "tools/list",
      "initialize",
      "ping",
      "server/discover",
      "nothing",
    ]);
    const params = method === "tools/call" ? { name: tool[0], arguments: tool[1] } : { protocolVersion: revision };
    const { body, headers } = rpcRequest(revision, method, params);
    const readable = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^ -~]/g, "?")]),
    );
    return {
      method: "POST",
      body: { json: body },
      headers: { Accept: "application/json, text/event-stream", ...readable, ...bearer("/mcp") },
    };
  }

  #body(call: string): Record<string, unknown> {
    const { chance } = this.#with;
    const datasource = chance.pick(["wiki", "wiki", "Wiki", "drive", this.#name()]);
    const page = {
      uploadId: chance.pick(["u1", "u2", this.#name()]),
      datasource,
      isFirstPage: chance.happens(0.5),
      isLastPage: chance.happens(0.4),
      forceRestartUpload: chance.happens(0.2),
    };
    const member = () => (chance.happens(0.5) ? { memberUserId: this.#name() } : { memberGroupName: this.#name() });
    const user = () => ({
      userId: this.#name(),
      email: this.#email(),
      name: this.#name(),
      isActive: chance.happens(0.9),
    });
    switch (call) {
      case "search":
        return { query: this.#query(), pageSize: chance.between(0, 120), requestOptions: this.#options() };
      case "chat":
        return { messages: [{ author: "USER", fragments: [{ text: this.#query() }] }], stream: chance.happens(0.3) };
      case "getdocuments":
        return {
          documentSpecs: this.#list(() =>
            chance.pick([{ id: `wiki:d${chance.between(0, 50)}` }, { url: this.#name() }]),
          ),
          includeFields: ["DOCUMENT_CONTENT", "CUSTOM_METADATA"],
        };
      case "indexdocument":
        return { document: this.document() };
      case "indexdocuments":
        return { documents: this.#list(() => this.document()) };
      case "bulkindexdocuments":
        return { ...page, documents: this.#list(() => this.document()) };
      case "bulkindexusers":
        return { ...page, users: this.#list(user) };
      case "bulkindexgroups":
        return { ...page, groups: this.#list(() => ({ name: this.#name() })) };
      case "bulkindexmemberships":
        return { ...page, group: this.#name(), memberships: this.#list(member) };
      case "indexuser":
        return { datasource, user: user() };
      case "deleteuser":
        return { datasource, ...chance.pick([{ userId: this.#name() }, { email: this.#email() }]) };
      case "indexgroup":
        return { datasource, group: { name: this.#name() } };
      case "deletegroup":
        return { datasource, groupName: this.#name() };
      case "indexmembership":
      case "deletemembership":
        return { datasource, membership: { groupName: this.#name(), ...member() } };
      case "updatepermissions":
        return { datasource, id: `d${chance.between(0, 50)}`, permissions: this.#permissions() };
      case "checkdocumentaccess":
        return { datasource, docId: `d${chance.between(0, 50)}`, userEmail: this.#email() };
      default:
        return { datasource, id: `d${chance.between(0, 50)}`, docId: `d${chance.between(0, 50)}` };
    }
  }

  /** Drafts a document with odd words, groups and intersections. */
  document(): Record<string, unknown> {
    const { chance, hostile } = this.#with;
    return {
      id: chance.happens(0.9) ? `d${chance.between(0, 50)}` : this.#name(),
      datasource: chance.pick(["wiki", "wiki", "drive"]),
      objectType: chance.pick(["Document", "Page", this.#name()]),
      title: chance.pick([...WORDS, ...hostile]).slice(0, 900),
      viewURL: chance.pick(["https://wiki.example/a", "https://wiki.example/a b", ...hostile]),
      body: {
        mimeType: chance.pick(["text/plain", "text/html", "x"]),
        textContent: this.#list(() => chance.pick([...WORDS, ...hostile])).join(" "),
      },
      author: chance.pick([undefined, { email: this.#email(), name: this.#name() }]),
      updatedAt: chance.pick([undefined, 0, Math.floor(Date.now() / 1000) + DAY, -1, 1.5]),
      tags: this.#list(() => this.#name()),
      permissions: this.#permissions(),
    };
  }

  #permissions(): unknown {
    const { chance } = this.#with;
    return chance.pick<unknown>([
      undefined,
      { allowAnonymousAccess: true },
      { allowAllDatasourceUsersAccess: true },
      { allowedUsers: this.#list(() => ({ email: this.#email() })) },
      { allowedGroups: this.#list(() => this.#name()) },
      { allowedGroupIntersections: this.#list(() => ({ requiredGroups: this.#list(() => this.#name()) })) },
    ]);
  }

  #options(): unknown {
    const { chance } = this.#with;
    const relationType = chance.pick(["EQUALS", "NOT_EQUALS", "GT", "LT", "x"]);
    return chance.pick<unknown>([
      undefined,
      { datasourcesFilter: this.#list(() => this.#name()) },
      { facetBucketSize: chance.between(-1, 200), responseHints: ["FACET_RESULTS", "RESULTS"] },
      {
        facetFilters: this.#list(() => ({
          fieldName: chance.pick(["type", "app", "author", "last_updated_at", "dealstage", this.#name()]),
          values: [{ value: chance.pick(["2024-01-01", "past_week", this.#name()]), relationType }],
        })),
      },
    ]);
  }

  #schema(): Record<string, unknown> {
    const { chance } = this.#with;
    const propertyType = chance.pick(["TEXT", "PICKLIST", "TEXTLIST", "MULTIPICKLIST", "DATE"]);
    return {
      metadataKeys: this.#list(() => ({
        name: chance.pick(["stage", "owner", this.#name()]),
        propertyType,
        skipIndexing: chance.happens(0.2),
      })),
    };
  }

  #value(): Record<string, unknown> {
    const { chance } = this.#with;
    return {
      name: chance.pick(["stage", "owner"]),
      value: chance.pick<unknown>([this.#name(), [this.#name()], 1, null]),
    };
  }

  #query(): string {
    const { chance, hostile } = this.#with;
    const operators = [
      "app:wiki",
      "from:ann",
      'type:"',
      "-token",
      '"plan token"',
      "dealstage:x",
      "updated:past_week",
      "after:2024-02-30",
      "before:9999-12-31",
      '""',
      '"',
      "-",
      "tok*",
      "planing",
      "日本語の文書",
      "İSTANBUL",
      "cafe\u0301",
      "👩‍👩‍👧‍👦",
      "أحمد",
      "1.500,00",
      "snake_caseAndCamel",
    ];
    return this.#list(() => chance.pick([...WORDS, ...operators, ...hostile])).join(" ");
  }

  #email(): string {
    return this.#with.chance.pick(["ben@acme.example", "Ada@ACME.example", "x@y", `${this.#name()}@acme.example`]);
  }

  #name(): string {
    return this.#with.chance.pick([...NAMES, ...this.#with.hostile]);
  }

  #list<Item>(make: () => Item): Item[] {
    return Array.from({ length: this.#with.chance.pick([0, 1, 1, 2, 3, 8]) }, make);
  }
}

/** Fills in the path of a call of the Admin API, and copies its body, which the fuzz changes. */
function sampleCall(path: string, { path: given = [], body }: Sample): Pick<Call, "path" | "body"> {
  const parts = [...given];
  const filled = path.replaceAll(/:\w+/g, () => encodeURIComponent(parts.shift() ?? ""));
  if (body === undefined) return { path: filled };
  return body instanceof Uint8Array
    ? { path: filled, body: { bytes: body } }
    : { path: filled, body: { json: structuredClone(body) as Record<string, unknown> } };
}

/** Returns the forms of our own pages, which are found by following links as a person who may open everything. */
export async function formsOf(person: ConsoleBrowser): Promise<FoundForm[]> {
  const forms: FoundForm[] = [];
  const seen = new Set<string>();
  const open = ["/account", "/admin"];
  for (let path = open.shift(); path !== undefined && seen.size < 120; path = open.shift()) {
    const kind = path.replaceAll(/[A-Za-z0-9_-]{16,}|\?.*$/g, "…");
    if (seen.has(kind)) continue;
    seen.add(kind);
    const response = await person.get(path);
    if (response.status !== 200 || !/html/.test(response.headers.get("Content-Type") ?? "")) continue;
    const html = await response.text();
    for (const [, href = ""] of html.matchAll(/href="(\/(?:admin|account)[^"#]*)"/g)) open.push(plainText(href));
    for (const [, head = "", inner = ""] of html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
      if (!/method="post"/i.test(head)) continue;
      const action = /\baction="([^"]*)"/.exec(head)?.[1] ?? path;
      forms.push({ action: plainText(action), fields: fieldsOf(inner) });
    }
  }
  return forms;
}

function fieldsOf(form: string): [string, string][] {
  const fields: [string, string][] = [];
  for (const [tag] of form.matchAll(/<(?:input|button|select|textarea)\b[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(tag)?.[1];
    if (name === undefined || (/type="(checkbox|radio)"/.test(tag) && !/\schecked\b/.test(tag))) continue;
    fields.push([plainText(name), plainText(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? "")]);
  }
  return fields;
}

function plainText(html: string): string {
  return html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
