import type { MetadataKey as StoredKey, PropertyType } from "#documents/metadata/metadata.ts";
import type { GroupName } from "./names.ts";

/** The wire contract's limit. */
export const GROUPS_MAX = 50;

/** The wire contract's limit, of one group. */
export const KEYS_MAX = 20;

export const PROPERTY_TYPES = ["TEXT", "PICKLIST", "TEXTLIST", "MULTIPICKLIST"] as const satisfies PropertyType[];

/** A key to store. */
export type MetadataKey = Omit<StoredKey, "id">;

/** A group as somebody describes it, with its keys in their order. */
export interface GroupDescription {
  readonly group: GroupName;
  readonly keys: readonly MetadataKey[];
}

/** A group in the shape of the wire contract. */
export interface GroupSchema {
  readonly metadataKeys: readonly {
    readonly name: string;
    readonly propertyType: PropertyType;
    readonly skipIndexing?: boolean;
  }[];
}

/** A group in the shape of the wire contract: a key is indexed unless it says otherwise, so only that is said. */
export function toGroupSchema(keys: readonly MetadataKey[]): GroupSchema {
  return {
    metadataKeys: keys.map(({ display, propertyType, skipIndexing }) => ({
      name: display,
      propertyType,
      ...(skipIndexing ? { skipIndexing } : {}),
    })),
  };
}
