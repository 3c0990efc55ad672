import type { IndexableDocument } from "#documents/engine.ts";
import type { Kind } from "#documents/generations.ts";
import type { Described } from "#documents/rights/rights.ts";
import type { Refused } from "#documents/refused.ts";

/** Uploads of everything that a datasource has of one kind, in pages, which replace what it had. */
export interface BulkUploads {
  /**
   * Takes a page. Its items take effect at once. After the last page, what the upload didn't contain is removed, or held if it is
   * much. A page that is repeated because its response was lost changes nothing.
   */
  takePage(instanceId: number, page: UploadPage): Promise<UploadProgress | Refused>;
  /** Returns the latest uploads of a datasource, newest first. @param only selects those with these values */
  uploads(instanceId: number, datasource: string, only?: SelectedUploads): Promise<readonly UploadStatus[]>;
  /** Decides about a removal that is held. @returns how far the upload is then; `null`: nothing of it is held */
  decideRemoval(instanceId: number, decision: RemovalDecision): Promise<UploadProgress | null>;
  /** Returns, by datasource, which documents that uploads removed can be brought back. */
  removedDocuments(instanceId: number): Promise<readonly RemovedDocuments[]>;
  /** Begins to bring back or to erase those of a datasource. The clean-up goes on with it. @returns how many there are */
  decideFate(instanceId: number, datasource: string, fate: RemovedFate): Promise<number>;
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

/** What selects uploads of a datasource. */
export type SelectedUploads = Partial<Pick<UploadTarget, "kind" | "groupName" | "uploadId">>;

/** One page, validated. */
export interface UploadPage extends UploadTarget {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly forceRestart: boolean;
  /** Whether what the upload didn't contain is removed however much it is. The last page decides. */
  readonly isUnchecked: boolean;
  /** Identifies the page if it is sent again. */
  readonly hash: string;
  readonly items: readonly UploadItem[];
}

export type UploadItem = { readonly kind: "documents"; readonly document: IndexableDocument } | Described;

/** A page, or as much of a large one as one call, one step or one shard takes. */
export interface PagePart extends UploadPage {
  readonly isFirstPart: boolean;
  readonly isLastPart: boolean;
  /** The generation of an upload that begins with this part. The first shard chooses it for all. */
  readonly generation?: number;
  /** Whether other shards have parts of the upload as well, so that what it would remove waits for a decision about all of it. */
  readonly isOneOfSeveral?: boolean;
}

/** What a complete upload removes, or would remove: 0 before its last page. */
export interface Removal {
  readonly stale: number;
  /** How many there were, with those of the upload. */
  readonly total: number;
  /** When it is removed without a decision, in epoch seconds; `null`: it isn't held. */
  readonly heldUntil: number | null;
}

/** A decision about a removal that is held: to remove what the upload didn't contain, or to keep it. */
export interface RemovalDecision {
  readonly target: UploadTarget;
  readonly removes: boolean;
}

/** How far an upload is, for its pipeline. */
export interface UploadProgress extends Removal {
  readonly uploadId: string;
  readonly status: "receiving" | "held" | "removing" | "done";
  /** When its first page came, in epoch seconds; 0 before that. */
  readonly startedAt: number;
  readonly received: number;
  readonly removed: number;
}

/** How far an upload is before its first page. */
export function nothingTaken(uploadId: string): UploadProgress {
  return { uploadId, status: "receiving", startedAt: 0, received: 0, removed: 0, stale: 0, total: 0, heldUntil: null };
}

/** The same after a part of a page. */
export interface PartProgress extends UploadProgress {
  /** How many items were taken. The caller sends those that come after them again. */
  readonly taken: number;
  /** That of the upload. */
  readonly generation: number;
}

/** The same with details for operators. Times are epoch seconds. */
export interface UploadStatus extends Omit<UploadProgress, "status"> {
  readonly kind: Kind;
  readonly groupName: string;
  readonly status: UploadProgress["status"] | "given up";
  readonly pages: number;
  readonly changedAt: number;
  readonly completedAt: number | null;
  /** Some names of what is held, for the first uploads of a list. */
  readonly examples: readonly string[];
  /** The latest refusals of its pages, newest first. */
  readonly errors: readonly { readonly at: number; readonly message: string }[];
}

/** Documents of a datasource that uploads removed and that can still be brought back. Times are epoch seconds. */
export interface RemovedDocuments {
  readonly datasource: string;
  readonly documents: number;
  readonly firstRemovedAt: number;
  readonly lastRemovedAt: number;
  /** What is being done with all of them; `null`: they are kept. */
  readonly fate: RemovedFate | null;
}

export type RemovedFate = "bring back" | "erase";

/** An upload whose removal is held. */
export interface HeldUpload extends UploadStatus {
  readonly datasource: string;
}
