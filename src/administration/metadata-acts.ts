import type { D1GroupSchemas, Replaced } from "#custom-metadata/group-schemas.d1.ts";
import { type GroupDescription, toGroupSchema } from "#custom-metadata/group-schema.ts";
import { type GroupName, noSuchGroup } from "#custom-metadata/names.ts";
import { refusedSchema, requireOwnFields } from "#custom-metadata/schema-rules.ts";
import type { CustomMetadata, MetadataGroup } from "#documents/metadata/metadata.ts";
import { Acts, changeFromCurrent, type RequireSeen } from "./acts.ts";

type Documents = Pick<CustomMetadata, "adoptGroup" | "forgetGroup">;

/**
 * Decisions of administrators and pipelines about metadata groups. A pipeline that sends the same schema in each run changes
 * nothing, and leaves no audit entry.
 *
 * D1 changes first, then the documents. If the documents can't be reached, the response is 503, and repeating the request updates them.
 */
export class MetadataActs extends Acts<{ readonly store: D1GroupSchemas; readonly documents: Documents }> {
  /**
   * Creates a group.
   *
   * @throws the same errors as {@link replace}, and `SchemaRefused` with `conflict` if there is a group of this name
   */
  async create(description: GroupDescription): Promise<void> {
    await this.#describe(description, "nothing");
  }

  /**
   * Replaces the keys of a group, or creates the group.
   *
   * @param actor the person or token that asked for it
   * @param requireSeen throws if the group (or `null`) is not what the administrator saw
   * @throws {SchemaRefused} `bad_request` if there are too many groups; `conflict` if a key would change its type or get the name
   *   of another field
   */
  async replace(description: GroupDescription, requireSeen?: RequireSeen<MetadataGroup | null>): Promise<void> {
    if (!requireSeen) {
      await this.#describe(description, "anything");
      return;
    }
    await changeFromCurrent(
      () => this.parts.store.read(this.instance.id, description.group.folded),
      async (stored) => {
        await requireSeen(stored ?? null);
        return this.#describe(description, stored ?? "nothing");
      },
    );
  }

  /**
   * Removes a group. The documents' values in it are no longer shown, and no field names it; a later clean-up deletes them.
   *
   * @param actor the person or token that asked for it
   * @throws {ApiError} `not_found`
   */
  async remove(group: GroupName): Promise<void> {
    const entry = this.entry("metadata_group_removed", { group: group.folded, before: null });
    const { isRemoved, upTo } = await this.parts.store.remove(group, entry);
    await this.concluded(isRemoved);
    await this.parts.documents.forgetGroup(this.instance.id, group.folded, upTo);
    if (!isRemoved) throw noSuchGroup(group);
  }

  /** Writes a group. @returns `undefined` if the stored group is not the one to replace */
  async #describe(description: GroupDescription, replaced: Replaced): Promise<true | undefined> {
    requireOwnFields(description);
    const detail = { group: description.group.folded, after: toGroupSchema(description.keys).metadataKeys };
    const outcome = await this.parts.store.describe(description, replaced, {
      created: this.entry("metadata_group_created", detail),
      changed: this.entry("metadata_group_changed", { before: null, ...detail }),
    });
    if (outcome.kind === "group_changed") return undefined;
    if (outcome.kind !== "described") throw refusedSchema(description, outcome);
    await this.concluded(outcome.isChanged);
    await this.parts.documents.adoptGroup(this.instance.id, outcome.group);
    return true;
  }
}
