import type { AuditEntry } from "#audit/audit.ts";
import type { MetadataGroup, PropertyType } from "#documents/metadata/metadata.ts";
import { type GroupDescription, type GroupSchema, toGroupSchema } from "./group-schema.ts";
import { type GroupName, noSuchGroup, parseGroupName } from "./names.ts";

/** What a description replaces: nothing, whatever is stored, or only this version of the group. */
export type Replaced = "nothing" | "anything" | Pick<MetadataGroup, "id" | "version">;

/** Why the store left everything as it was. */
export type SchemaRefusal =
  | { readonly kind: "group_changed" }
  | { readonly kind: "groups_full" | "group_exists" }
  | { readonly kind: "type_changed"; readonly key: string; readonly from: PropertyType }
  | { readonly kind: "field_taken"; readonly key: string };

/** The group as of the transaction that described it. */
export interface DescribedGroup {
  readonly kind: "described";
  /** Whether it is another one than before. */
  readonly isChanged: boolean;
  readonly group: MetadataGroup;
}

/** Whether the group was there, and the highest id that any group had then. */
export interface SchemaRemoval {
  readonly isRemoved: boolean;
  readonly upTo: number;
}

/** The audit entries of a description: one of them is recorded, with what was stored before, or none where nothing changes. */
export interface DescriptionEntries {
  readonly created: AuditEntry<"metadata_group_created">;
  readonly changed: AuditEntry<"metadata_group_changed">;
}

export interface GroupSchemaStore {
  /**
   * Replaces the group's keys, or makes the group, or changes nothing, and records that: one transaction.
   *
   * @param replaced refused where something else is stored
   */
  describe(
    description: GroupDescription,
    replaced: Replaced,
    entries: DescriptionEntries,
  ): Promise<DescribedGroup | SchemaRefusal>;
  /** The group with its keys in their order. */
  read(instanceId: number, group: GroupName): Promise<MetadataGroup | undefined>;
  /** Removes the group and its keys; the entry gets what they were. */
  remove(group: GroupName, entry: AuditEntry<"metadata_group_removed">): Promise<SchemaRemoval>;
}

/** The groups of metadata that pipelines and administrators describe, as they are read. */
export class GroupSchemas {
  readonly #store: Pick<GroupSchemaStore, "read">;

  constructor(store: Pick<GroupSchemaStore, "read">) {
    this.#store = store;
  }

  /** @throws {ApiError} `bad_request` for an invalid name, `not_found` */
  async read(instanceId: number, groupName: string): Promise<GroupSchema> {
    return toGroupSchema((await this.require(instanceId, parseGroupName(groupName))).keys);
  }

  /** The group as it is stored. @throws {ApiError} `not_found` */
  async require(instanceId: number, group: GroupName): Promise<MetadataGroup> {
    const stored = await this.#store.read(instanceId, group);
    if (!stored) throw noSuchGroup(group);
    return stored;
  }
}
