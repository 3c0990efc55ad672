import { EVERYBODY } from "#app-access/app-rules.ts";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { SCOPE_OPTIONS, scopesInWords } from "#admin-console/scope-options.ts";
import { actInstance } from "#administration/act-instance.ts";
import { doneOf } from "#pages/page-middleware.ts";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { foldName } from "#protocol/folding.ts";
import { parseScopes, SCOPES } from "#protocol/scopes.ts";
import { RulesPage } from "./views/rules-page.tsx";

const DONE = { saved: "Rules saved. They apply to running tokens within 10 seconds." };

/** GET /admin/clients/rules?app=…: who may use an app of any kind. */
export const rulesPage = pages.createHandlers(async (c) => {
  const [app = ""] = readQuery(c).all("app");
  return showRules(c, app, { values: { scopes: [...SCOPES] }, errors: {} });
});

/** POST /admin/clients/rules: adds, replaces or removes a rule. */
export const changeRules = forms.createHandlers(async (c) => {
  const { form, services, session } = c.var;
  const app = form.require("app");
  const { rules = [], text = "" } = (await services.appRules.find(c.var.instance.policy.instanceId, app)) ?? {};
  const removed = form.one("remove");
  const group = form.one("group") ?? "";
  const kept = rules.filter((rule) => rule.group !== foldName(removed ?? group.trim()));
  const added = removed === undefined ? [{ group, scopes: parseScopes(form.all("scopes").join(" ")) }] : [];
  try {
    await services.administration.appRules.replace(
      actInstance(c),
      app,
      [...kept, ...added],
      session.person.id,
      (seen) => {
        // Keeps what somebody else changed since this was read.
        if ((seen?.text ?? "") === text) return Promise.resolve();
        throw new AdministrationRefused("Somebody else changed these rules: reload them, then try again", "group");
      },
    );
  } catch (error) {
    return showRules(c, app, refusedForm(form, error));
  }
  return c.redirect(`/admin/clients/rules?app=${encodeURIComponent(app)}&done=saved`, 303);
});

async function showRules(c: ConsoleContext, app: string, state: FormState): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const [stored, client] = await Promise.all([
    services.appRules.find(instanceId, app),
    services.clientDirectory.find(instanceId, app),
  ]);
  return c.html(
    <RulesPage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      app={app}
      name={client?.name ?? app}
      rules={(stored?.rules ?? []).map((rule) => ({
        ...rule,
        who: rule.group === EVERYBODY ? "Everybody" : rule.group,
        may: scopesInWords(rule.scopes),
      }))}
      scopes={SCOPE_OPTIONS}
      state={state}
    />,
    statusOf(state),
  );
}
