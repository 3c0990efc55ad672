import type { PropertyType } from "#indexing-api/custom-metadata/group-schema.ts";
import { foldTerm } from "#protocol/folding.ts";
import { ApiError } from "#protocol/errors.ts";

/** So many documents of each group are counted for the list of all groups, of which there are at most 50. */
const COUNTED_FOR_LIST = 10_000;

/** So many documents are counted for the page of one group, and for each of its keys: a few tenths of a second. */
const COUNTED_FOR_ONE = 50_000;

/** A number of documents, as far as they were counted. */
export interface DocumentCount {
  readonly count: number;
  /** Whether there are, or may be, more. */
  readonly isCapped: boolean;
}

/** A group as the list has it. */
export interface GroupLine {
  readonly name: string;
  readonly display: string;
  readonly keys: number;
  readonly documents: number;
  readonly createdAt: number;
}

/** A key of a group. */
export interface KeyLine {
  readonly name: string;
  readonly display: string;
  readonly facetName: string;
  readonly propertyType: PropertyType;
  readonly skipIndexing: boolean;
  /** Those that have a value. */
  readonly documents: number;
}

/** A group with its keys. */
export interface GroupWithKeys {
  readonly name: string;
  readonly display: string;
  readonly createdAt: number;
  readonly documents: number;
  readonly keys: readonly KeyLine[];
}

type Counted<Line extends { readonly documents: number }> = Omit<Line, "documents"> & {
  readonly documents: DocumentCount;
};
export type ListedGroup = Counted<GroupLine>;
export type ListedKey = Counted<KeyLine>;
export type FoundGroup = Counted<Omit<GroupWithKeys, "keys"> & { readonly documents: number }> & {
  readonly keys: readonly ListedKey[];
};

export interface GroupRegisterStore {
  /** All groups by name, each with up to this many of its documents. */
  list(instanceId: number, documentsMax: number): Promise<GroupLine[]>;
  /** A group, by its folded name, with up to this many of its documents. */
  find(instanceId: number, name: string, documentsMax: number): Promise<GroupWithKeys | null>;
}

/** Groups of metadata as administrators see them: with the documents that hold values. Changes are `GroupSchemas`'. */
export class GroupRegister {
  readonly #store: GroupRegisterStore;

  constructor(store: GroupRegisterStore) {
    this.#store = store;
  }

  async list(instanceId: number): Promise<ListedGroup[]> {
    const groups = await this.#store.list(instanceId, COUNTED_FOR_LIST);
    return groups.map((group) => ({ ...group, documents: capped(group.documents, COUNTED_FOR_LIST) }));
  }

  /** @throws {ApiError} `not_found` */
  async require(instanceId: number, name: string): Promise<FoundGroup> {
    const group = await this.#store.find(instanceId, foldTerm(name), COUNTED_FOR_ONE);
    if (!group) {
      throw new ApiError("not_found", {
        reason: "metadata_group_unknown",
        description: "There is no such group here: it was deleted, or never described",
      });
    }
    const documents = capped(group.documents, COUNTED_FOR_ONE);
    // The keys are counted over the same documents, so where those were cut short a key may have more.
    const keys = group.keys.map((key) => ({
      ...key,
      documents: { count: key.documents, isCapped: documents.isCapped },
    }));
    return { ...group, documents, keys };
  }
}

function capped(count: number, max: number): DocumentCount {
  return { count, isCapped: count >= max };
}
