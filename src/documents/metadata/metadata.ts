/** TEXT and TEXTLIST match by word, PICKLIST and MULTIPICKLIST exactly; the lists take several values. */
export type PropertyType = "TEXT" | "PICKLIST" | "TEXTLIST" | "MULTIPICKLIST";

/**
 * Custom metadata on documents. Its schemas are stored in D1. Each call brings the schema that it concerns, with a version, so that
 * nothing is written here by a schema that is older than one seen before.
 */
export interface CustomMetadata {
  /**
   * Replaces all values of a group on documents. If some documents can't have theirs, the others are written.
   *
   * @returns the outcomes, in order
   */
  putValues(instanceId: number, values: GroupValues): Promise<readonly ValuesOutcome[]>;
  /** Replaces a group's schema, unless a newer one is known. */
  adoptGroup(instanceId: number, group: MetadataGroup): Promise<void>;
  /** Forgets a group of this name, if its id is at most `upTo`: the highest that existed when the name was free. */
  forgetGroup(instanceId: number, name: string, upTo: number): Promise<void>;
  /** Returns, for each group, how many documents have values, up to `max`. */
  countByGroup(instanceId: number, groupIds: readonly number[], max: number): Promise<readonly number[]>;
  /** Returns, for each key of a group, how many documents have a value, among up to `max` documents. */
  countByKey(instanceId: number, groupId: number, max: number): Promise<Readonly<Record<number, number>>>;
}

/** A group as D1 has it. Ids are never reused, and the version goes up with each change. */
export interface MetadataGroup {
  readonly id: number;
  /** Folded. */
  readonly name: string;
  /** As it was first written. */
  readonly display: string;
  readonly version: number;
  readonly keys: readonly MetadataKey[];
}

export interface MetadataKey {
  readonly id: number;
  /** Folded. */
  readonly name: string;
  readonly display: string;
  /** Group and key without a separator, folded: how queries and facets name it. */
  readonly facetName: string;
  readonly propertyType: PropertyType;
  /** Whether it is only shown and filtered by, and free text doesn't find it. */
  readonly skipIndexing: boolean;
}

/** A document as a path names it: `<datasource>:<id>`, or the id alone, whose datasource is empty. */
export interface DocumentReference {
  readonly datasource: string;
  readonly externalId: string;
}

/** The values that a document gets for one key, as people read them. */
export interface KeyValues {
  /** Folded. */
  readonly name: string;
  readonly display: string;
  readonly isList: boolean;
  readonly values: readonly string[];
}

/** Values of one group for documents. */
export interface GroupValues {
  readonly group: MetadataGroup;
  readonly documents: readonly ValuesOfDocument[];
}

/** All values of a group on a document. */
export interface ValuesOfDocument {
  readonly document: DocumentReference;
  readonly values: readonly KeyValues[];
}

/** The result. Except for `done`, nothing changed. `stale`: the group's schema has changed since it was read. */
export type ValuesOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "stale" }
  | { readonly kind: "no_document" | "several_documents" | "too_large" }
  | { readonly kind: "unknown_key"; readonly key: string }
  | { readonly kind: "wrong_type"; readonly key: string; readonly isListKey: boolean };
