import { render } from "#admin-console/page-endpoint.ts";
import { consoleForm, type ConsolePaths } from "#admin-console/form-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/refused-form.ts";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import { type Preset, PRESETS } from "#issuers/presets.ts";
import { checkedIssuer } from "./endpoint.tsx";
import { EMPTY_ISSUER, ISSUER_FIELDS, NEW_FIELDS, readIssuer } from "./issuer-form.ts";
import { BY_HAND, inputsOf, onPresetForm, readPresetDraft } from "./preset-form.ts";
import { ChooseProviderPage, NewIssuerPage, PresetPage } from "./views/new-issuer-pages.tsx";

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
