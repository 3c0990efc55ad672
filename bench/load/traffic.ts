import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Page, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import type { LocalIssuer } from "../gate/external-issuer.ts";
import { MCP_HEADERS, roadmapDocument, searchCall } from "../workload.ts";
import type { Answer, LoadClient } from "./http.ts";
import { APPS, type AppUser, OPERATOR_ADDRESS } from "./population.ts";

/** What callers do: its percentage of the traffic, and the rows of docs/storage-operations.md that each one costs. */
export const MIX = {
  search: { share: 70, rows: ["search, warm"] },
  refresh: { share: 10, rows: ["refresh"] },
  MCP: { share: 10, rows: ["MCP: tools/call search, warm"] },
  "sign-in": {
    share: 5,
    rows: ["authorize", "callback", "consent page", "consent decision", "code exchange, public client"],
  },
  indexing: { share: 5, rows: ["index a document again, unchanged"] },
} as const;

export type Kind = keyof typeof MIX;

export const KINDS = Object.keys(MIX) as Kind[];

/** Called with each response of the Worker. */
export type Answered = (answer: Answer) => void;

const REDIRECT_URI = "https://app.example/callback";
const WORDS = ["roadmap", "team", "roadmap team", "what we do next", "plan 7", "nothing"];

/** This many documents are written again and again, so that storage doesn't grow. */
const DOCUMENTS = 200;

/** What all callers share. */
export interface Organisation {
  readonly origin: string;
  /** The client ids of its apps. */
  readonly apps: readonly string[];
  /** A pipeline's token. */
  readonly indexing: string;
  /** Returns the person who signs in next. */
  readonly nextUser: () => AppUser;
}

/** An app that somebody is signed in to until another person signs in, and a pipeline. It does one thing at a time. */
export class Caller {
  readonly #client: LoadClient;
  readonly #issuer: LocalIssuer;
  readonly #organisation: Organisation;
  #user: AppUser;
  #access = "";
  #refresh = "";

  constructor(client: LoadClient, issuer: LocalIssuer, organisation: Organisation) {
    this.#client = client;
    this.#issuer = issuer;
    this.#organisation = organisation;
    this.#user = organisation.nextUser();
  }

  /** Does one thing up to its last response. @throws if that is not what a caller expects */
  async act(kind: Kind, answered: Answered): Promise<void> {
    const query = pick(WORDS);
    const headers = { Authorization: `Bearer ${this.#access}`, ...from(this.#user.appAddress()) };
    if (kind === "sign-in") await this.#signIn(answered);
    if (kind === "search") await this.#post("/rest/api/v1/search", { query, pageSize: 10 }, headers, answered);
    if (kind === "refresh") {
      await this.#takeTokens(this.#user, { grant_type: "refresh_token", refresh_token: this.#refresh }, answered);
    }
    if (kind === "MCP") await this.#post("/mcp", searchCall(query), { ...headers, ...MCP_HEADERS }, answered);
    if (kind === "indexing") {
      const body = { document: roadmapDocument(Math.floor(Math.random() * DOCUMENTS)) };
      const pipeline = { Authorization: `Bearer ${this.#organisation.indexing}`, ...from(OPERATOR_ADDRESS) };
      await this.#post("/rest/api/index/indexdocument", body, pipeline, answered);
    }
  }

  #clientIdOf({ app }: AppUser): string {
    return this.#organisation.apps[app] ?? "";
  }

  /** Signs in the next person, who replaces the previous one. */
  async #signIn(answered: Answered): Promise<void> {
    const user = this.#organisation.nextUser();
    const { browserAddress, subject } = user;
    const verifier = randomBytes(32).toString("base64url");
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: this.#clientIdOf(user),
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH offline_access",
      state: randomUUID(),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      prompt: "consent",
    });
    const browser = new ScriptedBrowser(REDIRECT_URI, async (url, { method = "GET", headers, body }) => {
      // The identity provider signs in its people without a question.
      if (url.startsWith(this.#issuer.url)) {
        return new Response(null, { status: 302, headers: { Location: this.#issuer.signIn(new URL(url), subject) } });
      }
      const { pathname, search } = new URL(url);
      const sent = { ...(headers as Record<string, string>), ...from(browserAddress) };
      const answer = await this.#client.send(pathname + search, method, sent, body as string | undefined);
      answered(answer);
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    });
    const consent = await browser.visit(`${this.#organisation.origin}/oauth/authorize?${asked.toString()}`);
    const left =
      "leftFor" in consent ? consent : await browser.press(pageOf(consent), { name: "decision", value: "allow" });
    if (!("leftFor" in left)) throw new Error(`consent did not lead back to the app: ${left.status} ${titleOf(left)}`);
    const code = new URL(left.leftFor).searchParams.get("code");
    if (code === null) throw new Error(`the app got no code: ${left.leftFor}`);
    const form = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: REDIRECT_URI };
    await this.#takeTokens(user, form, answered);
    this.#user = user;
  }

  async #takeTokens(user: AppUser, fields: Record<string, string>, answered: Answered): Promise<void> {
    const form = new URLSearchParams({ ...fields, client_id: this.#clientIdOf(user) }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded", ...from(user.appAddress()) };
    const answer = await this.#client.send("/oauth/token", "POST", headers, form);
    answered(answer);
    if (answer.status !== 200) throw new Error(`the token endpoint answered ${answer.status}: ${answer.body}`);
    const tokens = JSON.parse(answer.body) as { access_token: string; refresh_token: string };
    this.#access = tokens.access_token;
    this.#refresh = tokens.refresh_token;
  }

  async #post(path: string, content: unknown, headers: Record<string, string>, answered: Answered): Promise<void> {
    const answer = await this.#client.postJson(path, content, headers);
    answered(answer);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  }
}

/** Registers the apps. @returns their client ids */
export async function registerApps(client: LoadClient): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < APPS) {
    const name = `App ${ids.length}`;
    const metadata = { client_name: name, redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
    const answer = await client.postJson("/oauth/register", metadata, from(OPERATOR_ADDRESS));
    if (answer.status !== 201) throw new Error(`registration answered ${answer.status}: ${answer.body}`);
    ids.push((JSON.parse(answer.body) as { client_id: string }).client_id);
  }
  return ids;
}

/** Returns an action of the mix, with the probability of its share. */
export function nextKind(): Kind {
  let place = Math.random() * 100;
  for (const kind of KINDS) if ((place -= MIX[kind].share) < 0) return kind;
  return "search";
}

function pageOf(page: Page): Page {
  if (page.status === 200) return page;
  throw new Error(`the consent page answered ${page.status}: ${titleOf(page)}`);
}

function titleOf({ html }: Page): string {
  return /<title>(.*?)<\/title>/s.exec(html)?.[1] ?? html;
}

/** Returns the header with which Cloudflare tells the Worker where a request came from. */
function from(address: string): Readonly<Record<"CF-Connecting-IP", string>> {
  return { "CF-Connecting-IP": address };
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
