import { isSessionState, type Sessions } from "./session.ts";
import type { BrowserEnv } from "#single-sign-on/browser-middleware.ts";
import { createFactory } from "hono/factory";
import { brandOf } from "#instance/policy-snapshot.ts";
import { noStore, readQuery } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { clearSession, readSession, type SignedInEnv, writeSession } from "./session-middleware.ts";
import { SignedOutPage } from "./views/signed-out-page.tsx";

const signingIn = createFactory<BrowserEnv<{ readonly sessions: Sessions }>>();
const signedIn = createFactory<SignedInEnv<{ readonly sessions: Sessions }>>();

/** GET /sign-in: to the organisation's SSO, and back to the page that asked. */
export const signInEndpoint = signingIn.createHandlers(noStore, async (c) => {
  const { browser, instance, services } = c.var;
  await requireWithinRate(c, "sign-in");
  const [returnTo = "/account"] = readQuery(c).all("to");
  return c.redirect(await services.sessions.begin(instance, returnTo, browser), 303);
});

/**
 * GET /oauth/callback: the browser comes back from the SSO after a sign-in to our own pages, whether or not the authorization
 * server is on: the console has the switch. Any other state is an app's.
 */
export const sessionCallbackEndpoint = signingIn.createHandlers(noStore, async (c, next) => {
  const { browser, instance, services } = c.var;
  const parameters = readQuery(c);
  parameters.requireUnrepeated();
  const state = parameters.require("state");
  if (!isSessionState(state)) return next();
  const { secret, returnTo } = await services.sessions.finish(instance, new URL(c.req.url), state, browser);
  // The cookie that named the old one is about to be overwritten: nobody could end it after that (ASVS 5.0 §7.2.4).
  const former = readSession(c, instance);
  if (former !== undefined) await services.sessions.end(instance, former);
  writeSession(c, instance, secret);
  return c.redirect(returnTo, 303);
});

/** POST /sign-out */
export const signOutEndpoint = signedIn.createHandlers(noStore, async (c) => {
  const { instance, services, session } = c.var;
  await services.sessions.end(instance, session.secret);
  clearSession(c, instance);
  return c.html(<SignedOutPage service={c.env.SERVICE_NAME} brand={brandOf(instance.policy)} />);
});
