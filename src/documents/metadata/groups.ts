import { setState, stateOf, type Store } from "#documents/store.ts";
import type { MetadataGroup, MetadataKey } from "./metadata.ts";

interface KnownGroup {
  readonly id: number;
  readonly version: number;
}

/**
 * Replaces a group's schema, inside the caller's transaction.
 *
 * @returns false if a newer one is known or the group was removed; then nothing changes
 */
export function adoptGroup(store: Store, group: MetadataGroup): boolean {
  if (group.id <= stateOf(store, removalOf(group.name))) return false;
  const known = knownGroup(store, group.name);
  if (known && (known.id > group.id || (known.id === group.id && known.version > group.version))) return false;
  if (known?.id === group.id && known.version === group.version) return true;
  if (known && known.id < group.id) removeMetadataGroup(store, known.id);
  const mustFollow = known?.id === group.id && changesValues(store, group);
  writeGroup(store, group, mustFollow ? group.version : null);
  return true;
}

/** A group as another engine has it. Values with a version below `followedFrom` still have to be updated. */
export interface MovedGroup extends MetadataGroup {
  readonly followedFrom: number;
}

/** Stores a group as another engine has it, and removes any other group with its name. */
export function putMetadataGroup(store: Store, group: MovedGroup): void {
  const other = knownGroup(store, group.name);
  if (other && other.id !== group.id) removeMetadataGroup(store, other.id);
  writeGroup(store, group, group.followedFrom);
}

/** Writes a group and its keys. @param followedFrom `null`: keeps what is stored */
function writeGroup(store: Store, group: MetadataGroup, followedFrom: number | null): void {
  store.exec(
    `INSERT INTO metadata_groups (id, name, display_name, version, followed_from) VALUES (?1, ?2, ?3, ?4, COALESCE(?5, 0))
     ON CONFLICT (id) DO UPDATE SET version = ?4, followed_from = COALESCE(?5, followed_from)`,
    group.id,
    group.name,
    group.display,
    group.version,
    followedFrom,
  );
  store.exec("DELETE FROM metadata_keys WHERE group_id = ?1", group.id);
  for (const [position, key] of group.keys.entries()) {
    store.exec(
      `INSERT INTO metadata_keys (id, group_id, name, display_name, facet_name, property_type, skip_indexing, position)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
      key.id,
      group.id,
      key.name,
      key.display,
      key.facetName,
      key.propertyType,
      key.skipIndexing ? 1 : 0,
      position,
    );
  }
}

/** Forgets a group whose id is at most `upTo`. Its values on documents are hidden from now on and removed later. */
export function forgetGroup(store: Store, name: string, upTo: number): void {
  const known = knownGroup(store, name);
  if (known && known.id <= upTo) removeMetadataGroup(store, known.id);
  setState(store, removalOf(name), Math.max(upTo, stateOf(store, removalOf(name))));
}

export function removeMetadataGroup(store: Store, id: number): void {
  store.exec("DELETE FROM metadata_keys WHERE group_id = ?1", id);
  store.exec("DELETE FROM metadata_groups WHERE id = ?1", id);
}

/** Checks whether documents' values have to be updated: a key is removed, or free text now finds it, or no longer. */
function changesValues(store: Store, group: MetadataGroup): boolean {
  const skipped = new Map(group.keys.map((key) => [key.id, key.skipIndexing]));
  return keysOf(store, group.id).some((key) => skipped.get(key.id) !== key.skipIndexing);
}

function knownGroup(store: Store, name: string): KnownGroup | undefined {
  return store.exec<KnownGroup>("SELECT id, version FROM metadata_groups WHERE name = ?1", name)[0];
}

/** The name of the mark that says up to which id groups of a name were removed. */
function removalOf(name: string) {
  return `removed metadata group ${name}` as const;
}

/** Returns groups whose id is above `after`, in order. */
export function movedGroups(store: Store, after: number, max: number): MovedGroup[] {
  const groups = store.exec<Omit<MovedGroup, "keys">>(
    `SELECT id, name, display_name AS display, version, followed_from AS followedFrom
     FROM metadata_groups WHERE id > ?1 ORDER BY id LIMIT ?2`,
    after,
    max,
  );
  return groups.map((group) => ({ ...group, keys: keysOf(store, group.id) }));
}

/** Returns the keys of a group, in their order. */
export function keysOf(store: Store, groupId: number): MetadataKey[] {
  const keys = store.exec<Omit<MetadataKey, "skipIndexing"> & { skipIndexing: number }>(
    `SELECT id, name, display_name AS display, facet_name AS facetName, property_type AS propertyType,
       skip_indexing AS skipIndexing
     FROM metadata_keys WHERE group_id = ?1 ORDER BY position`,
    groupId,
  );
  return keys.map((key) => ({ ...key, skipIndexing: key.skipIndexing === 1 }));
}
