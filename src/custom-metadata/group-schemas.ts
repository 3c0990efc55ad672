import type { AuditEntry } from "#audit/audit.ts";
import type { MetadataGroup, PropertyType } from "#documents/metadata/metadata.ts";
import { type GroupDescription, type GroupSchema, toGroupSchema } from "./group-schema.ts";
import { type GroupName, noSuchGroup, parseGroupName } from "./names.ts";

/** What a description may replace: nothing, whatever is stored, or only this version of the group. */
export type Replaced = "nothing" | "anything" | Pick<MetadataGroup, "id" | "version">;

/** Why the store changed nothing. */
export type SchemaRefusal =
  | { readonly kind: "group_changed" }
  | { readonly kind: "groups_full" | "group_exists" }
  | { readonly kind: "type_changed"; readonly key: string; readonly from: PropertyType }
  | { readonly kind: "field_taken"; readonly key: string };

/** The group as of the transaction that described it. */
export interface DescribedGroup {
  readonly kind: "described";
  /** Whether it differs from before. */
  readonly isChanged: boolean;
  readonly group: MetadataGroup;
}

/** Whether the group existed, and the highest id that any group had then. */
export interface SchemaRemoval {
  readonly isRemoved: boolean;
  readonly upTo: number;
}

/**
 * The audit entries of a description: one of them is recorded, with what was stored before, or none if nothing changes.
 */
export interface DescriptionEntries {
  readonly created: AuditEntry<"metadata_group_created">;
  readonly changed: AuditEntry<"metadata_group_changed">;
}

export interface GroupSchemaStore {
  /**
   * Replaces the group's keys, creates the group, or changes nothing, and records that, in one transaction.
   *
   * @param replaced what may be stored now; if it is something else, the description is refused
   */
  describe(
    description: GroupDescription,
    replaced: Replaced,
    entries: DescriptionEntries,
  ): Promise<DescribedGroup | SchemaRefusal>;
  /** Returns the group with its keys, in their order. */
  read(instanceId: number, group: GroupName): Promise<MetadataGroup | undefined>;
  /** Removes the group and its keys, which are added to the audit entry. */
  remove(group: GroupName, entry: AuditEntry<"metadata_group_removed">): Promise<SchemaRemoval>;
}

/** Reads the metadata groups that pipelines and administrators describe. */
export class GroupSchemas {
  readonly #store: Pick<GroupSchemaStore, "read">;

  constructor(store: Pick<GroupSchemaStore, "read">) {
    this.#store = store;
  }

  /** @throws {ApiError} `bad_request` for an invalid name, `not_found` */
  async read(instanceId: number, groupName: string): Promise<GroupSchema> {
    return toGroupSchema((await this.require(instanceId, parseGroupName(groupName))).keys);
  }

  /** Returns the group as it is stored. @throws {ApiError} `not_found` */
  async require(instanceId: number, group: GroupName): Promise<MetadataGroup> {
    const stored = await this.#store.read(instanceId, group);
    if (!stored) throw noSuchGroup(group);
    return stored;
  }
}
