import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { changedOf, readForm, statusOf, storedForm } from "#admin-console/form-values.ts";
import { ENDS } from "#administration/act-table.ts";
import { fieldsOf, type FormState } from "#platform/described-members.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { disableOAuthQuestion, OAuthPage } from "./views/oauth-page.tsx";

const LIFETIMES = fieldsOf(SETTING_MEMBERS, [
  "accessTokenLifetimeSeconds",
  "refreshRepeatSeconds",
  "grantIdleSeconds",
  "grantLifetimeSeconds",
]);

/** Whether the authorization server is on, and how long what it issues lasts. */
export const OAUTH_PATHS: ConsolePaths = {
  "/oauth": consoleForm({
    page: (c) => show(c, storedForm(LIFETIMES, c.var.instance.policy.settings)),
    act: "settings.change",
    button: "Save the settings",
    async decide({ c, form, administration }) {
      const { settings } = c.var.instance.policy;
      await administration.settings.change(changedOf(readForm(LIFETIMES, form, settings), settings));
    },
    again: ({ c }, state) => show(c, state),
    says: { saved: "Lifetimes saved." },
  }),
  "/oauth/enable": consoleForm({
    act: "settings.change",
    button: "Switch OAuth on",
    decide: ({ administration }) => administration.settings.change({ oauthEnabled: true }),
    leadsTo: "/oauth",
    says: { enabled: "OAuth is on. The change takes effect within 10 seconds." },
  }),
  "/oauth/disable": consoleForm({
    act: "settings.change",
    button: "Turn off",
    anySignIn: ENDS,
    question: async (c) => disableOAuthQuestion(await c.var.services.grants.reach(c.var.instance.policy)),
    decide: ({ administration }) => administration.settings.change({ oauthEnabled: false }),
    leadsTo: "/oauth",
    says: { disabled: "OAuth is off. The change takes effect within 10 seconds." },
  }),
};

async function show(c: ConsoleContext, lifetimes: FormState): Promise<Response> {
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
    statusOf(lifetimes),
  );
}
