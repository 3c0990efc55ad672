import { done } from "#admin-console/notices-endpoint.ts";
import { DAY, durationOf, MINUTE, shownDuration } from "#admin-console/durations.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm } from "#admin-console/refused-form.ts";
import { actInstance } from "#administration/act-instance.ts";
import type { FormState } from "#platform/form-state.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { disableOAuthQuestion, OAuthPage } from "./views/oauth-page.tsx";

/** The lifetimes in the form, each with its unit. */
const LIFETIMES = [
  ["accessTokenLifetimeSeconds", MINUTE],
  ["refreshRepeatSeconds", MINUTE],
  ["grantIdleSeconds", DAY],
  ["grantLifetimeSeconds", DAY],
] as const;

/** GET /admin/oauth */
export const oauthPage = pages.createHandlers(async (c) => show(c, storedLifetimes(c), 200));

/** POST /admin/oauth: changes the lifetimes. */
export const saveLifetimes = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  const { settings } = instance.policy;
  try {
    const changes = Object.fromEntries(LIFETIMES.map(([name, unit]) => [name, durationOf(form, name, unit, settings)]));
    await services.administration.settings.change(actInstance(c), changes, session.person.id);
  } catch (error) {
    return show(c, refusedForm(form, error), 422);
  }
  return done(c, "/oauth", "saved");
});

/** POST /admin/oauth/enable */
export const enableOAuth = pages.createHandlers((c) => switchTo(c, true));

/** /admin/oauth/disable */
export const disableOAuth = decision({
  question: async (c) => disableOAuthQuestion(await c.var.services.grants.reach(c.var.instance.policy)),
  decide: (c) => switchTo(c, false),
});

async function switchTo(c: ConsoleContext, oauthEnabled: boolean): Promise<Response> {
  const { services, session } = c.var;
  await services.administration.settings.change(actInstance(c), { oauthEnabled }, session.person.id);
  return done(c, "/oauth", oauthEnabled ? "enabled" : "disabled");
}

async function show(c: ConsoleContext, lifetimes: FormState, status: 200 | 422): Promise<Response> {
  const { instance, services } = c.var;
  return c.html(
    <OAuthPage
      frame={c.var.console}
      isEnabled={instance.policy.settings.oauthEnabled}
      issuer={instance.issuer}
      mcpUrl={instance.issuer + MCP_PATH}
      reach={await services.grants.reach(instance.policy)}
      lifetimes={lifetimes}
    />,
    status,
  );
}

function storedLifetimes(c: ConsoleContext): FormState {
  const { settings } = c.var.instance.policy;
  const values = LIFETIMES.map(([name, unit]) => [name, shownDuration(settings[name], unit)] as const);
  return { values: Object.fromEntries(values), errors: {} };
}
