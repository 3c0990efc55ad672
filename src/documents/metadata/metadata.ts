/** TEXT and TEXTLIST match by word, PICKLIST and MULTIPICKLIST exactly; the lists take several values. */
export type PropertyType = "TEXT" | "PICKLIST" | "TEXTLIST" | "MULTIPICKLIST";

/**
 * Custom metadata on documents. Its schemas are D1's: each comes along with what it concerns, by version, so that what is written
 * here never follows a schema that is older than one seen before.
 */
export interface CustomMetadata {
  /** Replaces all values of a group on a document, or says why not. */
  putValues(
    instanceId: number,
    document: DocumentReference,
    group: MetadataGroup,
    values: readonly KeyValues[],
  ): Promise<ValuesOutcome>;
  /** Makes a group's schema this one, unless a newer one is known. */
  adoptGroup(instanceId: number, group: MetadataGroup): Promise<void>;
  /** Forgets a group of this name, if its id is not above `upTo`: nobody gave a higher one when the name was free. */
  forgetGroup(instanceId: number, name: string, upTo: number): Promise<void>;
  /** Of each group, how many documents have values, up to a number. */
  countByGroup(instanceId: number, groupIds: readonly number[], max: number): Promise<readonly number[]>;
  /** Of each key of a group, how many of up to so many documents have a value. */
  countByKey(instanceId: number, groupId: number, max: number): Promise<Readonly<Record<number, number>>>;
}

/** A group as D1 has it. Ids are never given again; the version moves with each change. */
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
  /** Shown and filtered by, and found by no free text. */
  readonly skipIndexing: boolean;
}

/** A document as a path names it: `<datasource>:<id>`, or the id alone. */
export interface DocumentReference {
  readonly whole: string;
  readonly datasource: string;
  readonly externalId: string;
}

/** What a document gets under one key, as people read it. */
export interface KeyValues {
  /** Folded. */
  readonly name: string;
  readonly display: string;
  readonly isList: boolean;
  readonly values: readonly string[];
}

/** Why everything stayed as it was; `stale`: the group's schema has changed since it was read. */
export type ValuesOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "stale" }
  | { readonly kind: "no_document" | "several_documents" | "too_large" }
  | { readonly kind: "unknown_key"; readonly key: string }
  | { readonly kind: "wrong_type"; readonly key: string; readonly isListKey: boolean };
