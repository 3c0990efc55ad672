import { chooseLanguage, type Locale } from "#messages/locale.ts";
import { consoleLocaleOf, localeOf } from "./locales.ts";
import type { Bindings } from "#platform/bindings.ts";
import { readQuery, type RequestContext } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { Context, Next } from "hono";

/**
 * The security headers of pages: no scripts, only our own stylesheet and images, no framing, and no referrer, because a page's URL
 * can contain a request's handle.
 *
 * There is no `Cross-Origin-Opener-Policy`, because apps open the sign-in in a separate window and wait for a message from it.
 * There is no `form-action`, because browsers also apply it to all redirects after a form is sent, and those lead to the app
 * (docs/decisions/0002-no-form-action.md).
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
};

/**
 * The security headers of the console's pages. Its forms may only be sent to this service. It has one script, which adds "Copy"
 * buttons, prevents double submits, and refreshes pages that show progress.
 */
const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "form-action 'self'; connect-src 'self'",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** The security headers of pages with a script: suggestions in the search, a copy button at the start. Their forms stay on this service. */
const SCRIPTED_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  "Content-Security-Policy": `${PAGE_HEADERS["Content-Security-Policy"]}; script-src 'self'; connect-src 'self'; form-action 'self'`,
};

/** Makes all responses behind it pages, including refusals: in the reader's language, with the headers of a page. */
export const asPage = asPageWith(PAGE_HEADERS);

/** Makes all responses behind it pages with a script, including refusals. */
export const asScriptedPage = asPageWith(SCRIPTED_HEADERS);

function asPageWith(headers: Readonly<Record<string, string>>) {
  return createMiddleware<RouteEnv>(async (c, next) => {
    c.set("locale", await localeFor(c, new URL(c.req.url).searchParams.get("ui_locales")));
    await withHeaders(c, headers, next);
    c.header("Vary", "Accept-Language", { append: true });
  });
}

/** Sets the headers of a page on the response that is created next. */
export function beginPage(c: Pick<Context<RouteEnv>, "header">): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
}

/** Makes all responses behind it pages of the console, including refusals. */
export const asConsolePage = createMiddleware<RouteEnv>(async (c, next) => {
  c.set("locale", await localeFor(c, null, consoleLocaleOf));
  await withHeaders(c, CONSOLE_HEADERS, next);
});

/** Returns the texts in a page's language: the one that the app requests in `ui_locales`, or else the browser's. */
export function localeFor(
  c: { readonly req: RequestContext["req"]; readonly env: Bindings },
  uiLocales: string | null | undefined,
  readLocale = localeOf,
): Promise<Locale> {
  return readLocale(chooseLanguage(uiLocales, c.req.header("Accept-Language")), c.env.ASSETS);
}

async function withHeaders(c: Context<RouteEnv>, headers: Readonly<Record<string, string>>, next: Next): Promise<void> {
  c.set("answerForm", "page");
  await next();
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/**
 * Returns the sentence about what was done before the redirect to this page. The URL contains only its key, never text to show.
 */
export function doneOf<Sentence extends string>(
  c: RequestContext,
  sentences: Readonly<Record<string, Sentence>>,
): Sentence | undefined {
  const [word = ""] = readQuery(c).all("done");
  return Object.hasOwn(sentences, word) ? sentences[word] : undefined;
}
