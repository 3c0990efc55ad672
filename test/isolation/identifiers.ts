import { Keyring } from "#crypto/keyring.ts";
import { randomId, randomSecret } from "#crypto/secrets.ts";
import { makeRefreshToken } from "#grants/refresh-token.ts";
import { makeServiceToken } from "#service-tokens/service-token.ts";
import { servicesOf } from "#services.ts";
import { AppClient, REDIRECT_URI, register, type TokenAnswer } from "../support/app-client.ts";
import { callAdmin } from "../support/admin-calls.ts";
import { ConsoleBrowser, originOf } from "../support/console-browser.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { env } from "../support/isolate.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { knownPerson } from "../support/people.ts";
import { draft, searchAnswer } from "../support/pipeline.ts";
import { DirectoryClient } from "../support/scim.ts";
import { issueAdminToken, issueToken } from "../support/service-tokens.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { addSso, issueClientApiToken, issueIndexingToken, makeStaticClient, send, travel } from "../support/world.ts";
import { vi } from "vitest";
import type { Side } from "./sides.ts";

/** A kind of identifier or credential in requests: one value, or several that belong together. */
export interface Identifier {
  /** The tables that the values lead to. */
  readonly tables: readonly string[];
  /** Makes a new one at an instance. */
  readonly make: (side: Side) => Promise<readonly string[]>;
  /** Makes one of the same form that never existed. */
  readonly invent: (genuine: readonly string[]) => readonly string[] | Promise<readonly string[]>;
}

/** Maximum age of a sign-in, in seconds, for decisions that need a recent one. */
const STEPPED_UP_SECONDS = 600;

let made = 0;

/** Returns a name that nothing has had yet. */
function newName(prefix: string): string {
  made += 1;
  return `${prefix}${made}`;
}

/** First page of a bulk upload of each kind. */
const FIRST_PAGES = {
  bulkindexdocuments: { documents: [] },
  bulkindexusers: { users: [] },
  bulkindexgroups: { groups: [] },
  bulkindexmemberships: { group: "all", memberships: [] },
};

/** Adds a user of the directory, and returns its id. */
function provisioned({ directory }: Side): Promise<string> {
  return directory.addUser(`${newName("provisioned")}@acme.example`);
}

const anId = () => [randomId()];
const aSecret = () => [randomSecret()];

/** Returns a token in the form of an access token, of an instance that never existed. */
function tokenOfNobody([token = ""]: readonly string[]): string[] {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
  const text = JSON.stringify({ ...claims, iss: "http://nowhere.localhost", aud: "http://nowhere.localhost" });
  return [`${header}.${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}.${signature}`];
}

export const IDENTIFIERS = {
  "registered client": {
    tables: ["clients"],
    // A decision about an app holds for the next install, so each has a name of its own.
    make: async ({ origin }) => [(await AppClient.registered({ client_name: randomId() }, origin)).clientId],
    invent: anId,
  },
  "made client": {
    tables: ["clients"],
    make: async ({ instance }) => [(await makeStaticClient(instance, { redirectUris: [REDIRECT_URI] })).client.id],
    invent: anId,
  },
  "service account": {
    tables: ["service_accounts", "clients", "people"],
    make: async ({ instance }) => [(await makeKeyedAccount(instance)).account.id],
    invent: anId,
  },
  "ruled app": {
    tables: ["clients", "app_rules"],
    make: async ({ instance }) => {
      const { id } = (await makeStaticClient(instance, { redirectUris: [REDIRECT_URI] })).client;
      const rules = [{ group: "engineering", scopes: ["CHAT" as const] }];
      await servicesOf(env).administrationOf(instance, "test").appRules.replace(id, rules);
      return [id];
    },
    invent: anId,
  },
  "confidential client": {
    tables: ["clients"],
    make: async ({ instance }) => {
      const order = { redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: "client_secret_post" as const };
      const { client, secret = "" } = await makeStaticClient(instance, order);
      return [client.id, secret];
    },
    invent: () => [randomId(), randomSecret()],
  },
  "client with a key": {
    tables: ["clients", "spent_ids"],
    make: async ({ origin }) => {
      const key = await ClientKey.make();
      const metadata = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key.publicJwk] } };
      const { clientId } = await AppClient.registered(metadata, origin);
      return [clientId, await key.assertion(clientId)];
    },
    invent: async () => {
      const clientId = randomId();
      return [clientId, await (await ClientKey.make()).assertion(clientId)];
    },
  },
  registration: {
    tables: ["clients"],
    make: async ({ origin }) => {
      const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" }, origin);
      const answer = await response.json<{ client_id: string; registration_access_token: string }>();
      return [answer.client_id, answer.registration_access_token];
    },
    invent: () => [randomId(), randomSecret()],
  },
  "authorization code": {
    tables: ["grants"],
    make: async ({ app, grants }) => {
      const { code, verifier } = await grants.grant(app);
      return [code, verifier];
    },
    invent: ([, verifier = ""]) => [randomSecret(), verifier],
  },
  "code with its client": {
    tables: ["grants", "clients"],
    make: async ({ app, grants }) => {
      const { code, verifier } = await grants.grant(app);
      return [code, verifier, app.clientId];
    },
    invent: ([, verifier = ""]) => [randomSecret(), verifier, randomId()],
  },
  "refresh token": {
    tables: ["grants"],
    make: async (side) => [(await tokensOf(side)).refresh_token ?? ""],
    invent: async () => [await refreshTokenOfNobody()],
  },
  "refresh token with its client": {
    tables: ["grants", "clients"],
    make: async (side) => [(await tokensOf(side)).refresh_token ?? "", side.app.clientId],
    invent: async () => [await refreshTokenOfNobody(), randomId()],
  },
  "access token": {
    tables: ["grants", "signing_keys"],
    make: async (side) => [(await tokensOf(side)).access_token],
    invent: tokenOfNobody,
  },
  "external token": {
    tables: ["external_issuers", "linked_accounts"],
    make: async ({ instance }) => {
      const issuer = await TestIssuer.publishing("rsa");
      await issuer.register(instance);
      return [await issuer.token()];
    },
    invent: async () => [await (await TestIssuer.publishing("rsa")).token()],
  },
  "Client API token": {
    tables: ["service_tokens", "service_token_secrets"],
    make: async ({ instance }) => [await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "CHAT")],
    invent: async () => [await makeServiceToken("client-api")],
  },
  "access token of a confidential client": {
    tables: ["grants", "signing_keys"],
    make: async (side) => [(await tokensOf(side, side.confidential)).access_token],
    invent: tokenOfNobody,
  },
  "refresh token of a confidential client": {
    tables: ["grants"],
    make: async (side) => [(await tokensOf(side, side.confidential)).refresh_token ?? ""],
    invent: async () => [await refreshTokenOfNobody()],
  },
  "documents token": {
    tables: ["service_tokens", "service_token_secrets"],
    make: async ({ instance }) => [await issueIndexingToken(instance, "documents:global_scope")],
    invent: async () => [await makeServiceToken("indexing")],
  },
  "metadata token": {
    tables: ["service_tokens", "service_token_secrets"],
    make: async ({ instance }) => [await issueIndexingToken(instance, "custommetadata:global_scope")],
    invent: async () => [await makeServiceToken("indexing")],
  },
  "admin token": {
    tables: ["service_tokens", "service_token_secrets"],
    make: async ({ instance }) => [await issueAdminToken(instance)],
    invent: async () => [await makeServiceToken("admin")],
  },
  "SCIM token": {
    tables: ["service_tokens", "service_token_secrets"],
    make: async ({ instance }) => [(await DirectoryClient.of(instance)).token],
    invent: async () => [await makeServiceToken("scim")],
  },
  "directory user": {
    tables: ["directory_users"],
    make: async (side) => [await provisioned(side)],
    invent: anId,
  },
  "directory group": {
    tables: ["directory_groups", "directory_members"],
    make: async (side) => [await side.directory.addGroup(newName("group"), await provisioned(side))],
    invent: anId,
  },
  "command token": {
    tables: [],
    make: async ({ instance }) => {
      const { commandTokens } = servicesOf(env);
      const paths = ["stats", "export", "import"].map((word) => `/internal/documents/${word}`);
      return Promise.all(paths.map((path) => commandTokens.make(instance.name, originOf(instance), path)));
    },
    invent: (tokens) => tokens.map((token) => `${token.split(".")[0]}.${randomSecret()}`),
  },
  session: {
    tables: ["sessions"],
    make: async ({ instance }) => {
      const browser = await ConsoleBrowser.signedIn(instance);
      return [browser.session ?? "", await browser.csrfToken()];
    },
    invent: () => [`gatehouse-session=${randomSecret()}`, randomSecret()],
  },
  "CSRF token": {
    tables: [],
    make: async ({ administrator }) => [await administrator.csrfToken()],
    invent: aSecret,
  },
  "sign-in form": {
    tables: [],
    make: async ({ origin }) => {
      const browser = new ConsoleBrowser(origin);
      const html = await browser.read("/sign-in?to=/account");
      const [, token = ""] = /name="csrf_token" value="([^"]+)"/.exec(html) ?? [];
      return [cookiesOf(browser), token];
    },
    // The browser keeps its own cookie. The token proves that this instance gave the form to this browser.
    invent: ([cookie = ""]) => [cookie, randomSecret()],
  },
  "state of an app": {
    tables: ["authorization_requests"],
    make: async ({ app, grants }) => {
      const { state, browser } = await grants.awaitSignIn(app);
      return [state, `gatehouse-browser=${browser}`];
    },
    invent: ([, browser = ""]) => [randomSecret(), browser],
  },
  "state of a session": {
    tables: ["session_sign_ins"],
    make: async ({ origin }) => {
      const browser = new ConsoleBrowser(origin);
      const location = (await browser.beginSignIn("/account")).headers.get("Location") ?? "";
      const back = await signInAtSso(new URL(location), "ada");
      return [back.searchParams.get("state") ?? "", cookiesOf(browser), back.searchParams.get("code") ?? ""];
    },
    invent: ([, cookies = "", code = ""]) => [`session.${randomSecret()}`, cookies, code],
  },
  "state of a step-up": {
    tables: ["session_sign_ins", "sessions"],
    make: async (side) => {
      const person = await ConsoleBrowser.signIn("ada", side.origin);
      const form = { csrf_token: await person.csrfToken() };
      travel(STEPPED_UP_SECONDS + 1);
      const asked = await person.postRaw("/admin/settings/end-grants", form);
      vi.useRealTimers();
      const [, link = ""] = /<a class="button primary" href="([^"]+)"/.exec(await asked.text()) ?? [];
      const back = await signInAtSso(new URL(link.replaceAll("&amp;", "&")), "ada");
      return [back.searchParams.get("state") ?? "", cookiesOf(person), back.searchParams.get("code") ?? ""];
    },
    invent: ([, cookies = "", code = ""]) => [`session.${randomSecret()}`, cookies, code],
  },
  "step of a connection": {
    tables: ["connection_steps"],
    make: async ({ app, origin }) => {
      const refused = await send(
        `${origin}/oauth/authorize?client_id=${app.clientId}&redirect_uri=https://none.example`,
      );
      return [refused.headers.get("X-Request-Id") ?? ""];
    },
    invent: () => [crypto.randomUUID()],
  },
  "refused client": {
    tables: ["connection_steps", "clients"],
    make: async ({ origin }) => {
      const { clientId } = await AppClient.registered({}, origin);
      await send(`${origin}/oauth/authorize?client_id=${clientId}&redirect_uri=https://none.example`);
      return [clientId];
    },
    invent: anId,
  },
  "consent request": {
    tables: ["authorization_requests"],
    make: async ({ app, grants }) => {
      const { handle, browser, csrfToken } = await grants.awaitConsent(app);
      return [handle, `gatehouse-browser=${browser}`, csrfToken];
    },
    invent: async ([, cookie = ""]) => {
      const handle = randomSecret();
      const browser = cookie.replace("gatehouse-browser=", "");
      return [handle, cookie, await new Keyring(env.MASTER_KEYS).mac("consent-csrf", `${browser} ${handle}`)];
    },
  },
  person: {
    tables: ["people"],
    make: async ({ instance }) => [(await knownPerson(instance, `${newName("p")}@acme.example`)).id],
    invent: anId,
  },
  grant: {
    tables: ["grants"],
    make: async (side) => {
      const { grantId, ...granted } = await side.grants.grant(side.app);
      await side.app.redeem(granted);
      return [grantId];
    },
    invent: anId,
  },
  "person with a grant": {
    tables: ["people", "grants"],
    make: async ({ instance, grants, app }) => {
      const email = `${newName("p")}@acme.example`;
      await app.redeem(await grants.grant(app, email));
      return [(await knownPerson(instance, email)).id];
    },
    invent: anId,
  },
  "token that issued another": {
    tables: ["service_tokens", "audit"],
    make: async ({ instance, origin }) => {
      const body = { kind: "indexing", name: newName("t"), scopes: ["documents:wiki"], lifetimeSeconds: 60 };
      const response = await callAdmin(await issueAdminToken(instance), "POST", "/tokens", body, {}, origin);
      return [(await response.json<{ token: { createdBy: string } }>()).token.createdBy];
    },
    invent: anId,
  },
  "cursor of apps": {
    tables: ["clients"],
    make: async ({ instance, admin, origin }) => {
      await makeStaticClient(instance, { name: newName("0 before all others ") });
      const response = await callAdmin(admin, "GET", "/apps?sort=name&limit=1", undefined, {}, origin);
      return [(await response.json<{ nextCursor: string }>()).nextCursor];
    },
    // The same position in the list, with the id of an app that never existed.
    invent: ([cursor = ""]) => {
      const [order, key] = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) as string[];
      return [
        btoa(JSON.stringify([order, key, randomId()]))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replaceAll("=", ""),
      ];
    },
  },
  "client in use": {
    tables: ["clients", "grants"],
    make: async ({ grants, origin }) => {
      const app = await AppClient.registered({}, origin);
      await app.redeem(await grants.grant(app, "ada@acme.example"));
      return [app.clientId];
    },
    invent: anId,
  },
  "service token": {
    tables: ["service_tokens"],
    make: async ({ instance }) => [(await issueToken(instance)).id],
    invent: anId,
  },
  issuer: {
    tables: ["external_issuers"],
    make: async ({ instance }) => {
      const issuer = await TestIssuer.publishing("rsa");
      await issuer.register(instance);
      return [issuer.url];
    },
    invent: async () => [(await TestIssuer.publishing("rsa")).url],
  },
  transmitter: {
    tables: ["signal_transmitters"],
    make: async ({ instance }) => {
      const transmitter = { issuer: `https://${crypto.randomUUID()}.example`, name: "EDR", audience: "here" };
      await servicesOf(env).administrationOf(instance, "test").signals.put(transmitter, undefined);
      return [transmitter.issuer];
    },
    invent: async () => [`https://${crypto.randomUUID()}.example`],
  },
  "single sign-on": {
    tables: ["instances"],
    make: async ({ instance }) => {
      const { instances, administrationOf } = servicesOf(env);
      const [first, ...others] = (await instances.require(instance.name)).singleSignOns;
      for (const { issuer } of others) await administrationOf(instance, "test").singleSignOn.remove(issuer);
      const issuer = `https://${crypto.randomUUID()}.example`;
      await addSso(instance, first?.issuer ?? "", issuer);
      return [issuer];
    },
    invent: async () => [`https://${crypto.randomUUID()}.example`],
  },
  "metadata group": {
    tables: ["metadata_groups", "metadata_keys"],
    make: async ({ metadata }) => {
      const name = newName("group");
      await metadata.describe(name, [{ name: "stage", propertyType: "TEXT" }]);
      return [name];
    },
    invent: () => [newName("group")],
  },
  datasource: {
    tables: [],
    make: async ({ documents }) => {
      const name = newName("datasource");
      await documents.index(draft("only", { datasource: name }));
      return [name];
    },
    invent: () => [newName("datasource")],
  },
  document: {
    tables: [],
    make: async ({ documents }) => {
      const id = newName("d");
      await documents.index(draft(id));
      return [id];
    },
    invent: () => [newName("d")],
  },
  author: {
    tables: [],
    make: async ({ documents }) => {
      const name = newName("author");
      await documents.index(draft(newName("d"), { author: { email: `${name}@acme.example`, name } }));
      return [`${name}@acme.example`];
    },
    invent: () => [`${newName("author")}@acme.example`],
  },
  upload: {
    tables: [],
    make: async ({ documents }) => {
      const uploadId = newName("u");
      const page = { uploadId, datasource: "wiki", isFirstPage: true, forceRestartUpload: true };
      await documents.post("/rest/api/index/indexgroup", { datasource: "wiki", group: { name: "all" } });
      for (const [call, body] of Object.entries(FIRST_PAGES)) {
        const response = await documents.post(`/rest/api/index/${call}`, { ...page, ...body });
        if (response.status !== 200) throw new Error(`${call} answered ${await response.text()}`);
      }
      return [uploadId];
    },
    invent: () => [newName("u")],
  },
  "user of a datasource": {
    tables: [],
    make: async ({ documents }) => {
      const userId = newName("user");
      const user = { userId, email: `${userId}@acme.example`, name: userId };
      const response = await documents.post("/rest/api/index/indexuser", { datasource: "wiki", user });
      if (response.status !== 200) throw new Error(await response.text());
      return [userId];
    },
    invent: () => [newName("user")],
  },
  "group of a datasource": {
    tables: [],
    make: async ({ documents }) => {
      const name = newName("team");
      const response = await documents.post("/rest/api/index/indexgroup", { datasource: "wiki", group: { name } });
      if (response.status !== 200) throw new Error(await response.text());
      return [name];
    },
    invent: () => [newName("team")],
  },
  cursor: {
    tables: [],
    make: async ({ reader, origin }) => [
      (await searchAnswer(reader, { query: "both", pageSize: 1 }, origin)).cursor ?? "",
    ],
    invent: async () => [await new Keyring(env.MASTER_KEYS).seal("search-cursor:nobody", "{}")],
  },
  logo: {
    tables: ["logos"],
    make: async ({ instance }) => {
      const png = Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0));
      const bytes = new Uint8Array([...png, ...new TextEncoder().encode(newName("logo"))]);
      await servicesOf(env).administrationOf(instance, "test").logos.put(bytes);
      const row = env.DB.prepare("SELECT hash FROM logos WHERE instance_id = ?1").bind(instance.id);
      return [(await row.first<string>("hash")) ?? ""];
    },
    invent: aSecret,
  },
} satisfies Record<string, Identifier>;

/** Names of the kinds. */
export type Kind = keyof typeof IDENTIFIERS;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

async function tokensOf({ grants, ...side }: Side, app = side.app): Promise<TokenAnswer> {
  return (await app.redeem(await grants.grant(app))).json<TokenAnswer>();
}

function cookiesOf(browser: ConsoleBrowser): string {
  return [...browser.cookies].map((pair) => pair.join("=")).join("; ");
}

/** Returns a refresh token that this service could have made, of a grant that never existed. */
function refreshTokenOfNobody(): Promise<string> {
  return makeRefreshToken(new Keyring(env.MASTER_KEYS), { grantId: randomId(), generation: 0 });
}
