import type { CustomValue, Principal } from "#documents/engine.ts";

/** Lists and shows documents for administrators, regardless of permissions. */
export interface DocumentInspection {
  /** Returns a page of a datasource's documents, by id. */
  listDocuments(instanceId: number, datasource: string, place: ListPlace): Promise<DocumentList>;
  /** Returns one document; `null`: there is no such document. */
  inspectDocument(instanceId: number, datasource: string, externalId: string): Promise<InspectedDocument | null>;
}

/** A page of a list: after an id, before an id, or, if both are missing, the first. */
export interface ListPlace {
  readonly after?: string;
  readonly before?: string;
  /** How many documents a page has, if not the usual number. */
  readonly most?: number;
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
  /** Epoch seconds, like all times here. */
  readonly updatedAt: number | null;
  readonly indexedAt: number;
  readonly contentHash: string | null;
}

export interface InspectedDocument extends ListedDocument {
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly tags: readonly string[];
  /** The length of its text. */
  readonly characters: number;
  readonly customData: readonly CustomValue[];
  /** The upload that last sent it; `null`: it was sent on its own, or the upload has been forgotten. */
  readonly uploadId: string | null;
  /** The principals in its permissions, up to what a page shows. */
  readonly principals: readonly Principal[];
  readonly principalCount: number;
}
