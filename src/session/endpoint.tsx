import { brandOf } from "#instance/policy-snapshot.ts";
import { http, noStore, readQuery } from "#platform/http.ts";
import { isSessionState } from "./session.ts";
import { clearSession, readSession, writeSession } from "./session-middleware.ts";
import { SignedOutPage } from "./views/signed-out-page.tsx";

/** GET /sign-in: to the organisation's SSO, and back to the page that asked. */
export const signInEndpoint = http.createHandlers(noStore, async (c) => {
  const { browser, instance, services } = c.var;
  const [returnTo = "/account"] = readQuery(c).all("to");
  return c.redirect(await services.sessions.begin(instance, returnTo, browser), 303);
});

/**
 * GET /oauth/callback: the browser comes back from the SSO after a sign-in to our own pages, whether or not the authorization
 * server is on: the console has the switch. Any other state is an app's.
 */
export const sessionCallbackEndpoint = http.createHandlers(noStore, async (c, next) => {
  const { browser, instance, services } = c.var;
  const parameters = readQuery(c);
  parameters.requireUnrepeated();
  const state = parameters.require("state");
  if (!isSessionState(state)) return next();
  const { secret, returnTo } = await services.sessions.finish(instance, new URL(c.req.url), state, browser);
  // The cookie that named the old one is about to be overwritten: nobody could end it after that (ASVS 5.0 §7.2.4).
  const former = readSession(c);
  if (former !== undefined) await services.sessions.end(instance, former);
  writeSession(c, secret);
  return c.redirect(returnTo, 303);
});

/** POST /sign-out */
export const signOutEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services, session } = c.var;
  await services.sessions.end(instance, session.secret);
  clearSession(c);
  return c.html(<SignedOutPage service={c.env.SERVICE_NAME} brand={brandOf(instance.policy)} />);
});
