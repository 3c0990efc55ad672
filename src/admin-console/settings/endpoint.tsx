import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { ask, decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { changedOf, readForm, storedForm } from "#admin-console/member-form.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { UNTYPED } from "#pages/untyped.ts";
import { fieldsOf } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { clearSession } from "#session/session-middleware.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { requireTypedName } from "./typed-name.ts";
import { counted } from "#pages/views/count.ts";
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

/** GET /admin/settings */
export const settingsPage = pages.createHandlers((c) =>
  show(c, storedForm(FIELDS, c.var.instance.policy.settings), UNTYPED),
);

/** POST /admin/settings */
export const saveSettings = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  try {
    const { settings } = instance.policy;
    const changes = changedOf(readForm(FIELDS, form, settings), settings);
    await services.administration.settings.change(changes);
  } catch (error) {
    return show(c, refusedForm(form, error), UNTYPED);
  }
  return done(c, "/settings", "saved");
});

/** POST /admin/settings/logo: uploads a logo. */
export const saveLogo = forms.createHandlers(async (c) => {
  const { form, instance, services, upload } = c.var;
  try {
    await services.administration.logos.put(upload);
  } catch (error) {
    return show(c, storedForm(FIELDS, instance.policy.settings), refusedForm(form, error, "logo"));
  }
  return done(c, "/settings", "logo");
});

/** POST /admin/settings/remove-logo */
export const removeLogo = pages.createHandlers(async (c) => {
  await c.var.services.administration.logos.remove();
  return done(c, "/settings", "no-logo");
});

/** /admin/settings/end-grants */
export const endGrants = decision({
  question: (c) => endGrantsAsked(c, UNTYPED),
  async decide(c) {
    const { form, instance, services } = c.var;
    try {
      requireTypedName(form.one("name"), instance.policy.name);
    } catch (error) {
      const state = refusedForm(form, error);
      return ask(c, await endGrantsAsked(c, state), state);
    }
    await services.administration.grants.revokeAll();
    return done(c, "/settings", "ended");
  },
});

/** /admin/settings/sign-everybody-out: also signs out the administrator who does it. */
export const signEverybodyOut = decision({
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
  async decide(c) {
    await c.var.services.administration.sessions.endAll();
    clearSession(c, c.var.instance);
    return c.redirect("/admin", 303);
  },
});

/** /admin/settings/refuse-external-tokens */
export const refuseExternalTokens = decision({
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
  decide: (c) => switchExternalTokens(c, false),
});

/** POST /admin/settings/take-external-tokens */
export const takeExternalTokens = pages.createHandlers((c) => switchExternalTokens(c, true));

async function switchExternalTokens(c: ConsoleContext, externalTokensEnabled: boolean): Promise<Response> {
  await c.var.services.administration.settings.change({ externalTokensEnabled });
  return done(c, "/settings", externalTokensEnabled ? "taken" : "refused");
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
    more: <TextField name="name" label={`To continue, type ${instance.policy.name}`} required state={state} />,
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
