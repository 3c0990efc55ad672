import { render } from "#admin-console/page-endpoint.ts";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import { type Preset, PRESETS } from "#issuers/presets.ts";
import { backToIssuer } from "./endpoint.tsx";
import { EMPTY_ISSUER, ISSUER_FIELDS, NEW_FIELDS, readIssuer } from "./issuer-form.ts";
import { findPreset, inputsOf, onPresetForm, readPresetDraft } from "./preset-form.ts";
import { ChooseProviderPage, NewIssuerPage, PresetPage } from "./views/new-issuer-pages.tsx";

/** The value of `preset` for a provider without a preset. */
const BY_HAND = "other";

/** GET /admin/issuers/new: the choice of a provider; with `preset`, the form for that provider. */
export const newIssuerPage = pages.createHandlers((c) => {
  const [wanted = ""] = readQuery(c).all("preset");
  const preset = findPreset(wanted);
  if (preset) return showPreset(c, preset, { values: { scopes: "SEARCH" }, errors: {} });
  if (wanted === BY_HAND) return showByHand(c, EMPTY_ISSUER);
  return render(c, <ChooseProviderPage presets={PRESETS} />);
});

/** POST /admin/issuers/new */
export const addIssuer = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const preset = findPreset(form.one("preset") ?? "");
  try {
    const draft = preset ? readPresetDraft(form, preset) : readIssuer(form);
    const added = await services.administration.issuers.add(draft);
    return backToIssuer(c, added.configuration.issuer, "added");
  } catch (error) {
    const state = refusedForm(form, error);
    return preset ? showPreset(c, preset, onPresetForm(state, preset)) : showByHand(c, state);
  }
});

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
