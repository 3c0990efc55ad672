import { createHash, randomBytes } from "node:crypto";
import { type LocalAnswer, requestLocally } from "../../../../scripts/local/local-request.ts";
import { type Fetch, type Page, ScriptedBrowser } from "../../../../scripts/local/scripted-browser.ts";

/** The origin that requests name, which is also the issuer; so it doesn't depend on the port. */
export const ORIGIN = "http://acme.localhost";

const REDIRECT_URI = "https://host.example/callback";

/** The request of an app that acts for a person. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Sends what apps, people, pipelines and directories send to the instance acme of a deployment. */
export class InstanceRequests {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Sends a request and returns its JSON. @throws unless it succeeds */
  async ask<Answer = Record<string, unknown>>(method: string, path: string, token: string, body?: unknown) {
    const type = path.startsWith("/scim/") ? "application/scim+json" : "application/json";
    const headers = { "Content-Type": type, ...(token === "" ? {} : { Authorization: `Bearer ${token}` }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return accepted(path, await this.#send(path, { method, headers, ...sent })) as Answer;
  }

  /** Registers a public app. @returns its client id */
  async register(name: string): Promise<string> {
    const metadata = {
      client_name: name,
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      scope: "SEARCH CHAT offline_access",
    };
    return (await this.ask<{ client_id: string }>("POST", "/oauth/register", "", metadata)).client_id;
  }

  /** Signs a person in, who allows an app, and redeems the code. @param sub the person, at the local SSO */
  async allow(clientId: string, sub: string): Promise<Tokens> {
    const verifier = randomBytes(32).toString("base64url");
    const left = await this.#decide(clientId, sub, verifier, "allow");
    if (!("leftFor" in left)) throw new Error(`${sub} could not allow the app: ${left.status}`);
    const code = new URL(left.leftFor).searchParams.get("code") ?? "";
    return this.#token({
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
    });
  }

  /** A person asks for an app that waits for approval. */
  async askFor(clientId: string, sub: string): Promise<void> {
    await this.#decide(clientId, sub, randomBytes(32).toString("base64url"), "ask");
  }

  refresh(clientId: string, refreshToken: string): Promise<Tokens> {
    return this.#token({ grant_type: "refresh_token", refresh_token: refreshToken, client_id: clientId });
  }

  /** Returns the ids of the documents that a search finds. */
  async found(token: string, query: string): Promise<string[]> {
    const path = "/rest/api/v1/search";
    const { results } = await this.ask<{ results: { document: { id: string } }[] }>("POST", path, token, {
      query,
      pageSize: 100,
    });
    return results.map(({ document }) => document.id);
  }

  async #decide(clientId: string, sub: string, verifier: string, decision: string) {
    const browser = new ScriptedBrowser(REDIRECT_URI, this.#fetch);
    const query = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH CHAT offline_access",
      state: "state-of-the-app",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    const picker = shown(await browser.visit(`${ORIGIN}/oauth/authorize?${query.toString()}`));
    const consent = shown(await browser.press(picker, { name: "sub", value: sub }));
    return browser.press(consent, { name: "decision", value: decision });
  }

  async #token(parameters: Readonly<Record<string, string>>): Promise<Tokens> {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(parameters).toString();
    return accepted("/oauth/token", await this.#send("/oauth/token", { method: "POST", headers, body })) as Tokens;
  }

  #send(
    path: string,
    request: { method: string; headers: Readonly<Record<string, string>>; body?: string },
  ): Promise<LocalAnswer> {
    return requestLocally(`${this.#baseUrl}${path}`, {
      ...request,
      headers: { ...request.headers, Host: new URL(ORIGIN).host },
    });
  }

  /** The SSO is reached by its own address. */
  readonly #fetch: Fetch = async (url, init) => {
    if (!url.startsWith(`${ORIGIN}/`)) return fetch(url, init);
    const { method = "GET", headers, body } = init;
    const answer = await this.#send(url.slice(ORIGIN.length), {
      method,
      headers: headers as Record<string, string>,
      ...(typeof body === "string" ? { body } : {}),
    });
    const answered = new Headers();
    for (const [key, value = []] of Object.entries(answer.headers))
      for (const each of [value].flat()) answered.append(key, each);
    return new Response(answer.text === "" ? null : answer.text, { status: answer.status, headers: answered });
  };
}

function accepted(path: string, { status, text }: LocalAnswer): unknown {
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

function shown(page: Page | { readonly leftFor: string }): Page {
  if ("leftFor" in page) throw new Error(`refused: ${page.leftFor}`);
  return page;
}
