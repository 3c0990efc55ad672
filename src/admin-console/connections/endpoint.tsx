import { render } from "#admin-console/page-endpoint.ts";
import { pages } from "#admin-console/http.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { knownHostOf } from "#clients/hosts.ts";
import { explain } from "#connection-attempts/advice.ts";
import { readQuery } from "#platform/http.ts";
import { readListQuery } from "#platform/listing.ts";
import { ConnectionsPage } from "./views/connections-page.tsx";

const ATTEMPTS_SHOWN = 10;

/** GET /admin/connections: the latest attempts, or those that match a request id, a client id or an app's name. */
export const connectionsPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const words = (readQuery(c).all("find")[0] ?? "").trim();
  const [recent, named] = await Promise.all([
    services.connectionAttempts.recent(instanceId),
    words === ""
      ? { items: [] }
      : services.clientDirectory.list(instanceId, readListQuery(CLIENT_LIST, new Map([["search", words]]))),
  ]);
  const found = new Set([words, ...named.items.map(({ id }) => id)]);
  const attempts = recent
    .filter(
      ({ clientId, steps }) =>
        words === "" || found.has(clientId ?? "") || steps.some(({ requestId }) => requestId === words),
    )
    .slice(0, ATTEMPTS_SHOWN);
  const clientIds = [...new Set(attempts.flatMap(({ clientId }) => clientId ?? []))];
  const [grants, clients] = await Promise.all([
    services.grants.progressOf(
      instance.policy,
      attempts.flatMap(({ grantId }) => grantId ?? []),
    ),
    services.clientDirectory.findAll(instanceId, clientIds),
  ]);
  const shown = attempts.map((attempt) => {
    const { clientId, grantId, network } = attempt;
    const grant = grants.find(({ id }) => id === grantId);
    const client = clients.find(({ id }) => id === clientId);
    const host = client && knownHostOf(client);
    const app = host?.name ?? client?.name ?? "Unknown app";
    return {
      app,
      quirk: host?.quirk,
      clientId,
      network,
      person: grant?.personEmail,
      ...explain(attempt, grant, words),
    };
  });
  return render(c, <ConnectionsPage find={words} attempts={shown} />);
});
