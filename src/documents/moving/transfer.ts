import type { MovedGroup } from "#documents/metadata/groups.ts";
import type { ExportedDocument } from "#documents/upkeep/keeping.ts";
import type { RemovedDocument } from "#documents/uploads/removed-documents.ts";

/**
 * What an engine does with an instance's documents. Each call checks it in its own transaction, so that callers with an old placement
 * are refused:
 *
 * - `serving`: everything; `giving`: the same, and it notes what changes, because a move copies it
 * - `sealed`: only reads, while a move copies the last changes
 * - `taking`: only a move's pages; `ready`: only reads, because everything was taken
 * - `left`: nothing, because the documents are in another engine
 */
export type Holding = "serving" | "giving" | "sealed" | "left" | "taking" | "ready";

/** What moves call, in the engine that an instance's documents leave and in the one that they go to. */
export interface EngineTransfer {
  transferState(): Promise<TransferState>;
  /** Changes the holding, if `nextHolding` allows it. */
  hold(order: HoldingOrder): Promise<TransferState>;
  /** Returns the next lines of a copy, and then of what changed since it began, from an earlier page's `next` on. */
  givePage(move: number, after: string | null): Promise<GivenPage>;
  /** Writes a page and remembers `next`, in one transaction. A page that isn't the next one changes nothing. */
  takeLines(page: TakenPage): Promise<TransferState>;
  /** Returns how many there are of each kind. Two engines with the same content return the same. */
  tally(): Promise<Tally>;
  /** Removes some of what an engine that is `left` or `taking` has. @returns whether everything is gone */
  erase(turn: number): Promise<boolean>;
  /** Returns a bookmark for each object's database as it was at a time. @param at in milliseconds, within the last 30 days */
  bookmarksAt(at: number): Promise<readonly string[]>;
  /** Restores one object's database, and starts the object again. @throws always: {@link isRewound} tells whether it worked */
  rewindTo(bookmark: string, shard: number): Promise<void>;
}

export interface TransferState extends StoredTransfer {
  readonly isEmpty: boolean;
}

/** What an engine stores about its part in moves. */
export interface StoredTransfer {
  readonly holding: Holding;
  /** That of the latest order that was followed. */
  readonly turn: number;
  /** The move that it gives to or takes from; 0: none. */
  readonly move: number;
  /** How many pages of this move were taken. */
  readonly pages: number;
  /** Where its next page begins; `null`: at the start. */
  readonly next: string | null;
}

/**
 * An order to change the holding. Turns go up with each stage of a move, by statements on the control database, so an order of an
 * earlier turn comes from a caller who has fallen behind.
 */
export interface HoldingOrder {
  readonly turn: number;
  readonly move: number;
  readonly to: Holding;
}

/** A row's values, as stored. */
export type MovedRow = Readonly<Record<string, string | number | null>>;

/** What moves: rows by their keys; `null`: the row is gone. Each engine derives its own index and everything else. */
export type MovedLine =
  | { readonly kind: RowKind; readonly key: MovedKey; readonly row: MovedRow | null }
  | {
      readonly kind: "document";
      /** Datasource and id. */
      readonly key: MovedKey;
      readonly row: MovedDocument | null;
    }
  | {
      readonly kind: "removed";
      /** Datasource and id. */
      readonly key: MovedKey;
      readonly row: MovedRemoved | null;
    }
  | {
      readonly kind: "metadataGroup";
      readonly key: MovedKey;
      readonly row: MovedGroup | null;
    };

/** A document that an upload removed, with the time. */
export type MovedRemoved = Omit<RemovedDocument, "id">;

export interface MovedDocument extends ExportedDocument {
  readonly generation: number;
  /** By group id, the version of the metadata group that the values are in line with. */
  readonly versions: Readonly<Record<string, number>>;
}

export type MovedKey = readonly (string | number)[];

export type RowKind = "mark" | "leavingUser" | "user" | "group" | "membership" | "upload" | "page" | "singleChange";

export interface GivenPage {
  readonly lines: readonly MovedLine[];
  readonly next: string;
  /** Changes after this page, as far as they were counted; `null`: the copy hasn't reached its end. */
  readonly left: number | null;
}

export interface TakenPage {
  readonly move: number;
  /** How many pages of the move come before this one. */
  readonly page: number;
  readonly lines: readonly MovedLine[];
  readonly next: string;
}

export type Tally = Readonly<Record<string, number>>;
