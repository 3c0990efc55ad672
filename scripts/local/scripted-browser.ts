/** Sends one request: the global `fetch`, or in tests a function that reaches a Worker under test. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The page that the browser shows. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
}

/** An address that the browser was sent to but doesn't open: an app's redirect URI, where no server of ours listens. */
export interface LeftFor {
  readonly leftFor: string;
}

/** More redirects than any sign-in has, to end a loop. */
const REDIRECTS_MAX = 20;

/**
 * A browser without a screen. It keeps cookies, follows redirects and submits forms by their button, as pages without JavaScript
 * need. It plays the person in the demonstration and in the tests.
 */
export class ScriptedBrowser {
  readonly #fetch: Fetch;
  readonly #redirectUri: string;
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every request that was made, as `GET https://host/path → 302`. */
  readonly history: string[] = [];

  /** @param redirectUri where the app listens; the browser stops before it goes there */
  constructor(redirectUri: string, fetchOne: Fetch = (url, init) => fetch(url, init)) {
    this.#redirectUri = redirectUri;
    this.#fetch = fetchOne;
  }

  /** Opens an address and follows redirects to a page, or until the app's redirect URI. */
  visit(url: string): Promise<Page | LeftFor> {
    return this.#go(url, { method: "GET" });
  }

  /** Presses a button of a page's form, which also sends the form's inputs. */
  press(page: Page, button: { readonly name: string; readonly value: string }): Promise<Page | LeftFor> {
    const form = findForm(page.html, button);
    const fields = new URLSearchParams(form.fields);
    fields.set(button.name, button.value);
    return this.#go(new URL(form.action, page.url).href, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
      body: fields.toString(),
    });
  }

  async #go(start: string, first: { method: string; headers?: Record<string, string>; body?: string }) {
    let url = start;
    let init = first;
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects += 1) {
      if (url.startsWith(this.#redirectUri)) return { leftFor: url };
      const cookies = this.#cookiesOf(url);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { ...init.headers, ...(cookie === "" ? {} : { Cookie: cookie }) };
      const response = await this.#fetch(url, { ...init, headers, redirect: "manual" });
      this.history.push(`${init.method} ${withoutQuery(url)} → ${response.status}`);
      for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
      const location = response.headers.get("Location");
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { url, status: response.status, html: await response.text() };
      }
      await response.body?.cancel();
      url = location.startsWith(this.#redirectUri) ? location : new URL(location, url).href;
      init = { method: "GET" };
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects from ${withoutQuery(start)}`);
  }

  #cookiesOf(url: string): Map<string, string> {
    const host = new URL(url).hostname;
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    return cookies;
  }
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals).trim();
  const ended = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
  if (ended) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1).trim());
}

function findForm(html: string, button: { readonly name: string; readonly value: string }) {
  for (const [, attributes = "", inside = ""] of html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    const buttons = [...inside.matchAll(/<button\b([^>]*)>/g)].map(([, text = ""]) => text);
    const isThere = buttons.some(
      (text) => readAttribute(text, "name") === button.name && readAttribute(text, "value") === button.value,
    );
    if (!isThere) continue;
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].filter(([, text = ""]) => isSuccessful(text));
    const fields = inputs.map(([, text = ""]): [string, string] => [
      readAttribute(text, "name"),
      readAttribute(text, "value"),
    ]);
    return { action: readAttribute(attributes, "action"), fields };
  }
  throw new Error(`the page has no button ${button.name}=${button.value}: ${html.slice(0, 2000)}`);
}

/** Whether a browser sends this input: it leaves out unticked checkboxes (HTML, form submission). */
function isSuccessful(attributes: string): boolean {
  return readAttribute(attributes, "type") !== "checkbox" || /\bchecked\b/.test(attributes);
}

function readAttribute(text: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

function withoutQuery(url: string): string {
  return url.split("?")[0] ?? url;
}
