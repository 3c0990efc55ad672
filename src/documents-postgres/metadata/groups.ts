import { follows, type MovedGroup } from "#documents/metadata/groups.ts";
import type { MetadataGroup, MetadataKey } from "#documents/metadata/metadata.ts";
import type { Rows } from "#documents-postgres/database.ts";

interface KnownGroup {
  readonly id: number;
  readonly version: number;
}

/** Stores a group's schema. @returns false if a newer one is stored or the group was removed; nothing changes then */
export async function adoptGroup(rows: Rows, group: MetadataGroup): Promise<boolean> {
  const statement = "SELECT up_to FROM removed_metadata_groups WHERE instance_id = $1 AND name = $2";
  const [removed] = await rows.all<{ up_to: number }>(statement, group.name);
  if (group.id <= (removed?.up_to ?? 0)) return false;
  const known = await knownGroup(rows, group.name);
  if (known && (known.id > group.id || (known.id === group.id && known.version > group.version))) return false;
  if (known?.id === group.id && known.version === group.version) return true;
  if (known && known.id < group.id) await removeMetadataGroup(rows, known.id);
  const before = known?.id === group.id ? await keysOf(rows, group.id) : [];
  await writeGroup(rows, group, follows(before, group.keys) ? group.version : null);
  return true;
}

/** Stores a group as another engine has it, and removes any other group of the same name. */
export async function putMetadataGroup(rows: Rows, group: MovedGroup): Promise<void> {
  const other = await knownGroup(rows, group.name);
  if (other && other.id !== group.id) await removeMetadataGroup(rows, other.id);
  await writeGroup(rows, group, group.followedFrom);
}

/** @param followedFrom `null` leaves it as it is */
async function writeGroup(rows: Rows, group: MetadataGroup, followedFrom: number | null): Promise<void> {
  await rows.all(
    `INSERT INTO metadata_groups AS g (instance_id, id, name, display_name, version, followed_from)
     VALUES ($1, $2, $3, $4, $5, coalesce($6::int, 0))
     ON CONFLICT (instance_id, id) DO UPDATE SET version = excluded.version,
       followed_from = coalesce($6::int, g.followed_from)`,
    group.id,
    group.name,
    group.display,
    group.version,
    followedFrom,
  );
  await rows.all("DELETE FROM metadata_keys WHERE instance_id = $1 AND group_id = $2", group.id);
  await rows.all(
    `INSERT INTO metadata_keys (instance_id, id, group_id, name, display_name, facet_name, property_type, skip_indexing, position)
     SELECT $1, k.id, $2, k.name, k.display, k."facetName", k."propertyType", k."skipIndexing", k.position
     FROM json_to_recordset($3::text::json) AS k (id int, name text, display text, "facetName" text, "propertyType" text,
       "skipIndexing" boolean, position int)`,
    group.id,
    JSON.stringify(group.keys.map((key, position) => ({ ...key, position }))),
  );
}

/**
 * Removes a group whose id is at most `upTo`. Its values on documents are no longer shown anywhere, and the clean-up removes
 * them.
 */
export async function forgetGroup(rows: Rows, name: string, upTo: number): Promise<void> {
  const known = await knownGroup(rows, name);
  if (known && known.id <= upTo) await removeMetadataGroup(rows, known.id);
  await rows.all(
    `INSERT INTO removed_metadata_groups AS r (instance_id, name, up_to) VALUES ($1, $2, $3)
     ON CONFLICT (instance_id, name) DO UPDATE SET up_to = greatest(r.up_to, excluded.up_to)`,
    name,
    upTo,
  );
}

export async function removeMetadataGroup(rows: Rows, id: number): Promise<void> {
  await rows.all("DELETE FROM metadata_keys WHERE instance_id = $1 AND group_id = $2", id);
  await rows.all("DELETE FROM metadata_groups WHERE instance_id = $1 AND id = $2", id);
}

async function knownGroup(rows: Rows, name: string): Promise<KnownGroup | undefined> {
  const statement = "SELECT id, version FROM metadata_groups WHERE instance_id = $1 AND name = $2";
  return (await rows.all<KnownGroup>(statement, name))[0];
}

/** Returns the keys of a group, in their order. */
export async function keysOf(rows: Rows, groupId: number): Promise<readonly MetadataKey[]> {
  return rows.all<MetadataKey>(
    `SELECT id, name, display_name AS display, facet_name AS "facetName", property_type AS "propertyType",
       skip_indexing AS "skipIndexing"
     FROM metadata_keys WHERE instance_id = $1 AND group_id = $2 ORDER BY position`,
    groupId,
  );
}

/** Returns up to `max` groups whose id is above `after`, in the order of ids. */
export async function metadataGroups(rows: Rows, after: number, max: number): Promise<MetadataGroup[]> {
  const groups = await movedGroups(rows, after, max);
  return groups.map(({ followedFrom: _followedFrom, ...group }) => group);
}

/** Returns the same as {@link metadataGroups}, with what another engine needs for a move. */
export async function movedGroups(rows: Rows, after: number, max: number): Promise<MovedGroup[]> {
  const groups = await rows.all<Omit<MovedGroup, "keys">>(
    `SELECT id, name, display_name AS display, version, followed_from AS "followedFrom" FROM metadata_groups
     WHERE instance_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    after,
    max,
  );
  const whole: MovedGroup[] = [];
  for (const group of groups) whole.push({ ...group, keys: await keysOf(rows, group.id) });
  return whole;
}

/** Counts the documents that have values of each group, up to `max`. */
export async function countByGroup(rows: Rows, groupIds: readonly number[], max: number): Promise<number[]> {
  const counts: number[] = [];
  for (const id of groupIds) {
    const [row] = await rows.all<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM document_metadata WHERE instance_id = $1 AND group_id = $2 LIMIT $3) m`,
      id,
      max,
    );
    counts.push(row?.count ?? 0);
  }
  return counts;
}

/** Counts the documents that have a value of each key of a group, among at most `max` documents of the group. */
export async function countByKey(rows: Rows, groupId: number, max: number): Promise<Record<number, number>> {
  const keys = await rows.all<{ key: string; count: number }>(
    `SELECT e.key, count(*) AS count FROM (
       SELECT entries FROM document_metadata WHERE instance_id = $1 AND group_id = $2 LIMIT $3) m CROSS JOIN json_each(m.entries) e
     GROUP BY e.key`,
    groupId,
    max,
  );
  return Object.fromEntries(keys.map(({ key, count }) => [Number(key), count]));
}
