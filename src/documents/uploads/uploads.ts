import type { IndexableDocument } from "#documents/engine.ts";
import type { Kind } from "#documents/generations.ts";
import type { Described } from "#documents/rights/described.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Uploads of everything that a datasource has of one kind, in pages, which replace what it had. */
export interface BulkUploads {
  /**
   * Takes a page. Its items take effect at once. After the last page, what the upload didn't contain is removed. A page that is
   * repeated because its response was lost changes nothing.
   */
  takePage(instanceId: number, page: UploadPage): Promise<UploadProgress | PageRefused>;
  /** Returns the latest uploads of a datasource, newest first. */
  uploads(instanceId: number, datasource: string): Promise<readonly UploadStatus[]>;
  /** Remembers what was wrong with a page that was refused before it got here. */
  noteUploadError(instanceId: number, target: UploadTarget, message: string): Promise<void>;
}

/** What an upload replaces: all of one kind in a datasource, or the members of one group. */
export interface UploadTarget {
  readonly kind: Kind;
  readonly datasource: string;
  /** The group, for memberships; otherwise empty. */
  readonly groupName: string;
  /** The pipeline's name for the upload. */
  readonly uploadId: string;
}

/** One page, validated. */
export interface UploadPage extends UploadTarget {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly forceRestart: boolean;
  /** Identifies the page if it is sent again. */
  readonly hash: string;
  readonly items: readonly UploadItem[];
}

export type UploadItem = { readonly kind: "documents"; readonly document: IndexableDocument } | Described;

/** A page, or as much of a large one as one call or one step may take. */
export interface PagePart extends UploadPage {
  readonly isFirstPart: boolean;
  readonly isLastPart: boolean;
}

/** A part of a page for one shard. */
export interface ShardPart extends PagePart {
  /** The generation of an upload that begins with this part. The first shard chooses it for all. */
  readonly generation?: number;
}

/** Why nothing of a page was taken, and what to do about it. */
export interface PageRefused {
  readonly refused: "conflict" | "no group" | "full";
  /** A reason code for the log. */
  readonly reason: RefusalReason;
  readonly description: string;
  readonly retryAfterSeconds?: number;
}

/** How far an upload is, for its pipeline. */
export interface UploadProgress {
  readonly uploadId: string;
  readonly status: "receiving" | "removing" | "done";
  readonly received: number;
  readonly removed: number;
}

/** The same after a part of a page. */
export interface PartProgress extends UploadProgress {
  /** How many items were taken. The caller sends those that come after them again. */
  readonly taken: number;
}

/** The same with details for operators. Times are epoch seconds. */
export interface UploadStatus extends Omit<UploadProgress, "status"> {
  readonly kind: Kind;
  readonly groupName: string;
  readonly status: UploadProgress["status"] | "given up";
  readonly pages: number;
  readonly startedAt: number;
  readonly changedAt: number;
  readonly completedAt: number | null;
  /** The latest refusals of its pages, newest first. */
  readonly errors: readonly { readonly at: number; readonly message: string }[];
}
