import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf, typed } from "#admin-console/form-values.ts";
import type { AppRuleActs } from "#administration/app-rule-acts.ts";
import type { Administration } from "#administration/administration.ts";
import { contentLines, describeContent, readContentLines } from "#app-access/app-content.ts";
import { SELF_REGISTERED, type StoredRules } from "#app-access/app-rules.ts";
import type { FormState } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { appNames } from "./app-names.ts";
import { contentHref, ContentPage, type Searcher } from "./views/limits-pages.tsx";

/** What apps and machines may search. */
export const CONTENT_OF_APP_PATHS: ConsolePaths = {
  "/clients/content": contentOf(
    "clients",
    "Save what the app may search",
    "appRules.limit",
    (administration, ...given) => administration.appRules.limit(...given),
  ),
  "/service-accounts/content": contentOf(
    "service-accounts",
    "Save what it may search",
    "appRules.limitMachine",
    (administration, ...given) => administration.appRules.limitMachine(...given),
  ),
};

function contentOf(
  of: Searcher,
  button: string,
  act: "appRules.limit" | "appRules.limitMachine",
  limit: (administration: Administration, ...given: Parameters<AppRuleActs["limit"]>) => Promise<boolean>,
): ConsolePaths[string] {
  return consoleForm({
    page: async (c) => {
      const named = await namedApp(c, readQuery(c).all("app")[0]);
      return show(c, of, named, { values: { content: contentLines(named.stored?.content ?? []) }, errors: {} });
    },
    act,
    button,
    about: (c, field) => namedApp(c, field("app")),
    async decide({ c, form, administration, ask }, { app, stored }) {
      const wanted = readContentLines(form.one("content") ?? "");
      const title = wanted.length === 0 ? "Let it search everything?" : "Change what it may search?";
      if (form.one("asked") !== title) {
        const { instance, services } = c.var;
        const people = of === "clients" ? (await services.grants.reach(instance.policy, app)).people : undefined;
        const now = describeContent(stored?.content ?? []);
        return ask({
          title,
          words: [
            people === undefined
              ? `It may search ${now} today.`
              : `It may search ${now} today (people who use it: ${people}).`,
            "Running tokens follow within 10 seconds.",
          ],
          button: "Save what it may search",
          fields: { ...typed(form), asked: title },
          back: contentHref(of, app),
        });
      }
      return limit(administration, app, wanted, (seen) => {
        if ((seen?.text ?? "") === (stored?.text ?? "")) return Promise.resolve();
        throw new AdministrationRefused("Somebody else changed this: reload the page, then try again", "content");
      });
    },
    again: ({ c }, state, named) => show(c, of, named, state),
    at: (_limited, { app }) => contentHref(of, app),
    says: { saved: "Saved. It applies to running tokens within 10 seconds." },
  });
}

async function namedApp(c: ConsoleContext, app = "") {
  return { app, stored: await c.var.services.appRules.find(c.var.instance.policy.instanceId, app) };
}

async function show(
  c: ConsoleContext,
  of: Searcher,
  { app, stored }: { readonly app: string; readonly stored: StoredRules | null },
  state: FormState,
): Promise<Response> {
  const nameOf = await appNames(c, [app]);
  const content = stored?.content ?? [];
  const warnings = await c.var.services.metadataGroups.warningsAbout(c.var.instance.policy.instanceId, content);
  return render(
    c,
    <ContentPage
      of={of}
      app={app}
      name={nameOf(app)}
      now={describeContent(content)}
      warnings={warnings}
      isShared={app === SELF_REGISTERED}
      state={state}
    />,
    statusOf(state),
  );
}
