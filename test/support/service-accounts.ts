import type { AppRule } from "#app-access/app-rules.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { ServiceAccount, ServiceAccountDraft } from "#service-accounts/service-account.ts";
import { servicesOf } from "#services.ts";
import { ClientKey } from "./asserting-client.ts";
import { env } from "./isolate.ts";

const ACTOR = "test";

function actsOf(instance: InstanceRecord) {
  return servicesOf(env).administrationOf(instance, ACTOR).serviceAccounts;
}

/**
 * Creates a service account as an administrator does: for searches, without groups, unless the draft says otherwise.
 */
export function makeServiceAccount(
  instance: InstanceRecord,
  draft: Pick<ServiceAccountDraft, "proof"> & Partial<ServiceAccountDraft>,
): Promise<ServiceAccount> {
  const usual = { name: `job-${crypto.randomUUID().slice(0, 8)}`, groups: [], scopes: ["SEARCH"] } as const;
  return actsOf(instance).create({ ...usual, ...draft });
}

/** Creates a service account with its own key. */
export async function makeKeyedAccount(instance: InstanceRecord, draft: Partial<ServiceAccountDraft> = {}) {
  const key = await ClientKey.make();
  const { kid, algorithm: alg, publicJwk } = key;
  const { kty, crv, x, y } = publicJwk as { kty: "EC"; crv: string; x: string; y: string };
  const account = await makeServiceAccount(instance, {
    proof: { keys: { jwks: [{ kty, crv, x, y, kid, alg }] } },
    ...draft,
  });
  return { account, key };
}

/** Changes a service account, which this isolate sees at once. */
export function changeServiceAccount(
  instance: InstanceRecord,
  seen: ServiceAccount,
  changes: Partial<Omit<ServiceAccountDraft, "name">>,
): Promise<ServiceAccount> {
  return actsOf(instance).change(seen, changes);
}

/** Disables, enables or deletes a service account, which this isolate sees at once. */
export function decideServiceAccount(instance: InstanceRecord, id: string, decision: "disable" | "enable" | "remove") {
  return actsOf(instance)[decision](id);
}

/** Sets which groups may use an app, which this isolate sees at once. */
export function ruleApp(instance: InstanceRecord, id: string, rules: readonly AppRule[]) {
  return servicesOf(env)
    .administrationOf(instance, ACTOR)
    .appRules.replace(id, [...rules]);
}
