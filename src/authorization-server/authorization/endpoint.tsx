import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { noteStep } from "#connection-attempts/step-middleware.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { isReference, takePushed } from "#authorization-server/pushed-requests/pushed-requests.ts";
import { requirePushed } from "#clients/client-requirements.ts";
import type { BrowserEnv } from "#single-sign-on/browser-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { requireOAuthEnabled } from "#authorization-server/discovery/metadata.ts";
import { ENGLISH_LOCALE, refusalText } from "#messages/locale.ts";
import { localeFor } from "#pages/page-middleware.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { type ContextOf, noStore, readForm, readQuery } from "#platform/http.ts";
import { log } from "#platform/log.ts";
import { choicesOf, chosenSso } from "#single-sign-on/choosing.ts";
import { removedMeanwhile } from "#single-sign-on/sign-in.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import { callerNetwork, requireWithinRate } from "#platform/rate-limit.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { destinationOf, withRefusal } from "#protocol/redirect-uri.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { parseAuthorizationRequest, requireRegisteredRedirectUri } from "./authorization-request.ts";
import { beginSignIn, chooseSso, requireClient, returnFromSignIn } from "./authorize.ts";
import { mayRedirectUnasked } from "./unasked-redirects.ts";
import { ChoicePage, ReturnPage } from "./views/authorization-pages.tsx";

type Env = BrowserEnv<OAuthServices & { readonly connectionAttempts: ConnectionAttempts }>;

const http = createFactory<Env>();

/**
 * GET /oauth/authorize (OAuth 2.1 §4.1.1, RFC 9126 §4). Until the client and the redirect URI are known to belong together, errors are
 * shown on our own page. After that, they are sent to the client with its state and our `iss` (RFC 9207): by a redirect if that is
 * safe, otherwise by a page that asks the person first. Server errors and `slow_down` always stay on our page.
 */
export const authorizationEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services, browser } = c.var;
  const parameters = readQuery(c);
  await requireWithinRate(c, "authorization");
  const beforeFetch = () => requireWithinRate(c, "unknown-client");
  const clientId = parameters.require("client_id");
  const requestUri = parameters.one("request_uri");
  const ahead = services.signIn.readAhead(instance);
  const { client, pushed, redirectUri } = await ofConnection({ clientId }, async () => {
    const found = await requireClient(services, instance, clientId, beforeFetch);
    const taken = isReference(requestUri) && (await takePushed(services, instance, found, requestUri));
    const target = taken ? taken.redirectUri : requireRegisteredRedirectUri(parameters, found, instance.issuer);
    return { client: found, pushed: taken, redirectUri: target };
  });
  try {
    if (!pushed) requirePushed(client, instance.policy.settings);
    const request = pushed || parseAuthorizationRequest(parameters, client, redirectUri, instance);
    const next = await beginSignIn(services, instance, ahead, request, browser, callerNetwork(c));
    noteStep(c, request);
    if ("url" in next) return c.redirect(next.url);
    const locale = await localeFor(c, request.uiLocales);
    const choice = { action: ENDPOINTS.signIn, handle: next.handle, choices: choicesOf(instance.policy.singleSignOns) };
    return c.html(<ChoicePage brand={brandOf(instance.policy)} locale={locale} {...choice} />);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    error.connection = { clientId: client.id };
    if (error.status >= 500 || error.code === "slow_down") throw error;
    noteStep(c, error.connection, error);
    const [state, ...repeated] = pushed ? [pushed.state] : parameters.all("state");
    log({
      level: "info",
      event: "refused",
      requestId: c.var.frame.requestId,
      code: error.code,
      reason: error.reason,
      about: error.about,
    });
    const asked = { redirectUri, state: repeated.length === 0 ? state : undefined, issuer: instance.issuer };
    const target = withRefusal(asked, error);
    return mayRedirectUnasked(client, redirectUri) ? c.redirect(target) : askToReturn(c, error, target);
  }
});

/** POST /oauth/sign-in: redirects to the SSO that the person chose. */
export const chosenSsoEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services, browser } = c.var;
  await requireWithinRate(c, "sign-in");
  requireSameOrigin(c, instance.issuer);
  const form = await readForm(c);
  const handle = form.require("request");
  const sso = chosenSso(instance.policy.singleSignOns, form);
  if (!sso) throw removedMeanwhile();
  return c.redirect(await chooseSso(services, instance, handle, sso, browser), 303);
});

/** GET /oauth/callback: the browser returns from the SSO and continues to the consent page under a new handle. */
export const callbackEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services, browser } = c.var;
  // Entra writes line breaks into its error_description.
  const parameters = readQuery(c, "lines");
  parameters.requireUnrepeated();
  const state = parameters.require("state");
  const answer = new URL(c.req.url);
  requireOAuthEnabled(instance);
  const returned = await returnFromSignIn(services, instance, answer, state, browser);
  const { request } = returned;
  if ("cancelled" in returned) {
    const { cancelled, isUnasked } = returned;
    const refusal = new OAuthError("access_denied", {
      reason: "sign_in_cancelled",
      description: "The sign-in was cancelled",
    });
    noteStep(c, request, refusal);
    return isUnasked ? c.redirect(cancelled, 303) : askToReturn(c, refusal, cancelled, request.uiLocales);
  }
  noteStep(c, request);
  return c.redirect(`${ENDPOINTS.consent}?request=${returned.handle}`, 303);
});

/** Shows a page that names where the app wants the browser to go (RFC 9700 §4.11.2), instead of redirecting there. */
async function askToReturn(c: ContextOf<Env>, refusal: OAuthError, target: string, uiLocales?: string) {
  const locale = uiLocales === undefined ? (c.var.locale ?? ENGLISH_LOCALE) : await localeFor(c, uiLocales);
  return c.html(
    <ReturnPage
      brand={brandOf(c.var.instance.policy)}
      locale={locale}
      refusal={refusalText(locale, refusal)}
      destination={destinationOf(target)}
      target={target}
      requestId={c.var.frame.requestId}
    />,
    400,
  );
}
