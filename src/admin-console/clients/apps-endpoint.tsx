import { render } from "#admin-console/page-endpoint.ts";
import { pages } from "#admin-console/http.ts";
import { readList } from "#admin-console/list-endpoint.ts";
import { toShown } from "#admin-console/clients/app-shown.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { AppsPage } from "./views/apps-page.tsx";

/** GET /admin/clients: every app. */
export const appsPage = pages.createHandlers(async (c) => {
  const { clientDirectory, grants } = c.var.services;
  const { items, list } = await readList(c, CLIENT_LIST, (id, query) => clientDirectory.list(id, query));
  const reach = await grants.reachOfEach(
    c.var.instance.policy,
    items.map(({ id }) => id),
  );
  const apps = items.map((item) => ({ ...toShown(item), people: reach.get(item.id)?.people ?? 0 }));
  return render(c, <AppsPage list={list} apps={apps} />);
});
