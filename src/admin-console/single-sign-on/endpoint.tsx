import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm, statusOf, typed } from "#admin-console/refused-form.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { Finding } from "#platform/finding.ts";
import { requireConnection, type SingleSignOnConnection } from "#single-sign-on/connection.ts";
import type { FormState } from "#platform/form-state.ts";
import { readConnection, storedConnection } from "./connection-form.ts";
import { SingleSignOnPage } from "./views/single-sign-on-page.tsx";

const REFUSED_SHOWN = 5;

/** GET /admin/single-sign-on */
export const singleSignOnPage = pages.createHandlers((c) =>
  show(c, storedConnection(c.var.instance.policy.singleSignOns[0])),
);

/**
 * POST /admin/single-sign-on. With another issuer, everybody gets a new account, so the form asks for confirmation first.
 */
export const saveSingleSignOn = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  try {
    const order = readConnection(form);
    const record = await services.instances.require(instance.policy.name);
    requireConnection(record.singleSignOns, order);
    if (isAnotherIssuer(c, order) && form.one("confirmed") !== "on") return askForNewIssuer(c, form);
    await services.administration.singleSignOn.connect(order);
  } catch (error) {
    return show(c, refusedForm(form, error), { form });
  }
  return done(c, "/single-sign-on", "saved");
});

/** POST /admin/single-sign-on/test: tests the connection in the form, saved or not. */
export const testSingleSignOn = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  try {
    const order = readConnection(form);
    const record = await services.instances.require(instance.policy.name);
    requireConnection(record.singleSignOns, order);
    const steps = await services.connectionCheck.check(record, order, callbackUri(c));
    return await show(c, { values: typed(form), errors: {} }, { form, steps });
  } catch (error) {
    return show(c, refusedForm(form, error), { form });
  }
});

function askForNewIssuer(c: ConsoleContext, form: Parameters): Promise<Response> {
  const message = "You are changing the issuer. Read what this means, then confirm it";
  return show(c, { values: typed(form), errors: { confirmed: message } }, { form });
}

function isAnotherIssuer(c: ConsoleContext, { issuer }: Pick<SingleSignOnConnection, "issuer">): boolean {
  const [stored] = c.var.instance.policy.singleSignOns;
  return stored !== undefined && stored.issuer !== issuer;
}

async function show(
  c: ConsoleContext,
  state: FormState,
  { form, steps }: { readonly form?: Parameters; readonly steps?: readonly Finding[] } = {},
): Promise<Response> {
  const { instance, services } = c.var;
  const [stored] = instance.policy.singleSignOns;
  const attempts = await services.connectionAttempts.recent(instance.policy.instanceId);
  const refused = attempts
    .flatMap((attempt) => attempt.steps)
    .filter(({ step, reason }) => step === "sign-in" && reason !== null);
  return render(
    c,
    <SingleSignOnPage
      state={state}
      refused={refused.toSorted((one, other) => other.at - one.at).slice(0, REFUSED_SHOWN)}
      redirectUri={callbackUri(c)}
      connected={
        stored && {
          issuer: stored.issuer,
          people: await services.people.countOf(instance.policy.instanceId, stored.issuer),
        }
      }
      isSecretTyped={form?.one("clientSecret") !== undefined}
      steps={steps}
    />,
    statusOf(state),
  );
}

function callbackUri(c: ConsoleContext): string {
  return c.var.instance.issuer + ENDPOINTS.callback;
}
