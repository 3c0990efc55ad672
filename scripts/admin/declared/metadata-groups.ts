import { foldTerm } from "#protocol/folding.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { difference, type Json, type PlannedChange, type Named } from "./difference.ts";

export async function exportMetadataGroups(api: AdminApi): Promise<Named> {
  const groups: [string, Json][] = [];
  for await (const { name } of api.items<{ readonly name: string }>("/metadata-groups")) {
    groups.push([name, { metadataKeys: (await api.get<Json>(at`/metadata-groups/${name}`))["metadataKeys"] }]);
  }
  return Object.fromEntries(groups);
}

/**
 * @throws {UsageError} for a group that lacks a stored key: replacing the group's keys would delete that key with its values
 */
export async function planMetadataGroups(api: AdminApi, declared: Named): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  for (const [name, wanted] of Object.entries(declared)) {
    const path = at`/metadata-groups/${name}`;
    const { body, version } = await api.find(path);
    const before = body as Json | undefined;
    if (before) requireEveryKey(name, before, wanted);
    const lines = difference(`metadataGroups.${name}`, before, wanted);
    if (lines.length > 0) plan.push({ lines, method: "PUT", path, body: wanted, version });
  }
  return plan;
}

function requireEveryKey(group: string, before: Json, wanted: Json): void {
  const kept = new Set(keyNames(wanted).map(foldTerm));
  const removed = keyNames(before).filter((name) => !kept.has(foldTerm(name)));
  if (removed.length === 0) return;
  throw new UsageError(
    `metadataGroups.${group} leaves out ${removed.join(", ")}, and apply deletes nothing: add what is missing. To remove a key ` +
      `with its values, edit the group in the console, or use: npm run admin -- api <instance> PUT /metadata-groups/${group} --data <JSON>`,
  );
}

function keyNames({ metadataKeys }: Json): string[] {
  if (!Array.isArray(metadataKeys)) throw new UsageError("A group of metadata needs metadataKeys, a list");
  return metadataKeys.map((key: Json | null) => String(key?.["name"]));
}
