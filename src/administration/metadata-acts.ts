import type { D1GroupSchemas, Replaced } from "#custom-metadata/group-schemas.d1.ts";
import { type GroupDescription, toGroupSchema } from "#custom-metadata/group-schema.ts";
import { type GroupName, noSuchGroup } from "#custom-metadata/names.ts";
import { refusedSchema, requireOwnFields } from "#custom-metadata/schema-rules.ts";
import type { CustomMetadata, MetadataGroup } from "#documents/metadata/metadata.ts";
import { Acts } from "./acts.ts";
import type { ActInstance } from "./act-instance.ts";
import { changeFromCurrent, type RequireSeen } from "./change-from-current.ts";

type Documents = Pick<CustomMetadata, "adoptGroup" | "forgetGroup">;

interface Parts {
  readonly store: D1GroupSchemas;
  readonly documents: Documents;
}

/**
 * Decisions of administrators and pipelines about metadata groups. A pipeline that sends the same schema in each run changes
 * nothing, and leaves no audit entry.
 *
 * D1 changes first, then the documents. If the documents can't be reached, the response is 503, and repeating the request updates them.
 */
export class MetadataActs extends Acts<Parts> {
  /**
   * Creates a group.
   *
   * @throws the same errors as {@link replace}, and `SchemaRefused` with `conflict` if there is a group of this name
   */
  async create(instance: ActInstance, description: GroupDescription, actor: string): Promise<void> {
    await this.#describe(instance, description, actor, "nothing");
  }

  /**
   * Replaces the keys of a group, or creates the group.
   *
   * @param actor the person or token that asked for it
   * @param requireSeen throws if the group (or `null`) is not what the administrator saw
   * @throws {SchemaRefused} `bad_request` if there are too many groups; `conflict` if a key would change its type or get the name
   *   of another field
   */
  async replace(
    instance: ActInstance,
    description: GroupDescription,
    actor: string,
    requireSeen?: RequireSeen<MetadataGroup | null>,
  ): Promise<void> {
    if (!requireSeen) {
      await this.#describe(instance, description, actor, "anything");
      return;
    }
    await changeFromCurrent(
      () => this.parts.store.read(instance.id, description.group),
      async (stored) => {
        await requireSeen(stored ?? null);
        return this.#describe(instance, description, actor, stored ?? "nothing");
      },
    );
  }

  /**
   * Removes a group. The documents' values in it are no longer shown, and no field names it; a later clean-up deletes them.
   *
   * @param actor the person or token that asked for it
   * @throws {ApiError} `not_found`
   */
  async remove(instance: ActInstance, group: GroupName, actor: string): Promise<void> {
    const entry = this.entry(instance, actor, "metadata_group_removed", { group: group.folded, before: null });
    const { isRemoved, upTo } = await this.parts.store.remove(group, entry);
    await this.concluded(instance, isRemoved);
    await this.parts.documents.forgetGroup(instance.id, group.folded, upTo);
    if (!isRemoved) throw noSuchGroup(group);
  }

  /** Writes a group. @returns `undefined` if the stored group is not the one to replace */
  async #describe(
    instance: ActInstance,
    description: GroupDescription,
    actor: string,
    replaced: Replaced,
  ): Promise<true | undefined> {
    requireOwnFields(description);
    const detail = { group: description.group.folded, after: toGroupSchema(description.keys).metadataKeys };
    const outcome = await this.parts.store.describe(description, replaced, {
      created: this.entry(instance, actor, "metadata_group_created", detail),
      changed: this.entry(instance, actor, "metadata_group_changed", { before: null, ...detail }),
    });
    if (outcome.kind === "group_changed") return undefined;
    if (outcome.kind !== "described") throw refusedSchema(description, outcome);
    await this.concluded(instance, outcome.isChanged);
    await this.parts.documents.adoptGroup(instance.id, outcome.group);
    return true;
  }
}
