import { contentOf, namesOfClient } from "#app-access/app-access.ts";
import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { noteStep } from "#connection-attempts/step-middleware.ts";
import { askForApproval, consentQuestion, decideConsent, REASON_CHARACTERS_MAX } from "./consent.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { mustPush } from "#clients/client-requirements.ts";
import { knownHostAt } from "#clients/hosts.ts";
import type { BrowserEnv } from "#single-sign-on/browser-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { localeFor } from "#pages/page-middleware.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { noStore, readForm, readQuery } from "#platform/http.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { OAuthError } from "#protocol/errors.ts";
import { destinationOf, isLoopback } from "#protocol/redirect-uri.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { contentInWords, describeScopes } from "#consents/scope-words.ts";
import { withAnotherAccount } from "./another-account.ts";
import { ConsentPage } from "./views/consent-page.tsx";
import { WaitingPage } from "./views/waiting-page.tsx";
import { LeftOutPage } from "#authorization-server/consent/views/left-out-page.tsx";

const http = createFactory<BrowserEnv<OAuthServices & { readonly connectionAttempts: ConnectionAttempts }>>();

/** GET /oauth/consent: asks the signed-in person, before anything is granted. */
export const consentPageEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services } = c.var;
  const question = await consentQuestion(services, instance, readQuery(c).require("request"), c.var.browser);
  const { client, request, person, scope } = question;
  const { settings } = instance.policy;
  const locale = await localeFor(c, request.uiLocales);
  const frame = {
    action: ENDPOINTS.consent,
    brand: brandOf(instance.policy),
    locale,
    clientName: client.name,
    destination: destinationOf(request.redirectUri),
    person,
    switchUrl: mustPush(client, settings) ? undefined : withAnotherAccount(request),
    handle: question.handle,
    csrfToken: question.csrfToken,
  };
  if (question.leftOut) {
    noteStep(c, request, question.leftOut);
    return c.html(<LeftOutPage {...frame} />, 403);
  }
  if (question.waiting) {
    const { refusal, hasAsked } = question.waiting;
    noteStep(c, request, refusal);
    return c.html(<WaitingPage {...frame} hasAsked={hasAsked} reasonCharactersMax={REASON_CHARACTERS_MAX} />, 403);
  }
  const staysConnected = parseScopes(scope.join(" ")).includes("offline_access");
  return c.html(
    <ConsentPage
      {...frame}
      clientUri={client.clientUri}
      policyUri={client.policyUri}
      tosUri={client.tosUri}
      trust={client.kind}
      isApproved={client.kind === "static" || client.isApproved}
      publisher={client.kind === "document" ? new URL(client.id).host : null}
      knownAs={knownHostAt(client, request.redirectUri)?.name}
      content={contentInWords(locale, frame.brand.organisation, contentOf(instance.policy, namesOfClient(client)))}
      isLoopback={isLoopback(request.redirectUri)}
      scopes={describeScopes(scope, locale.messages).map((described) => ({
        ...described,
        isHeld: question.heldScopes.includes(described.scope),
      }))}
      lifetimeSeconds={staysConnected ? settings.grantLifetimeSeconds : settings.accessTokenLifetimeSeconds}
    />,
  );
});

/** POST /oauth/consent: Allow, with the scopes that are still selected, or Deny; or Ask, while the app waits for approval. */
export const consentDecisionEndpoint = http.createHandlers(noStore, async (c) => {
  requireSameOrigin(c, c.var.instance.issuer);
  const form = await readForm(c);
  form.requireUnrepeated(["scope"]);
  const decision = form.require("decision");
  const answer = { handle: form.require("request"), csrfToken: form.require("csrf_token"), browser: c.var.browser };
  if (decision === "ask") {
    await askForApproval(c.var.services, c.var.instance, answer, form.one("reason") ?? "");
    return c.redirect(`${ENDPOINTS.consent}?${new URLSearchParams({ request: answer.handle }).toString()}`, 303);
  }
  if (decision !== "allow" && decision !== "deny") {
    throw new OAuthError("invalid_request", { reason: "decision_unknown", description: "Answer with Allow or Deny" });
  }
  const { target, request, denial } = await decideConsent(c.var.services, c.var.instance, {
    ...answer,
    allowedScopes: decision === "allow" ? form.all("scope") : null,
  });
  if (denial) noteStep(c, request, denial);
  return c.redirect(target, 303);
});
