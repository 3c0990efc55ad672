import type { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import { contentOf, namesOfClient } from "#app-access/app-access.ts";
import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import { issuersApp, SELF_REGISTERED } from "#app-access/app-rules.ts";
import type { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { ContentCondition } from "#documents/engine.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { found } from "./found.ts";

/**
 * Returns what an app may search, as the gate decides it.
 *
 * @param app a name under which content is stored; without an app, everything may be searched
 * @throws {ApiError} `not_found` for an unknown app, which would otherwise seem to be one that may search everything
 */
export async function contentOfApp(
  {
    clientDirectory,
    serviceAccounts,
  }: {
    readonly clientDirectory: Pick<D1ClientDirectory, "find">;
    readonly serviceAccounts: Pick<D1ServiceAccounts, "find">;
  },
  policy: PolicySnapshot,
  app: string | undefined,
): Promise<readonly ContentCondition[]> {
  if (app === undefined) return [];
  const client = await clientDirectory.find(policy.instanceId, app);
  const isNamed = app === SELF_REGISTERED || app === PERSONAL_TOKENS || isOfIssuer(policy, app);
  if (!client && !isNamed) await found(serviceAccounts.find(policy.instanceId, app), "app");
  return contentOf(policy, namesOfClient(client ?? { app, kind: "static" }));
}

function isOfIssuer({ externalIssuers }: PolicySnapshot, app: string): boolean {
  return [...externalIssuers.values()].some(({ issuer, clientIds }) =>
    clientIds.some((clientId) => issuersApp(issuer, clientId) === app),
  );
}
