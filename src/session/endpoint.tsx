import type { BrowserEnv } from "#single-sign-on/browser-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { noStore, readForm, readQuery } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { choicesOf, chosenSso, ssoWithoutAsking } from "#single-sign-on/choosing.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import type { Sessions } from "./session.ts";
import { clearSession, readSession, type SignedInEnv, signInPath, writeSession } from "./session-middleware.tsx";
import { isSessionState, ownPage, type SessionSignIn } from "./session-sign-in.ts";
import { pageOf } from "./step-up.ts";
import { HeldFormPage, SignedOutPage, SignInPage } from "./views/session-pages.tsx";

const signingIn = createFactory<BrowserEnv<{ readonly sessions: Sessions; readonly sessionSignIn: SessionSignIn }>>();
const signedIn = createFactory<SignedInEnv<{ readonly sessions: Sessions }>>();

/**
 * GET /sign-in: shows the sign-in page. Links from other sites may lead here, so a sign-in starts only with a click (ASVS 5.0
 * §7.6.2).
 */
export const signInPageEndpoint = signingIn.createHandlers(noStore, async (c) => {
  const { browser, instance, services } = c.var;
  const [returnTo = ""] = readQuery(c).all("to");
  return c.html(
    <SignInPage
      brand={brandOf(instance.policy)}
      locale={c.var.locale ?? ENGLISH_LOCALE}
      returnTo={ownPage(returnTo)}
      formToken={await services.sessionSignIn.formToken(instance, browser)}
      choices={choicesOf(instance.policy.singleSignOns)}
    />,
  );
});

/** POST /sign-in: redirects to the organisation's SSO; the sign-in then returns to the page that required it. */
export const signInEndpoint = signingIn.createHandlers(noStore, async (c) => {
  const { browser, instance, services } = c.var;
  await requireWithinRate(c, "sign-in");
  requireSameOrigin(c, instance.issuer);
  const form = await readForm(c);
  const [returnTo = ""] = form.all("to");
  // If the page was open for longer than the cookie that its token belongs to, the page is shown again, and no sign-in starts.
  if (!(await services.sessionSignIn.isOwnForm(instance, browser, form.all("csrf_token")[0]))) {
    return c.redirect(signInPath(ownPage(returnTo)), 303);
  }
  const { singleSignOns } = instance.policy;
  const sso = ssoWithoutAsking(singleSignOns) ?? chosenSso(singleSignOns, form);
  if (!sso) return c.redirect(signInPath(ownPage(returnTo)), 303);
  return c.redirect(await services.sessionSignIn.begin(instance, sso, returnTo, browser), 303);
});

/**
 * GET /oauth/callback: the browser comes back from the SSO after a sign-in to our own pages. This works even if the authorization
 * server is off, because the console has the switch. Any other `state` belongs to an app's request.
 */
export const sessionCallbackEndpoint = signingIn.createHandlers(noStore, async (c, next) => {
  const { browser, instance, services } = c.var;
  const parameters = readQuery(c, "lines");
  parameters.requireUnrepeated();
  const state = parameters.require("state");
  if (!isSessionState(state)) return next();
  const former = readSession(c, instance);
  const returning = { browser, session: former, userAgent: c.req.header("User-Agent") ?? "" };
  const { secret, returnTo, form } = await services.sessionSignIn.finish(
    instance,
    new URL(c.req.url),
    state,
    returning,
  );
  // The old session's cookie is about to be overwritten, and nobody could end that session afterwards (ASVS 5.0 §7.2.4).
  if (former !== undefined) await services.sessions.end(instance, former);
  writeSession(c, instance, secret);
  if (form === null) return c.redirect(returnTo, 303);
  // The console is in English.
  const back = pageOf(returnTo);
  return c.html(
    <HeldFormPage
      brand={brandOf(instance.policy)}
      locale={(back === "/admin" ? undefined : c.var.locale) ?? ENGLISH_LOCALE}
      back={back}
      action={returnTo}
      csrfToken={await services.sessions.csrfToken(secret)}
      {...form}
    />,
  );
});

/** POST /sign-out */
export const signOutEndpoint = signedIn.createHandlers(noStore, async (c) => {
  const { instance, services, session } = c.var;
  await services.sessions.end(instance, session.secret);
  clearSession(c, instance);
  const { locale = ENGLISH_LOCALE } = c.var;
  return c.html(<SignedOutPage brand={brandOf(instance.policy)} locale={locale} />);
});
