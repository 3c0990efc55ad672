import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { type AppRule, EVERYBODY, SELF_REGISTERED } from "#app-access/app-rules.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { lineOf, statusOf, typed } from "#admin-console/form-values.ts";
import { SCOPE_OPTIONS, scopesInWords } from "#admin-console/scope-options.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { counted } from "#pages/views/count.ts";
import type { FormState } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { foldName } from "#protocol/folding.ts";
import { parseScopes, type Scope, SCOPES } from "#protocol/scopes.ts";
import { rulesHref, RulesPage } from "./views/limits-pages.tsx";

/** Who may use an app of any kind. The form adds, replaces or removes a rule. */
export const RULE_PATHS: ConsolePaths = {
  "/clients/rules": consoleForm({
    page: (c) => showRules(c, readQuery(c).all("app")[0] ?? "", { values: { scopes: [...SCOPES] }, errors: {} }),
    act: "appRules.replace",
    button: "Save who may use the app",
    about: (_c, field) => field("app") ?? "",
    async decide({ c, form, administration, ask }, app) {
      const { instance, services } = c.var;
      const { rules = [], text = "" } = (await services.appRules.find(instance.policy.instanceId, app)) ?? {};
      const removed = form.one("remove");
      const group = lineOf(form, "group") ?? "";
      const scopes = parseScopes(form.all("scopes").join(" "));
      const kept = rules.filter((rule) => rule.group !== foldName(removed ?? group));
      const question = await questionAbout(c, app, { rules, removed, group, scopes });
      // The rules may have changed since the question was asked, and a confirmation counts only for the question that was shown.
      if (question && form.one("asked") !== question.title) {
        return ask({ ...question, fields: { ...typed(form), asked: question.title }, back: rulesHref(app) });
      }
      const added = removed === undefined ? [{ group, scopes }] : [];
      return administration.appRules.replace(app, [...kept, ...added], (seen) => {
        // Doesn't overwrite changes that somebody else made since the rules were read.
        if ((seen?.text ?? "") === text) return Promise.resolve();
        throw new AdministrationRefused("Somebody else changed these rules: reload them, then try again", "group");
      });
    },
    again: ({ c }, state, app) => showRules(c, app, state),
    at: (_replaced, app) => rulesHref(app),
    says: { saved: "Rules saved. They apply to running tokens within 10 seconds." },
  }),
};

interface ChangeOfRules {
  readonly rules: readonly AppRule[];
  /** The group whose rule is removed. */
  readonly removed: string | undefined;
  /** The group that gets a rule, and the scopes in that rule. */
  readonly group: string;
  readonly scopes: readonly Scope[];
}

const SOON = "Running tokens follow within 10 seconds.";

/**
 * Returns the question for a change that takes access from people or opens the app to everybody; `undefined` for other changes.
 */
async function questionAbout(
  c: ConsoleContext,
  app: string,
  { rules, removed, group, scopes }: ChangeOfRules,
): Promise<Question | undefined> {
  const { instance, services } = c.var;
  if (removed !== undefined) {
    const isAll = app === SELF_REGISTERED;
    return rules.length > 1
      ? {
          title: "Remove this rule?",
          words: [`People whose only rule is the one of ${removed} can’t use the app any more.`, SOON],
          button: "Remove the rule",
        }
      : {
          title: isAll ? "Open these apps to everybody?" : "Open this app to everybody?",
          words: [
            isAll
              ? "This is the last rule. Without it, everybody can use every app that no administrator created, unless the app has rules of its own."
              : "This is the last rule. Without it, everybody can use the app, with all of its scopes, unless there are rules for all apps that no administrator created. To stop everybody, disable the app.",
            SOON,
          ],
          button: isAll ? "Remove the rule and open the apps" : "Remove the rule and open the app",
        };
  }
  if (rules.length === 0 && group !== "" && group !== EVERYBODY && app === SELF_REGISTERED) {
    return {
      title: "Close these apps to everybody else?",
      words: [
        `With this rule, only people in ${group} can use apps that no administrator created, now and later; except apps that have rules of their own.`,
        SOON,
      ],
      button: "Add the rule and close the apps",
    };
  }
  if (rules.length === 0 && group !== "" && group !== EVERYBODY) {
    const { people } = await services.grants.reach(instance.policy, app);
    return {
      title: "Close this app to everybody else?",
      words: [
        `Until now everybody can use it, and ${counted(people, "person does", "people do")}. With this rule only people in ${group} can.`,
        SOON,
      ],
      button: "Add the rule and close the app",
    };
  }
  const before = rules.find((rule) => rule.group === foldName(group));
  const lost = before?.scopes.filter((scope) => !scopes.includes(scope)) ?? [];
  return lost.length === 0
    ? undefined
    : {
        title: "Remove scopes?",
        words: [`People in ${group} lose ${lost.join(", ")}.`, SOON],
        button: "Replace the rule",
      };
}

async function showRules(c: ConsoleContext, app: string, state: FormState): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const [stored, client] = await Promise.all([
    services.appRules.find(instanceId, app),
    services.clientDirectory.find(instanceId, app),
  ]);
  return render(
    c,
    <RulesPage
      app={app}
      name={app === SELF_REGISTERED ? "apps that no administrator created" : (client?.name ?? app)}
      isAll={app === SELF_REGISTERED}
      allHref={client && client.kind !== "static" ? rulesHref(SELF_REGISTERED) : undefined}
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
