import { ask } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, type ConsoleFormEnv, forms, pages } from "#admin-console/http.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { render } from "#admin-console/page-endpoint.ts";
import { refusedForm, statusOf, typed } from "#admin-console/refused-form.ts";
import { contentLines, describeContent, readContentLines } from "#app-access/app-content.ts";
import { SELF_REGISTERED, type StoredRules } from "#app-access/app-rules.ts";
import type { FormState } from "#platform/form-state.ts";
import { type ContextOf, readQuery } from "#platform/http.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { appNames } from "./app-names.ts";
import { contentHref, ContentPage, type Searcher } from "./views/content-page.tsx";

/** Makes the page about what an app or a machine may search: GET /admin/clients/content?app=…, /admin/service-accounts/content?app=… */
function contentPageOf(of: Searcher) {
  return pages.createHandlers(async (c) => {
    const [app = ""] = readQuery(c).all("app");
    const stored = await c.var.services.appRules.find(c.var.instance.policy.instanceId, app);
    return show(c, of, app, { values: { content: contentLines(stored?.content ?? []) }, errors: {} }, stored);
  });
}

export const contentPage = contentPageOf("clients");
export const machineContentPage = contentPageOf("service-accounts");

/** POST /admin/clients/content. */
export const changeContent = forms.createHandlers((c) =>
  change(c, "clients", (app, wanted, requireSeen) =>
    c.var.services.administration.appRules.limit(app, wanted, requireSeen),
  ),
);

/** POST /admin/service-accounts/content. */
export const changeMachineContent = forms.createHandlers((c) =>
  change(c, "service-accounts", (app, wanted, requireSeen) =>
    c.var.services.administration.appRules.limitMachine(app, wanted, requireSeen),
  ),
);

type Limit = (
  app: string,
  wanted: ReturnType<typeof readContentLines>,
  requireSeen: (seen: StoredRules | null) => Promise<void>,
) => Promise<boolean>;

async function change(c: ContextOf<ConsoleFormEnv>, of: Searcher, limit: Limit): Promise<Response> {
  const { form, services, instance } = c.var;
  const app = form.require("app");
  const stored = await services.appRules.find(instance.policy.instanceId, app);
  try {
    const wanted = readContentLines(form.one("content") ?? "");
    const title = wanted.length === 0 ? "Let it search everything?" : "Change what it may search?";
    if (form.one("asked") !== title) {
      const people = of === "clients" ? (await services.grants.reach(instance.policy, app)).people : undefined;
      const words = `It may search ${describeContent(stored?.content ?? [])} today${people === undefined ? "" : ` (people who use it: ${people})`}. Running tokens follow within 10 seconds.`;
      return ask(c, {
        title,
        words,
        button: "Save what it may search",
        fields: { ...typed(form), asked: title },
        back: contentHref(of, app),
      });
    }
    await limit(app, wanted, (seen) => {
      if ((seen?.text ?? "") === (stored?.text ?? "")) return Promise.resolve();
      throw new AdministrationRefused("Somebody else changed this: reload the page, then try again", "content");
    });
  } catch (error) {
    return show(c, of, app, refusedForm(form, error), stored);
  }
  return done(c, `/${of}/content`, "saved", contentHref(of, app));
}

async function show(
  c: ConsoleContext,
  of: Searcher,
  app: string,
  state: FormState,
  stored: StoredRules | null,
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
