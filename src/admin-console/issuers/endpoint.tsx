import { render } from "#admin-console/page-endpoint.ts";
import { done, type WordOf } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { readForm, storedForm } from "#admin-console/member-form.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { scopesInWords } from "#admin-console/scope-options.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { FormState } from "#platform/form-state.ts";
import { actInstance } from "#administration/act-instance.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import type { RegisteredIssuer } from "#issuers/registration.ts";
import { ISSUER_FIELDS } from "./issuer-form.ts";
import { counted } from "#pages/views/count.ts";
import { IssuerPage } from "./views/issuer-page.tsx";
import { issuerPath, IssuersPage } from "./views/issuers-page.tsx";

/** GET /admin/issuers */
export const issuersPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const issuers = await services.externalIssuers.list(instance.policy.instanceId);
  return render(
    c,
    <IssuersPage
      isOn={instance.policy.settings.externalTokensEnabled}
      authTypeHeader={services.serviceWords.authTypeHeader}
      issuers={issuers.map((each) => ({ ...each, abilities: scopesInWords(each.configuration.scopes) }))}
    />,
  );
});

/** GET /admin/issuers/issuer?issuer=…; with `check`, tries to fetch the provider's keys. */
export const issuerPage = pages.createHandlers(async (c) => {
  const registered = await requireIssuer(c, readQuery(c).all("issuer")[0]);
  return showIssuer(c, registered, storedForm(ISSUER_FIELDS, registered.configuration));
});

/** POST /admin/issuers/issuer */
export const editIssuer = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const registered = await requireIssuer(c, form.one("issuer"));
  const { issuer } = registered.configuration;
  try {
    const changes = readForm(ISSUER_FIELDS, form, {});
    await services.administration.issuers.edit(issuer, changes);
  } catch (error) {
    return showIssuer(c, registered, refusedForm(form, error));
  }
  return backToIssuer(c, issuer, "saved");
});

/** /admin/issuers/disable?issuer=… */
export const disableIssuer = decision({
  about: (c, field) => requireIssuer(c, field("issuer")),
  question: (_c, registered) =>
    about(
      registered,
      "Disable",
      "Its configuration is kept. If you enable it again, tokens that haven’t expired work again.",
    ),
  async decide(c, { configuration }) {
    await c.var.services.administration.issuers.disable(configuration.issuer);
    return backToIssuer(c, configuration.issuer, "disabled");
  },
});

/**
 * POST /admin/issuers/enable. Refused if the stored configuration is no longer acceptable, for example because the SSO has
 * changed.
 */
export const enableIssuer = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const registered = await requireIssuer(c, form.one("issuer"));
  const { issuer } = registered.configuration;
  try {
    await services.administration.issuers.enable(issuer);
  } catch (error) {
    const { errors } = refusedForm(form, error);
    return showIssuer(c, registered, { ...storedForm(ISSUER_FIELDS, registered.configuration), errors });
  }
  return backToIssuer(c, issuer, "enabled");
});

/** /admin/issuers/remove?issuer=… */
export const removeIssuer = decision({
  about: (c, field) => requireIssuer(c, field("issuer")),
  question: (_c, registered) =>
    about(registered, "Remove", "Its configuration is removed; the audit log keeps a record of it."),
  async decide(c, { configuration }) {
    await c.var.services.administration.issuers.remove(configuration.issuer);
    return done(c, "/issuers", "removed");
  },
});

function about(registered: RegisteredIssuer, act: string, configuration: string) {
  const { issuer, name, clientIds } = registered.configuration;
  const applications = counted(clientIds.length, "application");
  return {
    title: `${act} ${name}?`,
    fields: { issuer },
    back: issuerPath("issuer", registered),
    words: [
      registered.isDisabled
        ? `Nothing changes for ${applications}: the provider is disabled already.`
        : `Within 10 seconds the tokens that ${applications} got from ${issuer} are refused.`,
      configuration,
      "People who were created through it stay, and see the same documents. Sign-in is not affected.",
    ],
  };
}

/**
 * Redirects to an issuer's page, which says what was done and, unless the issuer was disabled, tries to fetch its keys.
 */
export function backToIssuer(c: ConsoleContext, issuer: string, word: WordOf<"/issuers/issuer">): Response {
  const query = new URLSearchParams({ issuer, ...(word !== "disabled" && { check: "1" }) }).toString();
  return done(c, "/issuers/issuer", word, `/admin/issuers/issuer?${query}`);
}

async function showIssuer(c: ConsoleContext, registered: RegisteredIssuer, state: FormState): Promise<Response> {
  const isChecked = c.req.method === "GET" && readQuery(c).all("check").length > 0;
  return render(
    c,
    <IssuerPage
      registered={registered}
      fields={ISSUER_FIELDS}
      state={state}
      keys={isChecked ? await c.var.services.issuerCheck.check(registered.configuration) : undefined}
    />,
    statusOf(state),
  );
}

/** Returns a registered issuer. @throws {ApiError} `not_found` if this instance doesn't have it */
async function requireIssuer(c: ConsoleContext, issuer = ""): Promise<RegisteredIssuer> {
  try {
    return await c.var.services.externalIssuers.require(actInstance(c), issuer);
  } catch (error) {
    if (!(error instanceof AdministrationRefused)) throw error;
    throw new ApiError("not_found", {
      reason: "external_issuer_unknown",
      description: "There is no such provider: it was removed",
      cause: error,
    });
  }
}
