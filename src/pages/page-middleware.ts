import { chooseLanguage, type Locale } from "#messages/locale.ts";
import { localeOf } from "./locales.ts";
import type { Bindings } from "#platform/bindings.ts";
import { readQuery, type RequestContext } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { Context, Next } from "hono";

/**
 * What a page may do, and what may be done with it: no script, our stylesheet only, in no frame, no referrer (a page's address
 * can hold a request's handle).
 *
 * There is no `Cross-Origin-Opener-Policy`: apps open the sign-in in a window of its own and wait for word from it.
 * There is no `form-action`: browsers apply it to the redirect that follows a form post, and to every redirect after that,
 * which are the app's own (docs/decisions/0002-no-form-action.md).
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
 * The console's pages post to themselves alone, so their forms are held to that; and they have one script of ours, which adds
 * "Copy" beside a secret, and reads the page again while something goes on.
 */
const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "form-action 'self'; connect-src 'self'",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** Answers behind this are pages in the language of their reader: refusals too, and all with the headers of a page. */
export const asPage = createMiddleware<RouteEnv>(async (c, next) => {
  c.set("locale", await localeFor(c, new URL(c.req.url).searchParams.get("ui_locales")));
  await withHeaders(c, PAGE_HEADERS, next);
  c.header("Vary", "Accept-Language", { append: true });
});

/** Gives the answer that is made next the headers of a page. */
export function beginPage(c: Pick<Context<RouteEnv>, "header">): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
}

/** Answers behind this are pages of the console. */
export const asConsolePage = createMiddleware<RouteEnv>((c, next) => withHeaders(c, CONSOLE_HEADERS, next));

/** The language of a page: what the app asked for in `ui_locales`, else what the browser asks for. */
export function localeFor(
  c: { readonly req: RequestContext["req"]; readonly env: Bindings },
  uiLocales: string | null | undefined,
): Promise<Locale> {
  return localeOf(chooseLanguage(uiLocales, c.req.header("Accept-Language")), c.env.ASSETS);
}

async function withHeaders(c: Context<RouteEnv>, headers: Readonly<Record<string, string>>, next: Next): Promise<void> {
  c.set("answerForm", "page");
  await next();
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** What was done before the redirect to this page, in words. The address holds a word of ours and never a text. */
export function doneOf<Sentence extends string>(
  c: RequestContext,
  sentences: Readonly<Record<string, Sentence>>,
): Sentence | undefined {
  const [word = ""] = readQuery(c).all("done");
  return Object.hasOwn(sentences, word) ? sentences[word] : undefined;
}
