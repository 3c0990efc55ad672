import { readAccount, type ServiceAccountDraft } from "#service-accounts/service-account.ts";
import type { AdminApi } from "../admin-api.ts";
import { accepted, type Json, type Named, picked, type PlannedChange } from "./difference.ts";
import { type Exported, exportEnabled } from "./exported.ts";
import { planNamed } from "./named-things.ts";

/** The members of a service account that can be changed. Its proof has public keys only. */
const CHANGEABLE = ["groups", "scopes", "proof"];

export function exportServiceAccounts(stored: ReadonlyMap<string, Json>): Exported {
  return exportEnabled("serviceAccounts", stored, (account) => picked(CHANGEABLE, account));
}

/** @throws {UsageError} for a change that the rules refuse */
export function planServiceAccounts(
  api: AdminApi,
  stored: ReadonlyMap<string, Json>,
  declared: Named,
): Promise<PlannedChange[]> {
  return planNamed(api, { part: "serviceAccounts", list: "/service-accounts", stored, changesOf }, declared);
}

function changesOf(called: string, before: Json, wanted: Json): Json {
  const whole = { ...before, ...wanted } as unknown as ServiceAccountDraft;
  const { groups, scopes } = accepted(called, () => readAccount(whole));
  return picked(Object.keys(wanted), { groups, scopes, proof: asStored(whole.proof) });
}

/** Completes a proof with the service's default. Otherwise a file without it would change the account each time. */
function asStored(proof: Json): Json {
  const { workload } = proof as { readonly workload?: Json };
  return workload === undefined ? proof : { workload: { isSingleUse: false, ...workload } };
}

export async function accountsByName(api: AdminApi): Promise<Map<string, Json>> {
  const accounts = new Map<string, Json>();
  for await (const account of api.items<Json>("/service-accounts")) accounts.set(String(account["name"]), account);
  return accounts;
}
