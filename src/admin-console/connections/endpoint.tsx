import { told } from "#admin-console/audit/told-entries.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { render } from "#admin-console/page-endpoint.tsx";
import { AUDIT_LIST } from "#audit/audit-list.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { knownHostOf } from "#clients/hosts.ts";
import { explain, fixOf } from "#connection-attempts/advice.ts";
import { readQuery } from "#platform/http.ts";
import { readListQuery } from "#platform/listing.ts";
import { ConnectionsPage } from "./views/connections-page.tsx";

const ATTEMPTS_SHOWN = 10;

/** Shows the latest attempts, or everything about a request id, a person or an app. */
export async function connectionsPage(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const words = (readQuery(c).all("find")[0] ?? "").trim();
  const isSearch = words !== "";
  const [recent, named, person] = await Promise.all([
    services.connectionAttempts.recent(instanceId),
    isSearch
      ? services.clientDirectory.list(instanceId, readListQuery(CLIENT_LIST, new Map([["search", words]])))
      : { items: [] },
    isSearch ? services.people.findByEmail(instanceId, words) : null,
  ]);
  const namedIds = named.items.map(({ id }) => id);
  const installs = isSearch ? await services.clientDirectory.installsOf(instanceId, namedIds) : [];
  const found = new Set([words, ...installs]);
  const grants = await services.grants.progressOf(
    instance.policy,
    recent.flatMap(({ grantId }) => grantId ?? []),
  );
  const emailOf = (grantId: string | null) => grants.find(({ id }) => id === grantId)?.personEmail;
  const attempts = recent
    .filter(
      ({ clientId, grantId, steps }) =>
        !isSearch ||
        found.has(clientId ?? "") ||
        (person !== null && emailOf(grantId) === person.email) ||
        steps.some(({ requestId }) => requestId === words),
    )
    .slice(0, ATTEMPTS_SHOWN);
  const clientIds = [...new Set(attempts.flatMap(({ clientId }) => clientId ?? []))];
  const clients = await services.clientDirectory.findAll(instanceId, clientIds);
  const shown = attempts.map((attempt) => {
    const { clientId, grantId, network } = attempt;
    const grant = grants.find(({ id }) => id === grantId);
    const client = clients.find(({ id }) => id === clientId);
    const host = client && knownHostOf(client);
    const app = host?.name ?? client?.name;
    return {
      app,
      quirk: host?.quirk,
      clientId,
      network,
      person: grant?.personEmail,
      ...explain(attempt, grant, words),
    };
  });
  const entries = isSearch ? await entriesAbout(c, person?.id, [words, ...namedIds]) : [];
  return render(c, <ConnectionsPage find={words} attempts={shown} entries={entries} />);
}

/** Returns what the audit says about a person, or else about a request or an app, newest first: refusals with their fix. */
async function entriesAbout(c: ConsoleContext, personId: string | undefined, [words = "", app]: readonly string[]) {
  const { instance, services } = c.var;
  const asked: readonly [name: string, value: string][] =
    personId === undefined
      ? [["search", words], ...(app === undefined || app === words ? [] : [["search", app] as [string, string]])]
      : [
          ["actor", personId],
          ["search", personId],
        ];
  const found = await Promise.all(
    asked.map((one) =>
      services.audit.list(instance.policy.instanceId, readListQuery(AUDIT_LIST, new Map([one, ["limit", "10"]]))),
    ),
  );
  const bySequence = new Map(found.flatMap(({ items }) => items.map((entry) => [entry.sequence, entry] as const)));
  const entries = [...bySequence.values()].sort((one, other) => other.sequence - one.sequence);
  return (await told(c, entries)).map(({ detail, ...entry }) => {
    const { reason } = detail as { readonly reason?: unknown };
    return { ...entry, fix: typeof reason === "string" ? fixOf(reason) : "" };
  });
}
