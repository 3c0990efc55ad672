import { readAccount, type ServiceAccountDraft } from "#service-accounts/service-account.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { accepted, difference, type Json, type Named, picked, type PlannedChange } from "./difference.ts";
import { type Exported, exportEnabled } from "./exported.ts";

/** What a change of a service account may be about. Its proof has public keys only. */
const CHANGEABLE = ["groups", "scopes", "proof"];

export async function exportServiceAccounts(api: AdminApi): Promise<Exported> {
  return exportEnabled("serviceAccounts", await accountsByName(api), (account) => picked(CHANGEABLE, account));
}

/** @throws {UsageError} for a file that cannot be made true */
export async function planServiceAccounts(api: AdminApi, declared: Named): Promise<PlannedChange[]> {
  const accounts = await accountsByName(api);
  const plan: PlannedChange[] = [];
  for (const [name, wanted] of Object.entries(declared)) {
    const called = `serviceAccounts.${name}`;
    const listed = accounts.get(name);
    if (listed === undefined) {
      const lines = difference(called, undefined, wanted);
      plan.push({ lines, method: "POST", path: "/service-accounts", body: { name, ...wanted } });
      continue;
    }
    const path = at`/service-accounts/${String(listed["id"])}`;
    const { body, version } = await api.send("GET", path);
    const before = body as Json;
    const whole = { ...before, ...wanted } as unknown as ServiceAccountDraft;
    const { groups, scopes } = accepted(called, () => readAccount(whole));
    const changes = picked(Object.keys(wanted), { groups, scopes, proof: whole.proof });
    const lines = difference(called, before, changes);
    if (lines.length === 0) continue;
    if (before["isDisabled"] === true) {
      throw new UsageError(`${called} is disabled: enable it before you change it, or leave it out of the file`);
    }
    plan.push({ lines, method: "PATCH", path, body: changes, version });
  }
  return plan;
}

async function accountsByName(api: AdminApi): Promise<Map<string, Json>> {
  const accounts = new Map<string, Json>();
  for await (const account of api.items<Json>("/service-accounts")) accounts.set(String(account["name"]), account);
  return accounts;
}
