import { t } from "#pages/views/console-frame.ts";
import { counted } from "#pages/views/count.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { ENDS } from "#administration/act-table.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { changedOf, readForm, statusOf, storedForm } from "#admin-console/form-values.ts";
import { UNTYPED } from "#pages/views/form.tsx";
import { fieldsOf, type FormState } from "#platform/described-members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { clearSession } from "#session/session-middleware.tsx";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { TextField } from "#pages/views/fields.tsx";
import { SettingsPage } from "./views/settings-page.tsx";

const FIELDS = fieldsOf(SETTING_MEMBERS, [
  "displayName",
  "supportContact",
  "alertReceiver",
  "auditKeptSeconds",
  "searchLanguages",
  "searchPrefersRecent",
  "searchUsesCommonTerms",
]);

const SETTINGS = "/settings";

/** The instance's settings, and what ends much at once. */
export const SETTINGS_PATHS: ConsolePaths = {
  [SETTINGS]: consoleForm({
    page: (c) => show(c, storedState(c), UNTYPED),
    act: "settings.change",
    button: "Save the settings",
    async decide({ c, form, administration }) {
      const { settings } = c.var.instance.policy;
      await administration.settings.change(changedOf(readForm(FIELDS, form, settings), settings));
    },
    again: ({ c }, state) => show(c, state, UNTYPED),
    says: { saved: "Settings saved. Pages show them within 10 seconds." },
  }),
  "/settings/logo": consoleForm({
    act: "logos.put",
    button: "Save the logo",
    decide: ({ c, administration }) => administration.logos.put(c.var.upload),
    again: ({ c }, state) => show(c, storedState(c), state),
    field: "logo",
    leadsTo: SETTINGS,
    says: { logo: "Logo saved. Pages show it within 10 seconds." },
  }),
  "/settings/remove-logo": consoleForm({
    act: "logos.remove",
    button: "Remove the logo",
    decide: ({ administration }) => administration.logos.remove(),
    leadsTo: SETTINGS,
    says: { "no-logo": "Logo removed." },
  }),
  "/settings/end-grants": consoleForm({
    act: "grants.revokeAll",
    button: "End all access",
    question: (c) => endGrantsAsked(c, UNTYPED),
    async decide({ c, form, administration }) {
      const { name } = c.var.instance.policy;
      // So that nobody does it to the wrong instance.
      if (form.one("name")?.trim() !== name)
        throw new AdministrationRefused(`Type ${name}, the name of this instance`, "name");
      return administration.grants.revokeAll();
    },
    again: async ({ c, ask }, state) => ask(await endGrantsAsked(c, state), state),
    leadsTo: SETTINGS,
    says: { ended: "Access revoked for every app. Tokens stop working within 10 seconds." },
  }),
  // Also signs out the administrator who does it.
  "/settings/sign-everybody-out": consoleForm({
    act: "sessions.endAll",
    button: "Sign everybody out",
    async question(c) {
      const sessions = await c.var.services.sessions.count(c.var.instance.policy.instanceId);
      return {
        title: "Sign everybody out?",
        words: [
          `${counted(sessions, "sign-in")} to this console and to /account end at once, including yours.`,
          "People can sign in again. Apps are not affected.",
        ],
      };
    },
    async decide({ c, administration }) {
      await administration.sessions.endAll();
      clearSession(c, c.var.instance);
      return c.redirect("/admin", 303);
    },
  }),
  "/settings/refuse-external-tokens": consoleForm({
    act: "settings.change",
    button: "Refuse all",
    anySignIn: ENDS,
    question: (c) => {
      const names = [...c.var.instance.policy.externalIssuers.values()].map(({ name }) => name);
      const providers = [counted(names.length, "provider"), names.join(", ")].filter(Boolean).join(": ");
      return {
        title: "Refuse identity providers’ tokens?",
        words: [
          `Within 10 seconds the Client API refuses the access tokens of ${providers}.`,
          "Nothing is deleted. If you accept them again, tokens that haven’t expired work again. Sign-in is not affected.",
        ],
      };
    },
    decide: ({ administration }) => administration.settings.change({ externalTokensEnabled: false }),
    leadsTo: SETTINGS,
    says: { refused: "Tokens of identity providers will be refused within 10 seconds." },
  }),
  "/settings/take-external-tokens": consoleForm({
    act: "settings.change",
    button: "Accept external tokens",
    decide: ({ administration }) => administration.settings.change({ externalTokensEnabled: true }),
    leadsTo: SETTINGS,
    says: { taken: "Tokens of identity providers will be accepted again within 10 seconds." },
  }),
};

function storedState(c: ConsoleContext): FormState {
  return storedForm(FIELDS, c.var.instance.policy.settings);
}

async function endGrantsAsked({ var: { instance, services } }: ConsoleContext, state: FormState): Promise<Question> {
  const { clients, people, grants } = await services.grants.reach(instance.policy);
  return {
    title: "End every app’s access?",
    words: [
      `Within 10 seconds ${counted(clients, "app")} of ${counted(people, "person", "people")} stop working: ${counted(grants, "grant")} end, and so do sign-ins in progress.`,
      "Each app must ask each person again, and each person must allow it again. You can’t undo this.",
      "Service-issued tokens and identity providers’ tokens keep working.",
    ],
    more: later(() => (
      <TextField name="name" label={t`To continue, type ${instance.policy.name}`} required state={state} />
    )),
  };
}

async function show(c: ConsoleContext, settings: FormState, logo: FormState): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId, name, externalIssuers, settings: stored } = instance.policy;
  const [reach, sessions] = await Promise.all([
    services.grants.reach(instance.policy),
    services.sessions.count(instanceId),
  ]);
  return render(
    c,
    <SettingsPage
      name={name}
      fields={FIELDS}
      settings={settings}
      logo={logo}
      reach={reach}
      sessions={sessions}
      issuers={externalIssuers.size}
      takesExternalTokens={stored.externalTokensEnabled}
    />,
    statusOf(settings) === 422 ? 422 : statusOf(logo),
  );
}
