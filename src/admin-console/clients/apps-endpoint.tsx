import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { listQueryOf, listView } from "#admin-console/list-query.ts";
import { type AppShown, toShown } from "#admin-console/registration/app-shown.ts";
import { actInstance } from "#administration/act-instance.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { readQuery } from "#platform/http.ts";
import { LIST_LIMIT_USUAL } from "#platform/listing.ts";
import { OAuthError } from "#protocol/errors.ts";
import { AppsPage } from "./views/apps-page.tsx";
import { DecidePage } from "./views/decide-page.tsx";

const DONE = {
  none: "Select at least one app first.",
  approve: "The apps that waited are approved, unless they have changed since you saw them: review those again.",
  disable: "The apps are disabled. Their tokens stop working within 10 seconds.",
  enable: "The apps are enabled. Existing grants work again within 10 seconds.",
  disabled: "App disabled. Its tokens stop working within 10 seconds.",
  delete: "The apps and their grants are deleted.",
  enabled: "App enabled. Existing grants work again within 10 seconds.",
  deleted: "App and its grants deleted.",
};

/** GET /admin/clients: every app. */
export const appsPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const query = listQueryOf(CLIENT_LIST, readQuery(c));
  const { items, ...page } = await services.clientDirectory.list(instance.policy.instanceId, query);
  return c.html(
    <AppsPage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      list={listView("/admin/clients", query, page)}
      apps={items.map(toShown)}
    />,
  );
});

/** POST /admin/registration/decide: one decision about several apps; what cuts people off is asked for once more. */
export const decideAboutApps = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  const decision = form.require("decision");
  const apps = await chosenApps(c);
  if (apps.length === 0) return c.redirect("/admin/clients?done=none", 303);
  if ((decision === "disable" || decision === "delete") && form.one("confirmed") !== "yes") {
    const reach = await Promise.all(apps.map(({ id }) => services.grants.reach(instance.policy, id)));
    return c.html(
      <DecidePage
        frame={c.var.console}
        {...{ decision, apps, reach }}
        chosen={form.all("app").slice(0, LIST_LIMIT_USUAL)}
      />,
    );
  }
  for (const app of apps) await decide(c, decision, app);
  return c.redirect(`/admin/clients?done=${decision}`, 303);
});

async function decide(c: ConsoleContext, decision: string, app: AppShown): Promise<unknown> {
  const { services, session } = c.var;
  const [of, actor] = [actInstance(c), session.person.id];
  switch (decision) {
    case "approve":
      return services.administration.clients.approve(of, app, actor);
    case "disable":
      return app.isPending
        ? services.administration.clients.deny(of, app.id, actor)
        : services.administration.clients.disable(of, app.id, actor);
    case "enable":
      return services.administration.clients.enable(of, app.id, actor);
    case "delete":
      return services.administration.clients.remove(of, app.id, actor);
    default:
      throw new OAuthError("invalid_request", { reason: "decision_unknown" });
  }
}

/** The apps that were selected and are still there, each as it was when it was seen; at most a page of them. */
async function chosenApps(
  c: ConsoleContext & { readonly var: { readonly form: { all(name: string): readonly string[] } } },
): Promise<AppShown[]> {
  const { form, instance, services } = c.var;
  const chosen = form.all("app").slice(0, LIST_LIMIT_USUAL);
  const found = await Promise.all(
    chosen.map(async (text) => {
      const [, changedAt = "0", id = ""] = /^(?:(\d{1,12}) )?(.+)$/.exec(text) ?? [];
      const app = await services.clientDirectory.find(instance.policy.instanceId, id);
      return app && { ...toShown(app), changedAt: Number(changedAt) };
    }),
  );
  return found.filter((app) => app !== null);
}
