import { type AdminApi, at } from "../admin-api.ts";
import { difference, type Json, type PlannedChange, without, type Exported, type Named } from "./difference.ts";

/** What an instance counts for itself. */
const OF_NO_FILE = new Set(["createdAt", "changedAt", "isDisabled", "issuer"]);

/** Without those that are disabled, which would be created enabled elsewhere. */
export async function exportIssuers(api: AdminApi): Promise<Exported> {
  const { items } = await api.list<Json>("/issuers");
  const enabled = items.filter((each) => each["isDisabled"] !== true);
  return {
    named: Object.fromEntries(enabled.map((each) => [each["issuer"], without(OF_NO_FILE, each)])),
    disabled: items.filter((each) => each["isDisabled"] === true).map(({ issuer }) => `issuers.${String(issuer)}`),
  };
}

export async function planIssuers(api: AdminApi, declared: Named): Promise<PlannedChange[]> {
  const { items } = await api.list<Json>("/issuers");
  const stored = new Set(items.map(({ issuer }) => issuer));
  const plan: PlannedChange[] = [];
  for (const [issuer, wanted] of Object.entries(declared)) {
    const name = `issuers.${issuer}`;
    if (!stored.has(issuer)) {
      const lines = difference(name, undefined, wanted);
      plan.push({ lines, method: "POST", path: "/issuers", body: { ...wanted, issuer } });
      continue;
    }
    const path = at`/issuers/${issuer}`;
    const { body: before, version } = await api.send("GET", path);
    const lines = difference(name, before as Json, wanted);
    if (lines.length > 0) plan.push({ lines, method: "PATCH", path, body: wanted, version });
  }
  return plan;
}
