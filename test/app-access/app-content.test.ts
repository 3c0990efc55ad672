import { issuersApp, SELF_REGISTERED } from "#app-access/app-rules.ts";
import {
  contentLines,
  describeContent,
  PERSONAL_TOKENS,
  readContentLines,
  requireContent,
} from "#app-access/app-content.ts";
import type { ContentCondition } from "#documents/engine.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, postForm, REDIRECT_URI } from "../support/app-client.ts";
import { callAdmin, commandToken } from "../support/admin-calls.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { DocumentHost } from "../support/document-host.ts";
import { env } from "../support/isolate.ts";
import { callTool } from "../support/mcp.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { ANNOUNCED, CLIENT_ID, TestIssuer } from "../support/test-issuer.ts";
import { issueClientApiToken, makeInstance, requireClient, send, travel } from "../support/world.ts";

const SCOPES = ["SEARCH", "CHAT", "DOCUMENTS"] as const;
const EMAILS = { ada: "ada@acme.example", ben: "ben@acme.example" } as const;
type Who = keyof typeof EMAILS;

/** A person's call of the APIs with some app. */
interface Caller {
  readonly token: string;
  readonly headers?: Record<string, string>;
}

/** A kind of app: the name under which its content is stored, and its callers. */
interface App {
  readonly name: string;
  readonly as: (who: Who) => Promise<Caller>;
}

let instance: InstanceRecord;
let issuer: TestIssuer;
const apps = new Map<string, App>();

/** Everybody may see the salaries, which the wiki's apps may not search. Each person has a page of their own in both. */
const SALARY_WORD = "quokkas";
beforeAll(async () => {
  instance = await makeInstance("acme", { dynamicScopes: SCOPES, registration: "open" });
  const pipeline = await Pipeline.of(instance);
  const page = (id: string, words: string, more = {}) =>
    draft(id, {
      title: `Plan ${id}`,
      body: { mimeType: "text/plain", textContent: `The plan says ${words}.` },
      ...more,
    });
  const of = (who: Who) => ({ permissions: { allowedUsers: [{ email: EMAILS[who] }] } });
  await pipeline.index(
    page("open", "wombats"),
    page("salary", SALARY_WORD, { datasource: "hr", viewURL: "https://hr.acme.example/salary" }),
    page("ada-wiki", "numbats", of("ada")),
    page("ben-wiki", "numbats", of("ben")),
    page("ada-hr", SALARY_WORD, { datasource: "hr", viewURL: "https://hr.acme.example/ada", ...of("ada") }),
    page("ben-hr", SALARY_WORD, { datasource: "hr", viewURL: "https://hr.acme.example/ben", ...of("ben") }),
  );
  issuer = await TestIssuer.publishing("rsa");
  await issuer.register(instance, { scopes: [...SCOPES] });
  await makeApps();
}, 60_000);
afterAll(() => vi.useRealTimers());

async function makeApps() {
  const scope = SCOPES.join(" ");
  const tokensOf = (app: AppClient) => async (who: Who) => ({ token: (await app.tokens(who, { scope })).access_token });
  const [made, registered] = [
    await AppClient.madeByAdministrator(instance, { scopes: [...SCOPES] }),
    await AppClient.registered({ scope }),
  ];
  const url = "https://app.example/client.json";
  const described = tokensOf(AppClient.of(url, "https://app.example/cb"));
  const { account, key } = await makeKeyedAccount(instance, { name: "nightly", scopes: [...SCOPES] });
  apps.set("an administrator's app", { name: made.clientId, as: tokensOf(made) });
  apps.set("an app that registered itself", {
    name: (await requireClient(instance, registered.clientId)).app,
    as: tokensOf(registered),
  });
  apps.set("an app with a metadata document", {
    name: url,
    as: (who) => {
      new DocumentHost().publish(url, {
        client_id: url,
        client_name: "Doc",
        redirect_uris: ["https://app.example/cb"],
      });
      return described(who);
    },
  });
  apps.set("an app of an identity provider", {
    name: issuersApp(issuer.url, CLIENT_ID),
    as: async (who) => ({ token: await issuer.token({ email: EMAILS[who] }), headers: ANNOUNCED }),
  });
  apps.set("a token that an administrator created", {
    name: PERSONAL_TOKENS,
    as: async (who) => ({ token: await issueClientApiToken(instance, EMAILS[who], ...SCOPES) }),
  });
  apps.set("a service account", {
    name: account.id,
    as: async () => {
      const form = { grant_type: "client_credentials", scope, ...(await key.authenticates(account.id)) };
      return { token: (await expectTokens(await postForm("/oauth/token", form))).access_token };
    },
  });
}

/** Sets what an app may search, as administrators do, which this isolate sees at once. */
async function limit(app: string, content: readonly ContentCondition[]): Promise<void> {
  const machine = app === PERSONAL_TOKENS || app === apps.get("a service account")?.name;
  const { appRules } = servicesOf(env).administrationOf(instance, "test");
  if (machine) await appRules.limitMachine(app, content);
  else await appRules.limit(app, content);
}

const WIKI: readonly ContentCondition[] = [{ field: "datasource", values: ["wiki"], isExcluded: false }];
const NOT_HR: readonly ContentCondition[] = [{ field: "datasource", values: ["hr"], isExcluded: true }];

async function post(path: string, { token, headers = {} }: Caller, body: object): Promise<string> {
  const all = { "Content-Type": "application/json", Authorization: `Bearer ${token}`, ...headers };
  const response = await send(path, { method: "POST", headers: all, body: JSON.stringify(body) });
  return response.text();
}

const search = (caller: Caller, body: object) => post("/rest/api/v1/search", caller, body);
/** Reads a document. The response repeats what was asked, found or not. */
async function fetchBy(caller: Caller, spec: Readonly<Record<string, string>>): Promise<string> {
  const asked = { documentSpecs: [spec], includeFields: ["DOCUMENT_CONTENT"] };
  const text = await post("/rest/api/v1/getdocuments", caller, asked);
  return Object.values(spec).reduce((rest, value) => rest.replace(value, ""), text);
}

/** Every way to read documents. Each shows something of the salaries to a person whose app may search them. */
const PATHS: Readonly<Record<string, (caller: Caller, mine: string) => Promise<string>>> = {
  "results and excerpts": (caller) => search(caller, { query: SALARY_WORD }),
  "further pages": (caller) => allPages(caller),
  facets: (caller) => search(caller, { query: "plan", requestOptions: { facetBucketSize: 10 } }),
  completions: (caller) => search(caller, { query: SALARY_WORD.slice(0, 5) }),
  corrections: (caller) => search(caller, { query: "quokkass" }),
  "filters by datasource": (caller) => search(caller, { query: "datasource:hr plan" }),
  "a document by id": (caller, mine) => fetchBy(caller, { id: mine }),
  "a document by URL": (caller) => fetchBy(caller, { url: "https://hr.acme.example/salary" }),
  chat: (caller) => post("/rest/api/v1/chat", caller, { messages: [{ fragments: [{ text: "Who says quokkas?" }] }] }),
};

const TOOLS: Readonly<Record<string, (token: string, mine: string) => Promise<unknown>>> = {
  "the tool search": (token) => callTool(token, "search", { query: SALARY_WORD }),
  "the tool search_documents": (token) => callTool(token, "search_documents", { query: SALARY_WORD }),
  "the tool fetch, by id": (token, mine) => callTool(token, "fetch", { id: mine }),
  "the tool fetch, by URL": (token) => callTool(token, "fetch", { id: "https://hr.acme.example/salary" }),
  "the tool chat": (token) => callTool(token, "chat", { question: "Who says quokkas?" }),
};

async function allPages(caller: Caller): Promise<string> {
  let text = "";
  for (let cursor: string | undefined, page = 0; page < 9; page++) {
    const one = await search(caller, { query: "plan", pageSize: 1, ...(cursor === undefined ? {} : { cursor }) });
    text += one;
    cursor = (JSON.parse(one) as { cursor?: string }).cursor;
    if (cursor === undefined) break;
  }
  return text;
}

/** Returns what the access check says about Ada and a salary through an app: may she see it, and is it the app that may not? */
async function checked(app?: string): Promise<unknown> {
  const body = { email: EMAILS.ada, document: "hr:ada-hr", ...(app === undefined ? {} : { app }) };
  const path = "/access-explanations";
  const answer = await callAdmin(await commandToken(path), "POST", path, body);
  if (answer.status !== 200) return answer.status;
  const { isAllowed, isWithheld } = await answer.json<{ isAllowed: boolean; isWithheld: boolean }>();
  return { isAllowed, isWithheld };
}
const SEEN = { isAllowed: true, isWithheld: false };
const WITHHELD = { isAllowed: false, isWithheld: true };

/** What only the salaries contain. A response repeats its query. */
const ofSalaries = (text: string) => /hr:|hr\.acme|"hr"|says quokkas\./.test(text.replaceAll("datasource:hr", ""));

/** Returns the paths on which a caller learns something of the salaries. */
async function leaksTo(app: App, who: Who): Promise<string[]> {
  const caller = await app.as(who);
  const mine = app.name === apps.get("a service account")?.name ? "hr:salary" : `hr:${who}-hr`;
  const answers: [string, string][] = [];
  for (const [path, read] of Object.entries(PATHS)) answers.push([path, await read(caller, mine)]);
  // Tools are called with own tokens alone.
  if (!caller.headers) {
    for (const [path, read] of Object.entries(TOOLS)) {
      answers.push([path, JSON.stringify(await read(caller.token, mine)).replaceAll("\\", "")]);
    }
  }
  return answers.filter(([, text]) => ofSalaries(text)).map(([path]) => path);
}

const KINDS = [
  "an administrator's app",
  "an app that registered itself",
  "an app with a metadata document",
  "an app of an identity provider",
  "a token that an administrator created",
  "a service account",
] as const;

it.each(KINDS.map((kind, at) => ({ kind, who: at % 2 === 0 ? "ada" : "ben" }) as const))(
  "what $kind may search hides everything else from $who on every path, and nothing without conditions",
  async ({ kind, who }) => {
    const app = apps.get(kind) as App;
    const all = [...Object.keys(PATHS), ...(kind.includes("provider") ? [] : Object.keys(TOOLS))];
    expect(await leaksTo(app, who)).toEqual(all);
    // Which kind of app is limited how doesn't matter to the search.
    await limit(app.name, KINDS.indexOf(kind) % 2 === 0 ? WIKI : NOT_HR);
    expect(await leaksTo(app, who)).toEqual([]);
    expect(await search(await app.as(who), { query: "plan" })).toContain("wiki:open");
    await limit(app.name, []);
  },
);

describe("a condition on a field that does not exist", () => {
  it("is saved with a warning that names the known fields, until the field exists", async () => {
    const path = `/app-rules/${apps.get(KINDS[0])?.name ?? ""}/content`;
    const save = async (field: string) => {
      const body = { content: [{ field, values: ["open"] }] };
      const answer = await callAdmin(await commandToken(path), "PUT", path, body);
      return (await answer.json<{ warnings: string[] }>()).warnings;
    };
    const [warning] = await save("dealstatus");
    expect(warning).toContain("no field dealstatus");
    expect(warning).toContain("Known fields: datasource, type, from");
    const group = "/metadata-groups/deal";
    const metadataKeys = [{ name: "status", propertyType: "PICKLIST" }];
    await callAdmin(await commandToken(group), "PUT", group, { metadataKeys });
    expect((await save("dealstatuss"))[0]).toContain("from, dealstatus");
    for (const known of ["dealStatus", "Datasource", "type", "from"]) expect(await save(known)).toEqual([]);
    await limit(apps.get(KINDS[0])?.name ?? "", []);
  });
});

describe("the access check", () => {
  it.each(KINDS)("says that %s may not search a document that the person may see", async (kind) => {
    const { name } = apps.get(kind) as App;
    expect(await checked(name)).toEqual(SEEN);
    await limit(name, WIKI);
    expect(await checked(name)).toEqual(WITHHELD);
    expect(await checked()).toEqual(SEEN);
    await limit(name, []);
  });

  it("counts what all apps that no administrator created may search, and knows no app that does not exist", async () => {
    await limit(SELF_REGISTERED, WIKI);
    expect(await checked(apps.get(KINDS[1])?.name)).toEqual(WITHHELD);
    expect(await checked(SELF_REGISTERED)).toEqual(WITHHELD);
    expect(await checked(apps.get(KINDS[0])?.name)).toEqual(SEEN);
    await limit(SELF_REGISTERED, []);
    expect(await checked("typo")).toBe(404);
    expect(await checked(issuersApp(issuer.url, "typo"))).toBe(404);
  });
});

describe("content", () => {
  it("is that of the app alone: the same person finds more with another app and on our own pages", async () => {
    const [made, registered] = [apps.get(KINDS[0]) as App, apps.get(KINDS[1]) as App];
    await limit(made.name, WIKI);
    expect(await leaksTo(made, "ada")).toEqual([]);
    expect(await leaksTo(registered, "ada")).not.toEqual([]);
    const browser = await ConsoleBrowser.signIn("ada");
    expect(await browser.read(`/search?q=${SALARY_WORD}`)).toContain("hr.acme.example");
    expect(await browser.read("/documents/hr/ada-hr")).toContain(SALARY_WORD);
    await limit(made.name, []);
  });

  it("isn't reached by the cursor of another app, whose position counts what that app may search", async () => {
    const [made, registered] = [apps.get(KINDS[0]) as App, apps.get(KINDS[1]) as App];
    const first = await search(await registered.as("ada"), { query: "plan", pageSize: 1 });
    const { cursor } = JSON.parse(first) as { cursor: string };
    const next = async (app: App) => search(await app.as("ada"), { query: "plan", pageSize: 1, cursor });
    expect(await next(registered)).toContain('"results":[{');
    expect(await next(made)).toContain('"message":"cursor');
  });

  it("of all apps that no administrator created applies to those without content of their own", async () => {
    const registered = apps.get(KINDS[1]) as App;
    await limit(SELF_REGISTERED, WIKI);
    expect(await leaksTo(registered, "ben")).toEqual([]);
    expect(await leaksTo(apps.get(KINDS[0]) as App, "ben")).not.toEqual([]);
    await limit(registered.name, [{ field: "datasource", values: ["hr"], isExcluded: false }]);
    expect(await leaksTo(registered, "ben")).not.toEqual([]);
    await limit(registered.name, []);
    await limit(SELF_REGISTERED, []);
  });

  it("applies to tokens that another isolate knows within ten seconds", async () => {
    const { name, as } = apps.get(KINDS[0]) as App;
    const { token } = await as("ben");
    const isolate = new ObservedIsolate();
    const finds = async () =>
      (await (await isolate.search(token, { query: SALARY_WORD })).text()).includes("hr:salary");
    expect(await finds()).toBe(true);
    await limit(name, WIKI);
    travel(10);
    expect(await finds()).toBe(false);
    await limit(name, []);
    travel(10);
    expect(await finds()).toBe(true);
  });

  it("is shown to the person at consent and among their connected apps, and nothing is without conditions", async () => {
    const { name, as } = apps.get(KINDS[1]) as App;
    await as("ben");
    const words = "acme limits what it may search: only datasource wiki.";
    const { id } = await requireClient(instance, name);
    const app = AppClient.of(id, REDIRECT_URI);
    for (const content of [[], WIKI]) {
      await limit(name, content);
      const page = await app
        .browser(signedInDirectly("ben", send))
        .visit(app.authorizeUrl(CHALLENGE, { scope: "SEARCH" }));
      const account = await (await ConsoleBrowser.signIn("ben")).read("/account");
      const shown = ["html" in page ? page.html : "", account].map((html) => html.includes(words));
      expect(shown).toEqual([content.length > 0, content.length > 0]);
    }
    await limit(name, []);
  });

  it("of a machine is decided by other acts than an app's: neither reaches what the other decides", async () => {
    const { appRules } = servicesOf(env).administrationOf(instance, "test");
    const machines = [(apps.get("a service account") as App).name, PERSONAL_TOKENS];
    const made = (apps.get(KINDS[0]) as App).name;
    for (const stored of [false, true]) {
      if (stored) for (const app of [made, ...machines]) await limit(app, WIKI);
      for (const app of machines) {
        await expect(appRules.limit(app, NOT_HR)).rejects.toThrow();
        await expect(appRules.replace(app, [{ group: "*", scopes: ["CHAT"] }])).rejects.toThrow();
        if (stored) await expect(appRules.limit(app, [])).rejects.toThrow();
      }
      await expect(appRules.limitMachine(made, NOT_HR)).rejects.toThrow();
    }
    for (const app of [made, ...machines]) await limit(app, []);
    expect(await servicesOf(env).appRules.list(instance.id)).toEqual([]);
  });

  it("keeps the rules about who may use the app, and they keep it", async () => {
    const { administrationOf, appRules } = servicesOf(env);
    const { name } = apps.get(KINDS[0]) as App;
    const rules = [{ group: "sales", scopes: ["SEARCH"] as const }];
    await limit(name, WIKI);
    await administrationOf(instance, "test").appRules.replace(name, rules);
    expect(await appRules.find(instance.id, name)).toMatchObject({ rules, content: WIKI });
    await administrationOf(instance, "test").appRules.replace(name, []);
    expect(await appRules.find(instance.id, name)).toMatchObject({ rules: [], content: WIKI });
    await limit(name, []);
    expect(await appRules.find(instance.id, name)).toBeNull();
  });
});

describe("conditions as administrators write them", () => {
  it("are read back as they are shown, and folded as filters are", () => {
    const text = 'datasource: Wiki, handbook\nnot hrteam: "Pay, and more", Ｐay';
    const content = requireContent(readContentLines(text));
    expect(content).toEqual([
      { field: "datasource", values: ["handbook", "wiki"], isExcluded: false },
      { field: "hrteam", values: ["pay", "pay, and more"], isExcluded: true },
    ]);
    expect(requireContent(readContentLines(contentLines(content)))).toEqual(content);
    expect(describeContent(content)).toBe("only datasource: handbook, wiki; nothing with hrteam: pay, pay, and more");
  });

  it.each(["wiki", "datasource:", ": wiki", "datasource: ,", 'datasource: a"b', `type: ${"x".repeat(201)}`])(
    "are refused as %s",
    (line) => {
      expect(() => requireContent(readContentLines(line))).toThrow();
    },
  );
});
