import type { InstanceRecord } from "#instance/instances.ts";
import { AppClient, type TokenAnswer } from "./app-client.ts";
import { ConsoleBrowser } from "./console-browser.ts";
import { putTogether, takeApart } from "./forged-tokens.ts";
import { TestIssuer } from "./test-issuer.ts";
import { addSso, connectSso, ORIGIN, send } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;

/** The client id of instances at the tests' SSOs. */
const CLIENT_AT_SSO = "gatehouse";

/** An instance's SSO whose messages a test signs, such as those that people signed out. */
export class SigningSso {
  readonly issuer: TestIssuer;

  private constructor(issuer: TestIssuer) {
    this.issuer = issuer;
  }

  /** Returns an SSO that no instance is connected to. */
  static async unconnected(): Promise<SigningSso> {
    return new SigningSso(await TestIssuer.publishing("ec", "rsa"));
  }

  /** Connects an instance to an SSO that no other test uses. */
  static async of(instance: InstanceRecord): Promise<SigningSso> {
    const sso = await SigningSso.#discovered();
    await connectSso(instance, sso.issuer.url);
    return sso;
  }

  /** Connects an instance to another SSO beside the one it has, with other.example as its domain. */
  static async beside(
    instance: InstanceRecord,
    first: string,
    changes: Parameters<typeof addSso>[3] = {},
  ): Promise<SigningSso> {
    const sso = await SigningSso.#discovered();
    await addSso(instance, first, sso.issuer.url, changes);
    return sso;
  }

  static async #discovered(): Promise<SigningSso> {
    const issuer = await TestIssuer.publishing("rsa");
    const { url } = issuer;
    await issuer.set({
      discovery: {
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ["code"],
      },
    });
    return new SigningSso(issuer);
  }

  /** Signs somebody in to our own pages, in a session at the SSO. */
  signIn(sid: string | undefined, sub = "ben", authTime?: number): Promise<ConsoleBrowser> {
    return ConsoleBrowser.signIn(sub, ORIGIN, "/account", this.at(sid, authTime));
  }

  /** Connects an app as somebody, in a session at the SSO. */
  async connect(
    app: AppClient,
    sid: string | undefined,
    scope = "SEARCH offline_access",
    authTime?: number,
  ): Promise<TokenAnswer> {
    return app.tokensAt(this.at(sid, authTime), { scope });
  }

  /** Signs a logout token, about Ben unless the claims say otherwise; `undefined` leaves one out. */
  logoutToken(claims: Json = {}, header: Json = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      iss: this.issuer.url,
      aud: CLIENT_AT_SSO,
      iat: now,
      exp: now + 120,
      jti: crypto.randomUUID(),
      sub: "ben",
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    };
    return this.sign({ ...usual, ...claims }, { typ: "logout+jwt", ...header });
  }

  /** Signs a JWT with exactly these claims, with the SSO's key. */
  async sign(claims: Json, header: Json = {}): Promise<string> {
    const forge = await this.issuer.forge();
    return forge.sign({ ...forge.header, ...header }, claims);
  }

  /** Names the second SSO's person with Ben's subject, under an address of its own. */
  atSecond(claims: Json = {}, sid?: string) {
    return { ...this.at(sid), number: "2", claims: { email: "ben@other.example", ...claims } };
  }

  /** @param authTime when the person signed in, if it is named; needs a session */
  at(sid: string | undefined, authTime?: number) {
    const named = authTime === undefined ? {} : { authTime };
    return { issuer: this.issuer.url, ...(sid === undefined ? {} : { sid, ...named }) };
  }
}

/** Posts a logout token, as an SSO does. */
export function postLogout(logoutToken: string, origin = ORIGIN): Promise<Response> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ logout_token: logoutToken }).toString();
  return send(`${origin}/oauth/backchannel-logout`, { method: "POST", headers, body });
}

/** Pushes a security event token, as a transmitter does (RFC 8935 §2). */
export function postEvent(token: string, headers: Record<string, string> = {}, origin = ORIGIN): Promise<Response> {
  const type = { "Content-Type": "application/secevent+jwt", Accept: "application/json" };
  return send(`${origin}/signals/events`, { method: "POST", headers: { ...type, ...headers }, body: token });
}

/** Requests the end of all access of somebody, as an identity provider does. */
export function postRevocation(assertion: string | undefined, body: unknown, origin = ORIGIN): Promise<Response> {
  const authorization = assertion === undefined ? {} : { Authorization: `Bearer ${assertion}` };
  const headers = { "Content-Type": "application/json", ...authorization };
  return send(`${origin}/oauth/global-token-revocation`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Returns a genuine JWT whose claims were changed after it was signed. */
export function tampered(jwt: string, claims: Json): string {
  const { header, claims: genuine, signature } = takeApart(jwt);
  return putTogether(header, { ...genuine, ...claims }, signature);
}
