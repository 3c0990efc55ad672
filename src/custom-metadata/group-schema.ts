import type { MetadataKey as StoredKey, PropertyType } from "#documents/metadata/metadata.ts";
import type { GroupName } from "./names.ts";

/** The most groups of an instance, by the wire contract. */
export const GROUPS_MAX = 50;

/** The most keys of a group, by the wire contract. */
export const KEYS_MAX = 20;

export const PROPERTY_TYPES = ["TEXT", "PICKLIST", "TEXTLIST", "MULTIPICKLIST"] as const satisfies PropertyType[];

/** A key to store. */
export type MetadataKey = Omit<StoredKey, "id">;

/** A group as somebody describes it, with its keys in their order. */
export interface GroupDescription {
  readonly group: GroupName;
  readonly keys: readonly MetadataKey[];
}

/** Returns a group as in the wire contract. A key is indexed by default, so only `skipIndexing: true` is included. */
export function toGroupSchema(keys: readonly MetadataKey[]) {
  return {
    metadataKeys: keys.map(({ display, propertyType, skipIndexing }) => ({
      name: display,
      propertyType,
      ...(skipIndexing ? { skipIndexing } : {}),
    })),
  };
}
