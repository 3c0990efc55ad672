import { brandOf } from "#instance/policy-snapshot.ts";
import { http, noStore, readQuery } from "#platform/http.ts";
import { clearSession } from "./session-middleware.ts";
import { SignedOutPage } from "./views/signed-out-page.tsx";

/** GET /sign-in: to the organisation's SSO, and back to the page that asked. */
export const signInEndpoint = http.createHandlers(noStore, async (c) => {
  const { browser, instance, services } = c.var;
  const [returnTo = "/account"] = readQuery(c).all("to");
  return c.redirect(await services.sessions.begin(instance, returnTo, browser), 303);
});

/** POST /sign-out */
export const signOutEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services, session } = c.var;
  await services.sessions.end(instance, session.secret);
  clearSession(c);
  return c.html(<SignedOutPage service={c.env.SERVICE_NAME} brand={brandOf(instance.policy)} />);
});
