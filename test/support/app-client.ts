import { randomSecret, sha256 } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { type Fetch, type LeftFor, type Page, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { signedInDirectly } from "./direct-sso.ts";
import { makeStaticClient, ORIGIN, send, sendAnywhere } from "./world.ts";

export const REDIRECT_URI = "http://127.0.0.1:33418/callback";

/** The example of RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

/** A completed authorization: what came back to the app, and what it needs to redeem the code. */
export interface Authorized {
  readonly callback: URL;
  readonly code: string;
  readonly verifier: string;
}

let registrations = 0;

/**
 * Registers a client, and returns the response even if it is an error. Each registration has its own address, unless one is
 * given.
 */
export function register(metadata: Record<string, unknown>, origin = ORIGIN, address?: string): Promise<Response> {
  registrations += 1;
  return send(`${origin}/oauth/register`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "CF-Connecting-IP": address ?? `10.0.${registrations >> 8}.${registrations & 255}`,
    },
    body: JSON.stringify(metadata),
  });
}

/** Parameters that differ from the usual ones; `undefined` leaves one out. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** Posts a form to an endpoint of the authorization server. */
export function postForm(path: string, fields: Changes, headers: Record<string, string> = {}): Promise<Response> {
  return postBody(path, encode(fields), headers);
}

/** Posts a body that is already encoded, correctly or not; see {@link postForm}. */
export function postBody(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return send(path, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
}

/** Returns the value of an Authorization header with a client's id and secret (RFC 6749 §2.3.1). */
export function basic(clientId: string, secret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)}`;
}

function encode(fields: Changes): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) encoded.set(name, value);
  return encoded.toString();
}

/** An app with one redirect URI. It is a public client unless it has a secret. */
export class AppClient {
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly origin: string;
  readonly redirectUri: string;

  private constructor(clientId: string, secret: string | undefined, origin: string, redirectUri: string) {
    this.clientId = clientId;
    this.secret = secret;
    this.origin = origin;
    this.redirectUri = redirectUri;
  }

  /** Creates an app as an administrator. */
  static async madeByAdministrator(instance: InstanceRecord, order: Parameters<typeof makeStaticClient>[1] = {}) {
    const { client, secret } = await makeStaticClient(instance, { redirectUris: [REDIRECT_URI], ...order });
    return new AppClient(client.id, secret, ORIGIN, client.redirectUris[0] ?? REDIRECT_URI);
  }

  /** Returns an app that registered itself: each another one, because decisions about an app hold for all of its installs. */
  static async registered(
    metadata: Record<string, unknown> = {},
    origin = ORIGIN,
    address?: string,
  ): Promise<AppClient> {
    const whole = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      client_name: `Test app ${registrations}`,
      ...metadata,
    };
    const response = await register(whole, origin, address);
    if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
    const answer = await response.json<{ client_id: string; client_secret?: string }>();
    return new AppClient(answer.client_id, answer.client_secret, origin, whole.redirect_uris[0] ?? REDIRECT_URI);
  }

  /** Returns an app that the server already knows, or whose metadata it reads at the client id. */
  static of(clientId: string, redirectUri: string, secret?: string): AppClient {
    return new AppClient(clientId, secret, ORIGIN, redirectUri);
  }

  /** Opens a person's browser, which stops at this app's redirect URI. */
  browser(fetchOne: Fetch = sendAnywhere): ScriptedBrowser {
    return new ScriptedBrowser(this.redirectUri, fetchOne);
  }

  /** Returns the URL of an authorization request of this app. */
  authorizeUrl(challenge: string, changes: Changes = {}): string {
    const parameters = {
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "state-of-the-app",
      scope: "SEARCH CHAT DOCUMENTS offline_access",
      ...changes,
    };
    return `${this.origin}/oauth/authorize?${encode(parameters)}`;
  }

  /** Signs a person in and allows the app on the consent page. @throws if anything but a code comes back */
  async authorize(sub = "ben", changes: Changes = {}): Promise<Authorized> {
    return this.#allow(this.browser(signedInDirectly(sub, send)), changes, (browser, url) => browser.visit(url));
  }

  /** Does {@link authorize} at another SSO, in a session there, and returns the tokens. */
  async tokensAt(at: Parameters<typeof signedInDirectly>[2], changes: Changes = {}, sub = "ben"): Promise<TokenAnswer> {
    const browser = this.browser(signedInDirectly(sub, send, at));
    const signIn = async (one: ScriptedBrowser, url: string) => {
      const page = await one.visit(url);
      return at?.number === undefined || "leftFor" in page ? page : one.press(page, { name: "sso", value: at.number });
    };
    const response = await this.redeem(await this.#allow(browser, changes, signIn));
    return response.json<TokenAnswer>();
  }

  /** Signs a person in at another SSO, up to the consent page. */
  async atConsent(at: Parameters<typeof signedInDirectly>[2], sub = "ben"): Promise<void> {
    const page = await this.browser(signedInDirectly(sub, send, at)).visit(this.authorizeUrl(await sha256("verifier")));
    if ("leftFor" in page) throw new Error(`refused before consent: ${page.leftFor}`);
  }

  /** Does {@link authorize} with the pages of the test SSO. */
  async authorizeAtSso(sub = "ben"): Promise<Authorized> {
    return this.#allow(this.browser(), {}, (browser, url) => this.toConsent(browser, sub, url));
  }

  async #allow(
    browser: ScriptedBrowser,
    changes: Changes,
    signIn: (browser: ScriptedBrowser, url: string) => Promise<Page | LeftFor>,
  ): Promise<Authorized> {
    const verifier = randomSecret();
    const consent = await signIn(browser, this.authorizeUrl(await sha256(verifier), changes));
    if ("leftFor" in consent) throw new Error(`refused before consent: ${consent.leftFor}`);
    const answer = await browser.press(consent, { name: "decision", value: "allow" });
    if (!("leftFor" in answer)) throw new Error(`consent answered ${answer.status}: ${answer.html}`);
    const callback = new URL(answer.leftFor);
    return { callback, code: callback.searchParams.get("code") ?? "", verifier };
  }

  /** Takes a browser up to the consent page. */
  async toConsent(browser: ScriptedBrowser, sub: string, url: string) {
    const picker = await browser.visit(url);
    if ("leftFor" in picker) throw new Error(`refused at once: ${picker.leftFor}`);
    const consent = await browser.press(picker, { name: "sub", value: sub });
    if ("leftFor" in consent) throw new Error(`refused after sign-in: ${consent.leftFor}`);
    return consent;
  }

  /** Redeems a code, and returns the response even if it is an error. */
  redeem({ code, verifier }: Pick<Authorized, "code" | "verifier">, changes: Changes = {}): Promise<Response> {
    return postForm(`${this.origin}/oauth/token`, {
      grant_type: "authorization_code",
      ...this.#credentials(),
      redirect_uri: this.redirectUri,
      code,
      code_verifier: verifier,
      ...changes,
    });
  }

  refresh(refreshToken: string | undefined, changes: Changes = {}): Promise<Response> {
    return postForm(`${this.origin}/oauth/token`, {
      grant_type: "refresh_token",
      ...this.#credentials(),
      refresh_token: refreshToken,
      ...changes,
    });
  }

  /** Revokes a token, and returns the response even if it is an error. */
  revoke(token: string | undefined, changes: Changes = {}): Promise<Response> {
    return postForm(`${this.origin}/oauth/revoke`, { ...this.#credentials(), token, ...changes });
  }

  /** Runs the whole flow and returns the tokens. */
  async tokens(sub = "ben", changes: Changes = {}): Promise<TokenAnswer> {
    const response = await this.redeem(await this.authorize(sub, changes));
    if (response.status !== 200)
      throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
    return response.json<TokenAnswer>();
  }

  #credentials() {
    return { client_id: this.clientId, client_secret: this.secret };
  }
}

/** Searches with a token, and returns the response even if it is an error. */
export function search(
  token: string | undefined,
  body: unknown = { query: "token" },
  headers: Record<string, string> = {},
  origin = ORIGIN,
) {
  return send(`${origin}/rest/api/v1/search`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}
