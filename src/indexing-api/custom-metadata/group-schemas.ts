import type { AuditEntry, AuditTrail } from "#audit/audit.ts";
import type { CustomMetadata, MetadataGroup, PropertyType } from "#documents/metadata/metadata.ts";
import type { Clock } from "#platform/clock.ts";
import { foldTerm } from "#protocol/folding.ts";
import { type GroupSchema, GROUPS_MAX, type MetadataKey, parseGroupSchema, toGroupSchema } from "./group-schema.ts";
import { type GroupName, noSuchGroup, parseGroupName } from "./names.ts";
import { SchemaRefused } from "./schema-refused.ts";

/** Why the store left everything as it was. */
export type SchemaRefusal =
  | { readonly kind: "groups_full" | "group_exists" }
  | { readonly kind: "type_changed"; readonly key: string; readonly from: PropertyType }
  | { readonly kind: "field_taken"; readonly key: string };

/** What a group was and is, both as of the transaction that changed it; nothing before it: there was no such group. */
export interface SchemaChange {
  readonly kind: "changed";
  readonly before: MetadataGroup | undefined;
  readonly after: MetadataGroup;
}

/** What was removed, if it was there, and the highest id that any group had then. */
export interface SchemaRemoval {
  readonly removed: MetadataGroup | undefined;
  readonly upTo: number;
}

/** What a group is to become. */
export interface SchemaOrder {
  readonly instanceId: number;
  readonly group: GroupName;
  readonly keys: readonly MetadataKey[];
  readonly groupsMax: number;
  /** Whether a group of this name stands against it. */
  readonly mustBeNew: boolean;
  readonly now: number;
}

export interface GroupSchemaStore {
  /** Replaces the group's keys, or makes the group, or changes nothing: one transaction. */
  replace(order: SchemaOrder): Promise<SchemaChange | SchemaRefusal>;
  /** The group with its keys in their order. */
  read(instanceId: number, group: GroupName): Promise<MetadataGroup | undefined>;
  /** Removes the group and its keys. */
  remove(instanceId: number, group: GroupName): Promise<SchemaRemoval>;
}

/** Fields that every document has: what queries and facets mean by these names is decided. */
const BUILT_IN_FIELDS: ReadonlySet<string> = new Set(["datasource", "type", "from"]);

/**
 * The groups of metadata that pipelines and administrators describe. Every change is in the audit with before and after; a
 * pipeline that sends the same schema at each of its runs changes nothing, and leaves no entry.
 *
 * D1 is first; then the documents hear of it. Where they cannot, the answer is 503, and the same request again tells them.
 */
export class GroupSchemas {
  readonly #store: GroupSchemaStore;
  readonly #documents: Pick<CustomMetadata, "adoptGroup" | "forgetGroup">;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(
    store: GroupSchemaStore,
    documents: Pick<CustomMetadata, "adoptGroup" | "forgetGroup">,
    audit: AuditTrail,
    clock: Clock,
  ) {
    this.#store = store;
    this.#documents = documents;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * The keys that a body describes, as far as that can be told without what is stored.
   *
   * @throws {ApiError} `bad_request` for what is no name of a group
   * @throws {SchemaRefused} `bad_request` for a body that is not a schema; `conflict` for a key with the name of a field that
   *   every document has
   */
  parse(groupName: string, body: unknown): { readonly group: GroupName; readonly keys: readonly MetadataKey[] } {
    const group = parseGroupName(groupName);
    const keys = parseGroupSchema(group, body);
    const builtIn = keys.find(({ facetName }) => BUILT_IN_FIELDS.has(facetName));
    if (builtIn) throw fieldTaken(group, keys, builtIn.display);
    return { group, keys };
  }

  /**
   * Makes a group.
   *
   * @throws what {@link replace} throws, and {@link SchemaRefused} `conflict` when there is a group of this name
   */
  async create(instanceId: number, groupName: string, body: unknown, actor: string): Promise<void> {
    await this.#describe(instanceId, groupName, body, actor, true);
  }

  /**
   * Replaces the keys of a group, or makes the group.
   *
   * @param actor the person or token that asked for it
   * @throws what {@link parse} throws
   * @throws {SchemaRefused} `bad_request` for a group too many; `conflict` when a key would change its type or get the name of
   *   another field
   */
  async replace(instanceId: number, groupName: string, body: unknown, actor: string): Promise<void> {
    await this.#describe(instanceId, groupName, body, actor, false);
  }

  /** @throws {ApiError} `bad_request` for what is no name, `not_found` */
  async read(instanceId: number, groupName: string): Promise<GroupSchema> {
    return toGroupSchema((await this.require(instanceId, parseGroupName(groupName))).keys);
  }

  /** The group as it is stored. @throws {ApiError} `not_found` */
  async require(instanceId: number, group: GroupName): Promise<MetadataGroup> {
    const stored = await this.#store.read(instanceId, group);
    if (!stored) throw noSuchGroup(group);
    return stored;
  }

  /**
   * Removes a group. What documents hold of it is no longer shown and no field names it; a later clean-up takes it away.
   *
   * @param actor the person or token that asked for it
   * @throws {ApiError} `bad_request` for what is no name, `not_found`
   */
  async remove(instanceId: number, groupName: string, actor: string): Promise<void> {
    const group = parseGroupName(groupName);
    const { removed, upTo } = await this.#store.remove(instanceId, group);
    if (removed) {
      const detail = { group: group.folded, before: toGroupSchema(removed.keys).metadataKeys };
      await this.#audit.append({ instanceId, at: this.#clock(), actor, event: "metadata_group_removed", detail });
    }
    await this.#documents.forgetGroup(instanceId, group.folded, upTo);
    if (!removed) throw noSuchGroup(group);
  }

  async #describe(
    instanceId: number,
    groupName: string,
    body: unknown,
    actor: string,
    mustBeNew: boolean,
  ): Promise<void> {
    const { group, keys } = this.parse(groupName, body);
    const now = this.#clock();
    const done = await this.#store.replace({ instanceId, group, keys, groupsMax: GROUPS_MAX, mustBeNew, now });
    if (done.kind !== "changed") throw refused(group, keys, done);
    await this.#record({ instanceId, at: now, actor }, done);
    await this.#documents.adoptGroup(instanceId, done.after);
  }

  async #record(
    entry: Pick<AuditEntry, "instanceId" | "at" | "actor">,
    { before: stored, after: { name: group, keys } }: SchemaChange,
  ): Promise<void> {
    const after = toGroupSchema(keys).metadataKeys;
    if (!stored) return this.#audit.append({ ...entry, event: "metadata_group_created", detail: { group, after } });
    const before = toGroupSchema(stored.keys).metadataKeys;
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await this.#audit.append({ ...entry, event: "metadata_group_changed", detail: { group, before, after } });
  }
}

function refused(group: GroupName, keys: readonly MetadataKey[], refusal: SchemaRefusal): SchemaRefused {
  switch (refusal.kind) {
    case "groups_full":
      return new SchemaRefused("bad_request", {
        reason: "metadata_groups_full",
        description: `an instance has at most ${GROUPS_MAX} groups: delete one that is no longer used`,
        member: "",
      });
    case "group_exists":
      return new SchemaRefused("conflict", {
        reason: "metadata_group_exists",
        description: `There is a group ${group.display} already: change that one, or use another name`,
        member: "group",
      });
    case "type_changed":
      return new SchemaRefused("conflict", {
        reason: "metadata_key_type_changed",
        description: `The key ${refusal.key} is ${refusal.from}, and a key's type cannot change: use another name, or save the schema without the key first, which removes its values`,
        member: memberOf(keys, refusal.key, "propertyType"),
      });
    case "field_taken":
    default:
      return fieldTaken(group, keys, refusal.key);
  }
}

/** It does not say whose: a token for one group learns nothing of the others. */
function fieldTaken(group: GroupName, keys: readonly MetadataKey[], key: string): SchemaRefused {
  return new SchemaRefused("conflict", {
    reason: "metadata_field_taken",
    description: `The key ${key} cannot be searched: ${group.display}${key} is the name of another field; use another name`,
    member: memberOf(keys, key, "name"),
  });
}

function memberOf(keys: readonly MetadataKey[], key: string, part: "name" | "propertyType"): string {
  return `metadataKeys.${keys.findIndex(({ name }) => name === foldTerm(key))}.${part}`;
}
