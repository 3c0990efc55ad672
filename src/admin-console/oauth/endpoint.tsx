import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { changedOf, readForm, storedForm } from "#admin-console/member-form.ts";
import { refusedForm } from "#admin-console/refused-form.ts";
import { fieldsOf } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { disableOAuthQuestion, OAuthPage } from "./views/oauth-page.tsx";

const LIFETIMES = fieldsOf(SETTING_MEMBERS, [
  "accessTokenLifetimeSeconds",
  "refreshRepeatSeconds",
  "grantIdleSeconds",
  "grantLifetimeSeconds",
]);

/** GET /admin/oauth */
export const oauthPage = pages.createHandlers(async (c) =>
  show(c, storedForm(LIFETIMES, c.var.instance.policy.settings), 200),
);

/** POST /admin/oauth: changes the lifetimes. */
export const saveLifetimes = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  const { settings } = instance.policy;
  try {
    const changes = changedOf(readForm(LIFETIMES, form, settings), settings);
    await services.administration.settings.change(changes);
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
  await c.var.services.administration.settings.change({ oauthEnabled });
  return done(c, "/oauth", oauthEnabled ? "enabled" : "disabled");
}

async function show(c: ConsoleContext, lifetimes: FormState, status: 200 | 422): Promise<Response> {
  const { instance, services } = c.var;
  return render(
    c,
    <OAuthPage
      isEnabled={instance.policy.settings.oauthEnabled}
      issuer={instance.issuer}
      mcpUrl={instance.issuer + MCP_PATH}
      reach={await services.grants.reach(instance.policy)}
      fields={LIFETIMES}
      lifetimes={lifetimes}
    />,
    status,
  );
}
