import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Page, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import type { LocalIssuer } from "../gate/external-issuer.ts";
import { MCP_HEADERS, roadmapDocument, searchCall } from "../workload.ts";
import type { Answer, LoadClient } from "./http.ts";

/** What callers do, with how often of a hundred, and the rows of docs/storage-operations.md that one of it costs. */
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

export const PEOPLE = 20;
const REDIRECT_URI = "https://app.example/callback";
const WORDS = ["roadmap", "team", "roadmap team", "what we do next", "plan 7", "nothing"];

/** So many documents are written over and over: what is stored stays as large as it is. */
const DOCUMENTS = 200;

/** One caller: an app that a person signed in to, and that has a pipeline's token beside it. */
export class Caller {
  readonly #client: LoadClient;
  readonly #issuer: LocalIssuer;
  readonly #app: { readonly origin: string; readonly clientId: string; readonly indexing: string };
  #answered: (answer: Answer) => void = () => undefined;
  #access = "";
  #refresh = "";

  constructor(
    client: LoadClient,
    issuer: LocalIssuer,
    app: { readonly origin: string; readonly clientId: string; readonly indexing: string },
  ) {
    this.#client = client;
    this.#issuer = issuer;
    this.#app = app;
  }

  /** Does one thing, to its last answer. @throws where that is not what a caller wants */
  async act(kind: Kind, answered: (answer: Answer) => void): Promise<void> {
    this.#answered = answered;
    const query = pick(WORDS);
    const bearer = { Authorization: `Bearer ${this.#access}` };
    if (kind === "sign-in") return this.#signIn();
    if (kind === "search") await this.#post("/rest/api/v1/search", { query, pageSize: 10 }, bearer);
    if (kind === "refresh") await this.#takeTokens({ grant_type: "refresh_token", refresh_token: this.#refresh });
    if (kind === "MCP") await this.#post("/mcp", searchCall(query), { ...bearer, ...MCP_HEADERS });
    if (kind === "indexing") {
      const body = { document: roadmapDocument(Math.floor(Math.random() * DOCUMENTS)) };
      await this.#post("/api/index/v1/indexdocument", body, { Authorization: `Bearer ${this.#app.indexing}` });
    }
  }

  async #signIn(): Promise<void> {
    const { origin, clientId } = this.#app;
    const verifier = randomBytes(32).toString("base64url");
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH offline_access",
      state: randomUUID(),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      prompt: "consent",
    });
    const browser = new ScriptedBrowser(REDIRECT_URI, (url, init) => this.#browse(url, init));
    const consent = await browser.visit(`${origin}/oauth/authorize?${asked.toString()}`);
    const left =
      "leftFor" in consent ? consent : await browser.press(pageOf(consent), { name: "decision", value: "allow" });
    if (!("leftFor" in left)) throw new Error(`consent did not lead back to the app: ${left.status} ${left.html}`);
    const code = new URL(left.leftFor).searchParams.get("code");
    if (code === null) throw new Error(`the app got no code: ${left.leftFor}`);
    const form = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: REDIRECT_URI };
    await this.#takeTokens(form);
  }

  /** The identity provider signs in one of its people without a question. */
  async #browse(url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> {
    if (url.startsWith(this.#issuer.url)) {
      const person = `person-${Math.floor(Math.random() * PEOPLE)}`;
      return new Response(null, { status: 302, headers: { Location: this.#issuer.signIn(new URL(url), person) } });
    }
    const { pathname, search } = new URL(url);
    const [given, sent] = [headers as Record<string, string>, body as string | undefined];
    const answer = await this.#client.send(pathname + search, method, given, sent);
    this.#answered(answer);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  }

  async #takeTokens(fields: Record<string, string>): Promise<void> {
    const form = new URLSearchParams({ ...fields, client_id: this.#app.clientId }).toString();
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await this.#client.send("/oauth/token", "POST", type, form);
    this.#answered(answer);
    if (answer.status !== 200) throw new Error(`the token endpoint answered ${answer.status}: ${answer.body}`);
    const tokens = JSON.parse(answer.body) as { access_token: string; refresh_token: string };
    this.#access = tokens.access_token;
    this.#refresh = tokens.refresh_token;
  }

  async #post(path: string, content: unknown, headers: Record<string, string>): Promise<void> {
    const answer = await this.#client.postJson(path, content, headers);
    this.#answered(answer);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  }
}

/** Registers the app that callers are. @returns its client id */
export async function registerApp(client: LoadClient): Promise<string> {
  const metadata = { client_name: "Load", redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
  const answer = await client.postJson("/oauth/register", metadata);
  if (answer.status !== 201) throw new Error(`registration answered ${answer.status}: ${answer.body}`);
  return (JSON.parse(answer.body) as { client_id: string }).client_id;
}

/** One of the mix, by its share. */
export function nextKind(): Kind {
  let place = Math.random() * 100;
  for (const [kind, { share }] of Object.entries(MIX)) if ((place -= share) < 0) return kind as Kind;
  return "search";
}

function pageOf(page: Page): Page {
  if (page.status === 200) return page;
  throw new Error(`the consent page answered ${page.status}: ${page.html}`);
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
