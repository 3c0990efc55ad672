import { type AdminApi, at } from "../admin-api.ts";
import { difference, type Json, type PlannedChange, without, type Named } from "./difference.ts";
import { type Exported, exportEnabled } from "./exported.ts";

/** Members that each instance sets itself, or that the file doesn't repeat. */
const OF_NO_FILE = new Set(["createdAt", "changedAt", "isDisabled", "issuer"]);

export async function exportIssuers(api: AdminApi): Promise<Exported> {
  const { items } = await api.list<Json>("/issuers");
  const byIssuer = items.map((each): [string, Json] => [String(each["issuer"]), each]);
  return exportEnabled("issuers", byIssuer, (each) => without(OF_NO_FILE, each));
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
