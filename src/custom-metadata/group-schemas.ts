import type { D1GroupSchemas } from "./group-schemas.d1.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import { type GroupSchema, toGroupSchema } from "./group-schema.ts";
import { type GroupName, noSuchGroup, parseGroupName } from "./names.ts";

/** Reads the metadata groups that pipelines and administrators describe. */
export class GroupSchemas {
  readonly #store: Pick<D1GroupSchemas, "read">;

  constructor(store: Pick<D1GroupSchemas, "read">) {
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
