import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { readForm, statusOf, storedForm } from "#admin-console/form-values.ts";
import { scopesInWords } from "#admin-console/scope-options.ts";
import type { FormState } from "#platform/described-members.ts";
import { actInstance } from "#administration/act-instance.ts";
import { readQuery } from "#platform/http.ts";
import type { RegisteredIssuer } from "#issuers/external-issuer.ts";
import { EMPTY_ISSUER, ISSUER_FIELDS, NEW_FIELDS, readIssuer } from "./issuer-form.ts";
import { counted } from "#pages/views/count.ts";
import { IssuerPage, issuerPath, IssuersPage } from "./views/issuer-pages.tsx";
import { type Preset, PRESETS } from "#issuers/presets.ts";
import { BY_HAND, inputsOf, onPresetForm, readPresetDraft } from "./preset-form.ts";
import { ChooseProviderPage, NewIssuerPage, PresetPage } from "./views/new-issuer-pages.tsx";

const ISSUER = "/issuers/issuer";

/** The identity providers whose tokens are accepted. */
export const ISSUER_PATHS: ConsolePaths = {
  "/issuers": {
    page: async (c) => {
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
    },
  },
  // With `check`, it tries to fetch the provider's keys.
  [ISSUER]: consoleForm({
    page: async (c) => {
      const registered = await requireIssuer(c, readQuery(c).all("issuer")[0]);
      return show(c, registered, storedForm(ISSUER_FIELDS, registered.configuration));
    },
    act: "issuers.edit",
    button: "Save the provider",
    about: (c, field) => requireIssuer(c, field("issuer")),
    decide: async ({ form, administration }, { configuration }) =>
      administration.issuers.edit(configuration.issuer, readForm(ISSUER_FIELDS, form, {})),
    again: ({ c }, state, registered) => show(c, registered, state),
    at: checkedIssuer,
    says: { saved: "Changes saved. They take effect within 10 seconds." },
  }),
  "/issuers/disable": consoleForm({
    act: "issuers.disable",
    button: "Disable",
    about: (c, field) => requireIssuer(c, field("issuer")),
    question: (_c, registered) =>
      about(
        registered,
        "Disable",
        "Its configuration is kept. If you enable it again, tokens that haven’t expired work again.",
      ),
    decide: ({ administration }, { configuration }) => administration.issuers.disable(configuration.issuer),
    leadsTo: ISSUER,
    at: (_disabled, registered) => issuerPath("issuer", registered),
    says: { disabled: "Provider disabled. Its tokens will be refused within 10 seconds." },
  }),
  // Refused if the stored configuration is no longer acceptable, for example because the SSO has changed.
  "/issuers/enable": consoleForm({
    act: "issuers.enable",
    button: "Enable the provider",
    about: (c, field) => requireIssuer(c, field("issuer")),
    decide: ({ administration }, { configuration }) => administration.issuers.enable(configuration.issuer),
    again: ({ c }, { errors }, registered) =>
      show(c, registered, { ...storedForm(ISSUER_FIELDS, registered.configuration), errors }),
    leadsTo: ISSUER,
    at: checkedIssuer,
    says: { enabled: "Provider enabled. Its tokens will be accepted within 10 seconds." },
  }),
  "/issuers/remove": consoleForm({
    act: "issuers.remove",
    button: "Remove the provider",
    about: (c, field) => requireIssuer(c, field("issuer")),
    question: (_c, registered) =>
      about(registered, "Remove", "Its configuration is removed; the audit log keeps a record of it."),
    decide: ({ administration }, { configuration }) => administration.issuers.remove(configuration.issuer),
    leadsTo: "/issuers",
    says: { removed: "Provider removed. Its tokens will be refused within 10 seconds." },
  }),
};

/** Returns the address of an issuer's page that tries to fetch its keys. */
function checkedIssuer(_outcome: unknown, registered: Pick<RegisteredIssuer, "configuration">): string {
  return `${issuerPath("issuer", registered)}&check=1`;
}

function about(registered: RegisteredIssuer, act: string, configuration: string) {
  const { issuer, name, clientIds } = registered.configuration;
  const applications = counted(clientIds.length, "application");
  return {
    title: `${act} “${name}”?`,
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

async function show(c: ConsoleContext, registered: RegisteredIssuer, state: FormState): Promise<Response> {
  const isChecked = c.req.method === "GET" && readQuery(c).all("check").length > 0;
  return render(
    c,
    <IssuerPage
      registered={registered}
      fields={ISSUER_FIELDS}
      state={state}
      keys={isChecked ? await c.var.services.checkIssuer(registered.configuration) : undefined}
    />,
    statusOf(state),
  );
}

/** Returns a registered issuer. @throws {ApiError} `not_found` if this instance doesn't have it */
function requireIssuer(c: ConsoleContext, issuer = ""): Promise<RegisteredIssuer> {
  return c.var.services.externalIssuers.require(actInstance(c), issuer);
}

/** The choice of a provider; with `preset`, the form for that provider. */
export const NEW_ISSUER_PATHS: ConsolePaths = {
  "/issuers/new": consoleForm({
    page: (c) => {
      const [wanted] = readQuery(c).all("preset");
      const preset = findPreset(wanted);
      if (preset) return showPreset(c, preset, { values: { scopes: "SEARCH" }, errors: {} });
      if (wanted === BY_HAND) return showByHand(c, EMPTY_ISSUER);
      return render(c, <ChooseProviderPage presets={PRESETS} />);
    },
    act: "issuers.add",
    button: "Add the provider",
    about: (_c, field) => findPreset(field("preset")),
    decide: async ({ form, administration }, preset) =>
      administration.issuers.add(preset ? readPresetDraft(form, preset) : readIssuer(form)),
    again: ({ c }, state, preset) =>
      preset ? showPreset(c, preset, onPresetForm(state, inputsOf(preset), OTHER_FIELDS)) : showByHand(c, state),
    leadsTo: "/issuers/issuer",
    at: (added) => checkedIssuer(undefined, added),
    says: { added: "Provider added. Its tokens will be accepted within 10 seconds." },
  }),
};

const OTHER_FIELDS = ["scopes", "emailDomains", "emailVouchedBy", "emailVerifiedClaim"];

function findPreset(name: string | undefined): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

function showPreset(c: ConsoleContext, preset: Preset, state: FormState) {
  return render(
    c,
    <PresetPage preset={preset} inputs={inputsOf(preset)} fields={ISSUER_FIELDS} state={state} />,
    statusOf(state),
  );
}

function showByHand(c: ConsoleContext, state: FormState) {
  return render(
    c,
    <NewIssuerPage fields={{ ...NEW_FIELDS, ...ISSUER_FIELDS }} state={state} preset={BY_HAND} />,
    statusOf(state),
  );
}
