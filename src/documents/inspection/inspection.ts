import type { CustomValue, Principal } from "#documents/engine.ts";

/** What administrators look at, whoever may see it: which documents there are, and what is stored of one. */
export interface DocumentInspection {
  /** A page of a datasource's documents, by id. */
  listDocuments(instanceId: number, datasource: string, place: ListPlace): Promise<DocumentList>;
  /** `null`: there is no such document. */
  inspectDocument(instanceId: number, datasource: string, externalId: string): Promise<InspectedDocument | null>;
}

/** Where a page of a list is: behind an id, or before one. Empty: at the beginning. */
export interface ListPlace {
  readonly after?: string;
  readonly before?: string;
}

export interface DocumentList {
  readonly documents: readonly ListedDocument[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

export interface ListedDocument {
  readonly externalId: string;
  readonly objectType: string;
  readonly title: string;
  readonly url: string;
  /** Epoch seconds, as all times here. */
  readonly updatedAt: number | null;
  readonly indexedAt: number;
}

export interface InspectedDocument extends ListedDocument {
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly tags: readonly string[];
  /** The characters of its text. */
  readonly characters: number;
  readonly customData: readonly CustomValue[];
  /** The upload that brought it last; `null`: it came singly, or the upload has been forgotten. */
  readonly uploadId: string | null;
  /** Whom its permissions name, no more than a page shows. */
  readonly principals: readonly Principal[];
  readonly principalCount: number;
}
