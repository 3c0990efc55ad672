import { render } from "#admin-console/page-endpoint.ts";
import { pages } from "#admin-console/http.ts";
import { readList } from "#admin-console/list-endpoint.ts";
import { toShown } from "#admin-console/clients/app-shown.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { AppsPage } from "./views/apps-page.tsx";

/** GET /admin/clients: every app. */
export const appsPage = pages.createHandlers(async (c) => {
  const { clientDirectory } = c.var.services;
  const { items, list } = await readList(c, CLIENT_LIST, (id, query) => clientDirectory.list(id, query));
  return render(c, <AppsPage list={list} apps={items.map(toShown)} />);
});
