import { hashToken, randomSecret } from "#crypto/secrets.ts";
import { newFormId } from "#admin-console/form-id.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Role } from "#people/role.ts";
import { servicesOf } from "#services.ts";
import { SESSION_LIFETIME_SECONDS } from "#session/session.ts";
import { D1Sessions } from "#session/sessions.d1.ts";
import { type Fetch, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { signedInDirectly } from "./direct-sso.ts";
import { env } from "./isolate.ts";
import { ORIGIN, send } from "./world.ts";
import { knownPerson, signOutsOf } from "./people.ts";
import { audited } from "./audited.ts";

/** The fields of a form. A name with several values is sent several times. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Gives a person of the test SSO a role, or removes it. */
export async function setRole(
  instance: InstanceRecord,
  email = "ada@acme.example",
  role: Role | null = "owner",
): Promise<void> {
  const { people } = servicesOf(env).administrationOf(instance, "test");
  if (role !== null) await people.nameRole(email, role);
  else await people.removeRole(await knownPerson(instance, email));
}

/** Signs Ada, the owner of the instance, in to its console. */
export async function openConsole(instance: InstanceRecord): Promise<ConsoleBrowser> {
  await setRole(instance);
  return ConsoleBrowser.signIn("ada", originOf(instance));
}

/** Returns the origin of an instance of the tests. */
export function originOf({ name }: Pick<InstanceRecord, "name">): string {
  return `http://${name}.localhost`;
}

/** The browser of a person who is signed in to our own pages, without JavaScript. It follows no redirect. */
export class ConsoleBrowser {
  readonly origin: string;
  /** The cookies of our origin, by name. */
  readonly cookies: Map<string, string>;
  #csrfToken: string | undefined;

  constructor(origin: string, cookies: Iterable<readonly [string, string]> = []) {
    this.origin = origin;
    this.cookies = new Map(cookies);
  }

  /** Signs a person in. @throws if no session begins */
  static async signIn(
    sub: string,
    origin = ORIGIN,
    to = "/account",
    at?: Parameters<typeof signedInDirectly>[2],
  ): Promise<ConsoleBrowser> {
    const person = new ConsoleBrowser(origin);
    const keepCookies: Fetch = async (url, init) => {
      const response = await send(url, init);
      person.#keep(response);
      return response;
    };
    const browser = new ScriptedBrowser("app-of-nobody:", signedInDirectly(sub, keepCookies, at));
    const asked = await browser.visit(`${origin}/sign-in?to=${encodeURIComponent(to)}`);
    if ("leftFor" in asked) throw new Error(`refused at once: ${asked.leftFor}`);
    const isOnly = asked.html.includes('name="begin"');
    const button = isOnly ? { name: "begin", value: "yes" } : { name: "sso", value: at?.number ?? "1" };
    const page = await browser.press(asked, button);
    if (!person.session) throw new Error(`no session: ${"html" in page ? page.html : page.leftFor}`);
    return person;
  }

  /**
   * Begins a person's session directly in the store, for tests that need hundreds: a sign-in at the SSO costs thirty times as
   * much. The session is the same as after a sign-in a moment ago.
   */
  static async signedIn(instance: InstanceRecord, email = "ada@acme.example"): Promise<ConsoleBrowser> {
    const { id } = await knownPerson(instance, email);
    const now = Math.floor(Date.now() / 1000);
    const of = { personId: id, signOuts: await signOutsOf(id), ssoSession: undefined, signedInAt: now };
    const secret = randomSecret();
    const expiresAt = now + SESSION_LIFETIME_SECONDS;
    await new D1Sessions(audited()).begin(instance.id, await hashToken(secret), of, now, now, expiresAt, "");
    return new ConsoleBrowser(originOf(instance), [["gatehouse-session", secret]]);
  }

  /** Presses the button of the sign-in page, and returns the response even if it is an error. */
  async beginSignIn(to: string): Promise<Response> {
    const page = await this.get(`/sign-in?to=${encodeURIComponent(to)}`);
    if (page.status !== 200) return page;
    const html = await page.text();
    return this.postRaw("/sign-in", { csrf_token: attributeOf(html, "csrf_token"), to: fieldOf(html, "to") ?? "" });
  }

  /** The session's cookie, as it is sent. */
  get session(): string | undefined {
    return [...this.cookies].find(([name]) => name.endsWith("gatehouse-session"))?.join("=");
  }

  /** Opens a page. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send("GET", path, headers);
  }

  /** Opens a page and returns its HTML. @throws if it can't be opened */
  async read(path: string): Promise<string> {
    const response = await this.get(path);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.text();
  }

  /**
   * Sends a form with the fields that every form of this session has, and returns the response even if it is an error.
   */
  async post(path: string, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.postRaw(path, { csrf_token: await this.csrfToken(), form_id: newFormId(), ...fields }, headers);
  }

  /** Sends exactly these fields, unlike {@link post}. */
  postRaw(path: string, fields: Fields, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of typeof values === "string" ? [values] : values) body.append(name, value);
    }
    const usual = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" };
    return this.send("POST", path, { ...usual, ...headers }, body.toString());
  }

  /** Returns the CSRF token of this session's forms. */
  async csrfToken(): Promise<string> {
    this.#csrfToken ??= attributeOf(await this.read("/account"), "csrf_token");
    return this.#csrfToken;
  }

  /** Sends any request with the cookies, including requests that no form sends. */
  async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await send(this.origin + path, {
      method,
      headers: { ...(cookie === "" ? {} : { Cookie: cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    this.#keep(response);
    return response;
  }

  #keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** Returns the error message next to a field; `undefined` if there is none. */
export function errorBeside(html: string, field: string): string | undefined {
  return textOf(new RegExp(`<p id="${field}-error" class="error">(.*?)</p>`, "s").exec(html)?.[1]);
}

/** Returns the content of a field: the value of an input, or the text of a textarea. */
export function fieldOf(html: string, field: string): string | undefined {
  const area = new RegExp(`<textarea\\b[^>]*\\bname="${field}"[^>]*>(.*?)</textarea>`, "s").exec(html)?.[1];
  if (area !== undefined) return textOf(area);
  const input = [...html.matchAll(/<input\b[^>]*>/g)].find(([tag]) => tag.includes(` name="${field}"`))?.[0];
  return input === undefined ? undefined : textOf(/\bvalue="([^"]*)"/.exec(input)?.[1] ?? "");
}

/** Returns the values of a field's ticked boxes. */
export function tickedOf(html: string, field: string): string[] {
  return [...html.matchAll(/<input\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes(` name="${field}"`) && /\schecked\b/.test(tag))
    .map((tag) => textOf(/\bvalue="([^"]*)"/.exec(tag)?.[1]) ?? "");
}

function attributeOf(html: string, name: string): string {
  const value = fieldOf(html, name);
  if (value === undefined || value === "") throw new Error(`the page has no ${name}: ${html.slice(0, 2000)}`);
  return value;
}

function textOf(html: string | undefined): string | undefined {
  return html
    ?.replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
