import type { SignedInPerson } from "./sessions.d1.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { HostCookie, readForm, readUploadForm } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { Context } from "hono";
import { createMiddleware } from "#platform/handlers.ts";
import { SESSION_LIFETIME_SECONDS, type Sessions } from "./session.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import type { SessionSignIn } from "./session-sign-in.ts";
import { HELD_CHARACTERS_MAX, type HeldForm, pageOf, type SteppedUpForm } from "./step-up.ts";
import { StepUpPage } from "./views/session-pages.tsx";

const COOKIE = new HostCookie("session", SESSION_LIFETIME_SECONDS);

/** The session that {@link signedIn} found. */
interface SessionVariables {
  session: {
    readonly secret: string;
    readonly person: SignedInPerson;
    readonly signedInAt: number;
    readonly csrfToken: string;
    /** Whether the person authenticated in the last minutes. */
    readonly isFresh: boolean;
  };
}

/** The content of one of our own forms. */
interface FormVariables {
  form: Parameters;
  /** The uploaded file; empty if there is none. */
  upload: Uint8Array<ArrayBuffer>;
}

/** Handlers behind {@link signedIn}. */
export type SignedInEnv<Services extends object = object, Variables extends object = object> = InstanceEnv<
  Services,
  SessionVariables & Variables
>;

/** Handlers of a POST behind {@link signedIn} and {@link ownForm}. */
export type OwnFormEnv<Services extends object = object, Variables extends object = object> = SignedInEnv<
  Services,
  FormVariables & Variables
>;

type Checking = SignedInEnv<
  { readonly sessions: Sessions },
  Partial<FormVariables> & {
    /** Whether the form of this route uploads a file. */
    takesUpload?: boolean;
  }
>;

/** Where people sign in to our own pages. */
export const SIGN_IN_PATH = "/sign-in";

/** Returns the URL of the sign-in page, from which a person comes back to `returnTo`. */
export function signInPath(returnTo: string): string {
  return `${SIGN_IN_PATH}?${new URLSearchParams({ to: returnTo }).toString()}`;
}

/** Reads the session of a request while its instance's policy is read. */
export const readsSessionAhead = createMiddleware<RouteEnv<{ readonly sessions: Sessions }>>((c, next) => {
  c.set("readAhead", async () => {
    const secret = readSession(c, { issuer: c.get("frame").origin });
    if (secret !== undefined) await c.get("services").sessions.readAhead(c.req.raw, secret);
  });
  return next();
});

/**
 * Lets only signed-in people pass. Others are redirected to the sign-in page, and come back after signing in. A person's role and
 * status are read on every request.
 */
export const signedIn = createMiddleware<Checking>(async (c, next) => {
  const { instance, services } = c.var;
  const secret = readSession(c, instance);
  // For requests by scripts, browsers send the destination `empty` (Fetch Metadata §2.1).
  const isUse = c.req.header("sec-fetch-dest") !== "empty";
  const found = secret === undefined ? null : await services.sessions.find(instance, secret, isUse, c.req.raw);
  if (secret === undefined || !found) {
    const url = new URL(c.req.url);
    if (c.req.method === "GET") {
      return c.redirect(signInPath(url.pathname + url.search), 303);
    }
    throw new OAuthError("access_denied", {
      reason: "session_ended",
      description: "You are no longer signed in: sign in in another tab, then go back and submit the form again",
    });
  }
  c.set("session", { ...found, secret, csrfToken: await services.sessions.csrfToken(secret) });
  return next();
});

/** Marks a route whose form uploads a file. Must come before {@link ownForm}. */
export const takesUpload = createMiddleware<Checking>(async (c, next) => {
  c.set("takesUpload", true);
  await next();
});

/** Reads the form of a POST, and checks that it is one of ours, sent from our own page (ASVS 5.0 §3.5.1). */
export const ownForm = createMiddleware<Checking>(async (c, next) => {
  if (c.req.method === "POST") {
    requireSameOrigin(c, c.var.instance.issuer);
    await requireWithinRate(c, "own-form", { person: c.var.session.person.id });
    const { form, upload } = c.get("takesUpload")
      ? await readUploadForm(c)
      : { form: await readForm(c, "lines"), upload: new Uint8Array() };
    await c.var.services.sessions.requireOwnForm(c.var.session.secret, form.all("csrf_token")[0]);
    c.set("form", form);
    c.set("upload", upload);
  } else if (c.req.method !== "GET") {
    throw new ApiError("method_not_allowed", { reason: "method_not_allowed" });
  }
  await next();
});

export function writeSession(c: Context, instance: RequestInstance, secret: string): void {
  COOKIE.write(c, instance.issuer, secret);
}

export function clearSession(c: Context, instance: RequestInstance): void {
  COOKIE.clear(c, instance.issuer);
}

export function readSession(c: Context, instance: Pick<RequestInstance, "issuer">): string | undefined {
  const secret = COOKIE.read(c, instance.issuer);
  return secret !== undefined && /^[A-Za-z0-9_-]{43}$/.test(secret) ? secret : undefined;
}

/**
 * Lets a form pass if its sender authenticated in the last minutes. Otherwise, asks them to sign in again, and then shows the form
 * again, so that somebody who uses an unattended or stolen session can't do anything permanent (ASVS 5.0 §7.5.3). Must come after
 * `ownForm`.
 *
 * @param formAt returns the form at a path, if it needs a fresh sign-in
 */
export function afterStepUp(formAt: (path: string) => SteppedUpForm | undefined) {
  return createMiddleware<OwnFormEnv<{ readonly sessionSignIn: SessionSignIn }>>(async (c, next) => {
    const { form, instance, services, session } = c.var;
    if (c.req.method !== "POST" || !instance.policy.settings.stepUp || session.isFresh) return next();
    const steppedUp = formAt(c.req.path);
    if (steppedUp === undefined || steppedUp.when?.(form) === false) return next();
    const { act } = steppedUp;
    const { pathname, search } = new URL(c.req.url);
    const address = pathname + search;
    const { locale = ENGLISH_LOCALE } = c.var;
    const said = typeof act === "string" ? locale.known(act) : locale.messages[act.message];
    const held = heldForm(said, form, address);
    const returnTo = held === null ? pathname : address;
    return c.html(
      <StepUpPage
        brand={brandOf(instance.policy)}
        locale={locale}
        act={said}
        back={pageOf(pathname)}
        signInUrl={await services.sessionSignIn.beginStepUp(instance, session, returnTo, held)}
        keepsForm={held !== null}
      />,
      403,
    );
  });
}

/**
 * Returns the form to keep; `null` if it is too long, or contains a secret, which no page shows and which has to be typed again.
 */
function heldForm(act: string, form: Parameters, address: string): HeldForm | null {
  const fields: Record<string, readonly string[]> = {};
  for (const name of form.names()) {
    if (name === "csrf_token" || form.all(name).length === 0) continue;
    if (/secret/i.test(name)) return null;
    fields[name] = form.all(name);
  }
  const held = { act, fields };
  return address.length + JSON.stringify(held).length > HELD_CHARACTERS_MAX ? null : held;
}
