import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { ask } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { readList } from "#admin-console/list-endpoint.ts";
import { type AppShown, toShown } from "#admin-console/clients/app-shown.ts";
import { actInstance } from "#administration/act-instance.ts";
import { isBulkDecision } from "#administration/client-acts.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { LIST_LIMIT_USUAL } from "#platform/listing.ts";
import { OAuthError } from "#protocol/errors.ts";
import { AppsPage } from "./views/apps-page.tsx";
import { decideQuestion, PartlyDecidedPage } from "./views/decide-page.tsx";

/** GET /admin/clients: every app. */
export const appsPage = pages.createHandlers(async (c) => {
  const { clientDirectory } = c.var.services;
  const { items, list } = await readList(c, CLIENT_LIST, (id, query) => clientDirectory.list(id, query));
  return render(c, <AppsPage list={list} apps={items.map(toShown)} />);
});

/** POST /admin/clients/decide: one decision about several apps, confirmed first if people lose access. */
export const decideAboutApps = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  const decision = form.require("decision");
  if (!isBulkDecision(decision)) throw new OAuthError("invalid_request", { reason: "decision_unknown" });
  const chosen = form.all("app").slice(0, LIST_LIMIT_USUAL);
  const apps = await chosenApps(c, chosen);
  if (apps.length === 0) return done(c, "/clients", "none");
  const ids = apps.map(({ id }) => id);
  if ((decision === "disable" || decision === "delete") && form.one("confirmed") !== "yes") {
    const reach = await services.grants.reachOfEach(instance.policy, ids);
    return ask(c, decideQuestion({ decision, apps, reach, chosen }));
  }
  const changed = await services.administration.clients.decideAll(actInstance(c), decision, apps, session.person.id);
  if (changed.length === apps.length) return done(c, "/clients", decision);
  const left = apps.filter((app) => !changed.includes(app));
  return render(c, <PartlyDecidedPage {...{ decision, left }} changed={changed.length} />);
});

/** The selected apps that still exist, each with the version that was shown. */
async function chosenApps(c: ConsoleContext, chosen: readonly string[]): Promise<AppShown[]> {
  const versions = new Map<string, number>();
  for (const text of chosen) {
    const [, changedAt = "0", id = ""] = /^(?:(\d{1,12}) )?(.+)$/.exec(text) ?? [];
    versions.set(id, Number(changedAt));
  }
  const { instance, services } = c.var;
  const found = await services.clientDirectory.findAll(instance.policy.instanceId, [...versions.keys()]);
  return found.map((app) => ({ ...toShown(app), changedAt: versions.get(app.id) ?? 0 }));
}
