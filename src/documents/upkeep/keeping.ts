import type { IndexableDocument } from "#documents/engine.ts";
import type { Kind } from "#documents/generations.ts";
import type { Language } from "#documents/languages.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import type { DatasourceUser, Membership } from "#documents/rights/rights.ts";
import type { HeldUpload } from "#documents/uploads/uploads.ts";

/** Operations of operators and administrators on an instance's documents as a whole. */
export interface DocumentKeeping {
  stats(instanceId: number): Promise<DocumentStats>;
  /** Returns when a document was last indexed, in epoch seconds; `null`: there is no such document. */
  indexedAt(instanceId: number, datasource: string, externalId: string): Promise<number | null>;
  /** Returns the next lines of everything that would be lost, from the place that an earlier page's `next` names. */
  exportPage(instanceId: number, after: string | null): Promise<ExportPage>;
  /**
   * Writes lines of a backup into an instance that is empty, or contains only what this backup brought. Lines that don't follow those
   * that were written change nothing.
   *
   * @returns how many of the backup's lines are written; `null`: the instance contains something else
   */
  importPage(instanceId: number, page: ImportPage): Promise<number | null>;
}

/** The state of the object and of its remaining work. Times are epoch seconds. */
export interface DocumentStats {
  /** The size of all objects, and of the largest. Each may have 10 GB. */
  readonly bytes: number;
  readonly fullestBytes: number;
  readonly datasources: readonly (Readonly<Record<Kind, number>> & {
    readonly name: string;
    /** When the latest upload of its documents last changed. */
    readonly lastUploadAt: number | null;
  })[];
  /** How many of each object's newest documents are in each language, as far as their words tell. */
  readonly languages: Readonly<Partial<Record<Language, number>>>;
  /** Searches in this minute or in the last, whichever had more. */
  readonly searches: number;
  /** Uploads whose last page hasn't come, and those whose removal isn't finished. */
  readonly receiving: number;
  readonly removing: number;
  /** Uploads whose removal waits for a decision, those first that are removed first without one. */
  readonly held: readonly HeldUpload[];
  /** The latest refusal of a page of documents, users or groups. */
  readonly lastRefusal: { readonly datasource: string; readonly at: number; readonly message: string } | null;
  /** When the next step of the clean-up is due; `null`: nothing is left to do. */
  readonly alarmAt: number | null;
  /** When the last step of the clean-up failed; 0: it didn't. */
  readonly alarmFailedAt: number;
}

/** One line of an export. Its only property tells what it is. */
export type ExportLine =
  | { readonly metadataGroup: MetadataGroup }
  | { readonly user: DatasourceUser & OfDatasource }
  | {
      readonly group: OfDatasource & {
        readonly name: string;
        readonly isDeleted: boolean;
        readonly isLeaving: boolean;
      };
    }
  | { readonly membership: Membership & OfDatasource }
  | { readonly document: ExportedDocument };

interface OfDatasource {
  readonly datasource: string;
}

/** A document with its custom metadata: group id → key id → texts. */
export interface ExportedDocument extends IndexableDocument {
  readonly indexedAt: number;
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Lines of a backup for one instance. */
export interface ImportPage {
  /** The backup's hash, with which an interrupted restore continues. */
  readonly backup: string;
  /** How many lines come before these. */
  readonly from: number;
  readonly lines: readonly ExportLine[];
  /** How many lines of the backup these stand for, if others of them went to other shards. */
  readonly covers?: number;
  /** Whether no line comes after these. */
  readonly isLast: boolean;
}

export interface ExportPage {
  readonly lines: readonly ExportLine[];
  /** `null`: this is the last page. */
  readonly next: string | null;
}
