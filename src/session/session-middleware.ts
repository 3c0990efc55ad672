import { type AppContext, http, readForm, readUploadForm } from "#platform/http.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { SESSION_LIFETIME_SECONDS } from "./session.ts";

/** Where people sign in to our own pages. */
export const SIGN_IN_PATH = "/sign-in";

/** Lets only signed-in people pass; others sign in first, and come back. Their standing is read on every request. */
export const signedIn = http.createMiddleware(async (c, next) => {
  const { instance, services } = c.var;
  const secret = readSession(c);
  const person = secret === undefined ? null : await services.sessions.find(instance, secret);
  if (secret === undefined || !person) {
    const url = new URL(c.req.url);
    if (c.req.method === "GET") {
      return c.redirect(`${SIGN_IN_PATH}?${new URLSearchParams({ to: url.pathname + url.search }).toString()}`, 303);
    }
    throw new OAuthError("access_denied", {
      reason: "session_ended",
      description: "You are no longer signed in: sign in in another tab, then go back and send the form again",
    });
  }
  c.set("session", { secret, person, csrfToken: await services.sessions.csrfToken(secret) });
  return next();
});

/** Lets only administrators pass. Being one is read on every request, so it ends at once. */
export const administratorsOnly = http.createMiddleware(async (c, next) => {
  if (!c.var.session.person.isAdministrator) {
    throw new OAuthError("access_denied", {
      reason: "not_an_administrator",
      description: "This page is for administrators: ask one of yours",
    });
  }
  await next();
});

/** Says that the form of a route brings a file; it stands before {@link ownForm}. */
export const takesUpload = http.createMiddleware(async (c, next) => {
  c.set("takesUpload", true);
  await next();
});

/** Reads the form of a POST, which must be one of ours (ASVS 5.0 §3.5.1), sent from our own page. */
export const ownForm = http.createMiddleware(async (c, next) => {
  if (c.req.method === "POST") {
    requireSameOrigin(c);
    const { form, upload } = c.get("takesUpload")
      ? await readUploadForm(c)
      : { form: await readForm(c, "lines"), upload: new Uint8Array() };
    await c.var.services.sessions.requireOwnForm(c.var.session.secret, form.all("csrf_token")[0]);
    c.set("form", form);
    c.set("upload", upload);
  } else if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    throw new ApiError("method_not_allowed", { reason: "method_not_allowed" });
  }
  await next();
});

export function writeSession(c: AppContext, secret: string): void {
  setCookie(c, cookieName(c), secret, { ...cookieOptions(c), maxAge: SESSION_LIFETIME_SECONDS });
}

export function clearSession(c: AppContext): void {
  deleteCookie(c, cookieName(c), cookieOptions(c));
}

export function readSession(c: AppContext): string | undefined {
  const secret = getCookie(c, cookieName(c));
  return secret !== undefined && /^[A-Za-z0-9_-]{43}$/.test(secret) ? secret : undefined;
}

/** `Lax`, not `Strict`: the browser comes back from the SSO by a redirect, and has to bring what it was just given. */
function cookieOptions(c: AppContext) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(c) } as const;
}

function cookieName(c: AppContext): string {
  return isSecure(c) ? "__Host-gatehouse-session" : "gatehouse-session";
}

function isSecure(c: AppContext): boolean {
  return c.var.instance.issuer.startsWith("https:");
}
