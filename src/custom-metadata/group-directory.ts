import type { D1GroupSchemas, GroupLine, StoredGroup } from "./group-schemas.d1.ts";
import type { ContentCondition } from "#documents/engine.ts";
import type { CustomMetadata, MetadataGroup, MetadataKey } from "#documents/metadata/metadata.ts";
import { foldTerm } from "#protocol/folding.ts";
import { ApiError } from "#protocol/errors.ts";
import { type GroupName, noSuchGroup } from "./names.ts";

/** The most documents of each group that are counted for the list of all groups, of which there are at most 50. */
const COUNTED_FOR_LIST = 10_000;

/**
 * The most documents that are counted for the page of one group, and for each of its keys: one step of the documents' store.
 */
const COUNTED_FOR_ONE = 5000;

/** The fields that documents have without custom metadata, and that conditions can be about. */
const FIELDS_OF_ALL = ["datasource", "type", "from"];

/** The most keys that a warning names: enough to find a typo. */
const FIELDS_NAMED = 100;

/** A number of documents, as far as they were counted. */
interface DocumentCount {
  readonly count: number;
  /** Whether there are, or may be, more. */
  readonly isCapped: boolean;
}

/** With the number of documents that have values. */
type Counted<Line> = Line & { readonly documents: DocumentCount };
export type ListedGroup = Counted<GroupLine>;
export type ListedKey = Counted<MetadataKey>;
export type FoundGroup = Counted<Omit<StoredGroup, "keys">> & { readonly keys: readonly ListedKey[] };

/** Reads metadata groups. Changes are acts. */
export class GroupDirectory {
  readonly #store: Pick<D1GroupSchemas, "read" | "list" | "fieldsOf">;
  readonly #documents: Pick<CustomMetadata, "countByGroup" | "countByKey">;

  constructor(
    store: Pick<D1GroupSchemas, "read" | "list" | "fieldsOf">,
    documents: Pick<CustomMetadata, "countByGroup" | "countByKey">,
  ) {
    this.#store = store;
    this.#documents = documents;
  }

  /** Returns a group as it is stored. @throws {ApiError} `not_found` */
  async schemaOf(instanceId: number, group: GroupName): Promise<MetadataGroup> {
    const stored = await this.#store.read(instanceId, group.folded);
    if (!stored) throw noSuchGroup(group);
    return stored;
  }

  /** Returns all groups with the number of documents that have values. */
  async list(instanceId: number): Promise<ListedGroup[]> {
    const groups = await this.#store.list(instanceId);
    if (groups.length === 0) return [];
    const ids = groups.map((group) => group.id);
    const counts = await this.#documents.countByGroup(instanceId, ids, COUNTED_FOR_LIST);
    return groups.map((group, at) => ({ ...group, documents: capped(counts[at] ?? 0, COUNTED_FOR_LIST) }));
  }

  /** Returns warnings about conditions whose field does not exist: a typo, or a key that is created later. */
  async warningsAbout(instanceId: number, conditions: readonly ContentCondition[]): Promise<string[]> {
    const others = conditions.filter(({ field }) => !FIELDS_OF_ALL.includes(field));
    if (others.length === 0) return [];
    const known = await this.#store.fieldsOf(instanceId);
    const fields = [...FIELDS_OF_ALL, ...known.slice(0, FIELDS_NAMED)].join(", ");
    return others
      .filter(({ field }) => !known.includes(field))
      .map(({ field }) => `There is no field ${field}, so nothing is found until it exists. Known fields: ${fields}`);
  }

  /** Returns a group with the number of documents that have values. @throws {ApiError} `not_found` */
  async require(instanceId: number, name: string): Promise<FoundGroup> {
    const group = await this.#store.read(instanceId, foldTerm(name));
    if (!group) {
      throw new ApiError("not_found", {
        reason: "metadata_group_unknown",
        description: "There is no such group: it was deleted, or never created",
      });
    }
    const [[counted = 0], byKey] = await Promise.all([
      this.#documents.countByGroup(instanceId, [group.id], COUNTED_FOR_ONE),
      this.#documents.countByKey(instanceId, group.id, COUNTED_FOR_ONE),
    ]);
    const documents = capped(counted, COUNTED_FOR_ONE);
    // The keys are counted among the same documents. If there are more documents, a key may have more as well.
    const keys = group.keys.map((key) => ({
      ...key,
      documents: { count: byKey[key.id] ?? 0, isCapped: documents.isCapped },
    }));
    return { ...group, documents, keys };
  }
}

function capped(count: number, max: number): DocumentCount {
  return { count, isCapped: count >= max };
}
