import type { IndexableDocument } from "#documents/engine.ts";
import type { Kind } from "#documents/generations.ts";
import type { Described } from "#documents/rights/described.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Everything that a datasource has of one kind, in pages, in the place of what it had. */
export interface BulkUploads {
  /**
   * Takes a page. What it brings holds at once; what the upload did not bring goes after the last page. A page that is repeated
   * after a lost answer changes nothing.
   */
  takePage(instanceId: number, page: UploadPage): Promise<UploadProgress | PageRefused>;
  /** The latest uploads of a datasource, the newest first. */
  uploads(instanceId: number, datasource: string): Promise<readonly UploadStatus[]>;
  /** Remembers what was wrong with a page that was refused before it came here. */
  noteUploadError(instanceId: number, target: UploadTarget, message: string): Promise<void>;
}

/** What an upload replaces: all of one kind in a datasource, or the members of one group. */
export interface UploadTarget {
  readonly kind: Kind;
  readonly datasource: string;
  /** Of memberships the group; else empty. */
  readonly groupName: string;
  /** The pipeline's name for the upload. */
  readonly uploadId: string;
}

/** One page, checked. */
export interface UploadPage extends UploadTarget {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly forceRestart: boolean;
  /** By which the page is known when it comes again. */
  readonly hash: string;
  readonly items: readonly UploadItem[];
}

export type UploadItem = { readonly kind: "documents"; readonly document: IndexableDocument } | Described;

/** A page, or a piece of a large one: as much as one step may take. */
export interface PagePart extends UploadPage {
  readonly isFirstPart: boolean;
  readonly isLastPart: boolean;
}

/** Why nothing of a page was taken, and what to do about it. */
export interface PageRefused {
  readonly refused: "conflict" | "no group" | "full";
  /** One word for the log. */
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

/** The same with what an operator asks next. Times are epoch seconds. */
export interface UploadStatus extends Omit<UploadProgress, "status"> {
  readonly kind: Kind;
  readonly groupName: string;
  readonly status: UploadProgress["status"] | "given up";
  readonly pages: number;
  readonly startedAt: number;
  readonly changedAt: number;
  readonly completedAt: number | null;
  /** The latest refusals of its pages, the newest first. */
  readonly errors: readonly { readonly at: number; readonly message: string }[];
}
