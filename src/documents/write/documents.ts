import type { DocumentDescription, FilterTerm, IndexableDocument, Principal } from "#documents/engine.ts";
import type { Store } from "#documents/store.ts";

/**
 * Writes a document, new or again, with its place in the index; what its custom metadata added stays. Runs inside the caller's
 * transaction, as all of these do.
 *
 * @param generation of the upload that it came with; a later one is higher
 * @param now epoch seconds
 * @returns its row
 */
export declare function putDocument(store: Store, document: IndexableDocument, generation: number, now: number): number;

/** Puts new permissions in the place of a document's old ones. */
export declare function permitDocument(store: Store, id: number, principals: readonly Principal[], now: number): void;

/** Makes what custom metadata adds to a document this and nothing else. */
export declare function describeDocument(store: Store, id: number, description: DocumentDescription): void;

/** Removes a document, its values of custom metadata, and its place in the index. */
export declare function removeDocument(store: Store, id: number): void;

/** Whoever writes users, groups or memberships of a datasource says so by this: the next search asks anew who sees what. */
export declare function forgetRights(store: Store): void;

/** The ids of filter terms, given to those that are new. */
export declare function termIdsOf(store: Store, terms: readonly FilterTerm[]): number[];
