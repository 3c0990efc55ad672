import type { IndexableDocument } from "#documents/engine.ts";
import type { Kind } from "#documents/generations.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import type { DatasourceUser, Membership } from "#documents/rights/rights.ts";

/** What operators and administrators ask of an instance's documents as a whole. */
export interface DocumentKeeping {
  stats(instanceId: number): Promise<DocumentStats>;
  /** When a document was last indexed, in epoch seconds; `null`: there is no such document. */
  indexedAt(instanceId: number, datasource: string, externalId: string): Promise<number | null>;
  /** The next lines of everything that would be lost, from the place that an earlier page's `next` names. */
  exportPage(instanceId: number, after: string | null): Promise<ExportPage>;
  /**
   * Writes lines of a backup into an instance that has nothing, or nothing but what this backup brought. Lines that do not follow
   * those that were written change nothing.
   *
   * @returns how many of the backup's lines are written; `null`: the instance holds something else
   */
  importPage(instanceId: number, page: ImportPage): Promise<number | null>;
}

/**
 * How long after its last page a restore keeps pipelines out. Until it is complete, it could undo what they deleted or narrowed. One
 * that stopped for longer is given up by their next write.
 */
const RESTORE_PAUSE_SECONDS = 3600;

/**
 * Whether a restore was given up, as it stopped for too long.
 *
 * @param importingAt when its last page came, in epoch seconds; 0: none is under way
 * @throws while one is under way: pipelines try again later
 */
export function isRestoreGivenUp(importingAt: number, now: number): boolean {
  if (importingAt === 0) return false;
  if (now - importingAt < RESTORE_PAUSE_SECONDS) throw new Error("documents_restoring: a restore is under way");
  return true;
}

/** Of the object, and of what it has to do. Times are epoch seconds. */
export interface DocumentStats {
  /** Of the 10 GB that an instance's documents may take. */
  readonly bytes: number;
  readonly datasources: readonly (Readonly<Record<Kind, number>> & {
    readonly name: string;
    /** When the latest upload of its documents last moved. */
    readonly lastUploadAt: number | null;
  })[];
  /** Searches within a minute: this one or the last, whichever had more. */
  readonly searches: number;
  /** Uploads whose last page has not come, and those whose removal is not done. */
  readonly receiving: number;
  readonly removing: number;
  /** The latest refusal of a page of documents, users or groups. */
  readonly lastRefusal: { readonly datasource: string; readonly at: number; readonly message: string } | null;
  /** When the next step of the clean-up is due; `null`: nothing is left. */
  readonly alarmAt: number | null;
  /** When a step of the clean-up failed; 0: the last one did not. */
  readonly alarmFailedAt: number;
}

/** Lines are told apart by their one member. */
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

/** Some of a backup's lines for one instance. */
export interface ImportPage {
  /** The backup's hash, by which a restore that was interrupted goes on. */
  readonly backup: string;
  /** How many lines come before these. */
  readonly from: number;
  readonly lines: readonly ExportLine[];
  /** Whether no line comes after these. */
  readonly isLast: boolean;
}

export interface ExportPage {
  readonly lines: readonly ExportLine[];
  /** `null`: this is the last. */
  readonly next: string | null;
}
