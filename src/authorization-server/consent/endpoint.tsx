import { organisationOf } from "#instance/policy-snapshot.ts";
import { type AppContext, http, noStore, readForm, readQuery } from "#platform/http.ts";
import { OAuthError } from "#protocol/errors.ts";
import { destinationOf, isLoopback } from "#protocol/redirect-uri.ts";
import { describeScopes } from "./scope-words.ts";
import { ConsentPage } from "./views/consent-page.tsx";

/** GET /oauth/consent: asks the signed-in person, before anything is granted. */
export const consentPageEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services } = c.var;
  const question = await services.consent.question(instance, readQuery(c).require("request"), c.var.browser);
  const { client, request, person } = question;
  return c.html(
    <ConsentPage
      service={c.env.SERVICE_NAME}
      organisation={organisationOf(instance.policy)}
      clientName={client.name}
      clientUri={client.clientUri}
      trust={client.kind}
      destination={destinationOf(request.redirectUri)}
      isLoopback={isLoopback(request.redirectUri)}
      person={person}
      scopes={describeScopes(request.scope)}
      handle={question.handle}
      csrfToken={question.csrfToken}
    />,
  );
});

/** POST /oauth/consent: Allow, with the scopes that are left ticked, or Deny. */
export const consentDecisionEndpoint = http.createHandlers(noStore, async (c) => {
  requireSameOrigin(c);
  const form = await readForm(c);
  form.requireUnrepeated(["scope"]);
  const decision = form.require("decision");
  if (decision !== "allow" && decision !== "deny") {
    throw new OAuthError("invalid_request", { reason: "decision_unknown", description: "Answer with Allow or Deny" });
  }
  const target = await c.var.services.consent.decide(c.var.instance, {
    handle: form.require("request"),
    csrfToken: form.require("csrf_token"),
    browser: c.var.browser,
    allowedScopes: decision === "allow" ? form.all("scope") : null,
  });
  return c.redirect(target, 303);
});

/**
 * The form can only be posted from our own page; a browser says where a post comes from. `Origin: null` says nothing: it is
 * what our own `Referrer-Policy: no-referrer` makes of it (Fetch §3.2), so the CSRF token decides there.
 */
function requireSameOrigin(c: AppContext): void {
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  const isForeignOrigin = origin !== undefined && origin !== "null" && origin !== c.var.instance.issuer;
  const isForeignSite = site !== undefined && site !== "same-origin";
  if (isForeignOrigin || isForeignSite) throw new OAuthError("invalid_request", { reason: "cross_site_post" });
}
