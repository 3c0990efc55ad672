import { consoleForm, type ConsolePaths, readList, render } from "#admin-console/page-endpoint.tsx";
import { requireAcceptable } from "#administration/settings-rules.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/form-values.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import type { FormState } from "#platform/described-members.ts";
import { contentHref, rulesHref } from "#admin-console/clients/views/limits-pages.tsx";
import { SELF_REGISTERED } from "#app-access/app-rules.ts";
import { toShown } from "#admin-console/clients/app-shown.ts";
import { PRESET_ADDRESSES, PRESET_OPTIONS } from "./preset-options.ts";
import { narrowingOf, readChanges, RULE_FIELDS, storedRules, typedRules } from "./registration-rules.ts";
import { narrowingQuestion } from "./views/narrowing-question.tsx";
import { RegistrationPage } from "./views/registration-page.tsx";

/** Which apps may register, and which wait for approval. */
export const REGISTRATION_PATHS: ConsolePaths = {
  "/registration": consoleForm({
    page: (c) => show(c, storedRules(c.var.instance.policy.settings)),
    // If the new rules take something from apps in use, the response asks first, and says what is taken from how many people. To
    // confirm, its form sends the same values again with `confirmed`.
    act: "settings.change",
    button: "Save the settings",
    async decide({ c, form, administration, ask }) {
      const { instance, services } = c.var;
      const { name, settings } = instance.policy;
      const changes = readChanges(form, settings);
      const record = await services.instances.require(name);
      const narrowing = narrowingOf(settings, requireAcceptable(record.settings, changes));
      if (narrowing && form.one("confirmed") !== "yes") {
        const reach = await services.grants.unvouchedReach(instance.policy);
        return ask(narrowingQuestion(narrowing, reach, typedRules(form, settings)));
      }
      return administration.settings.change(changes);
    },
    again: ({ c }, state) => show(c, state),
    says: { saved: "Rules saved. They take effect within 10 seconds." },
  }),
};

async function show(c: ConsoleContext, state: FormState): Promise<Response> {
  const { instance, services } = c.var;
  const { settings } = instance.policy;
  const { items, list } = await readList(c, CLIENT_LIST, (id, query) => services.clientDirectory.list(id, query), {
    state: "waiting",
  });
  return render(
    c,
    <RegistrationPage
      state={state}
      fields={RULE_FIELDS}
      presets={PRESET_OPTIONS}
      presetAddresses={PRESET_ADDRESSES}
      rulesHref={rulesHref(SELF_REGISTERED)}
      contentHref={contentHref("clients", SELF_REGISTERED)}
      approvesNothing={settings.registration === "approved" && settings.approvedRedirectUris.length === 0}
      waiting={items.map(toShown)}
      list={list}
    />,
    statusOf(state),
  );
}
