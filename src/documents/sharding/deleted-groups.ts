import type { NamedGroup } from "#documents/rights/rights.ts";
import type { ShardCalls } from "./shard.ts";

/** Returns those of the groups that no document in other shards names. */
export async function namedNowhere(
  groups: readonly NamedGroup[],
  others: readonly Pick<ShardCalls, "groupsNamedHere">[],
): Promise<readonly NamedGroup[]> {
  if (groups.length === 0) return [];
  const named = await Promise.all(others.map((other) => other.groupsNamedHere(groups)));
  const known = new Set(named.flat().map(({ datasource, name }) => JSON.stringify([datasource, name])));
  return groups.filter(({ datasource, name }) => !known.has(JSON.stringify([datasource, name])));
}
