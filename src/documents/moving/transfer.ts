import type { MovedGroup } from "#documents/metadata/groups.ts";
import type { ExportedDocument } from "#documents/upkeep/keeping.ts";

/**
 * What an engine does with an instance's documents. Each call looks at it in its own transaction, so that whoever asks by an old
 * placement is refused:
 *
 * - `serving`: everything; `giving`: the same, and notes what changes, because a move copies it
 * - `sealed`: reads only, while a move copies the last changes
 * - `taking`: nothing but a move's pages; `ready`: reads only: all was taken
 * - `left`: nothing; the documents are in another engine
 */
export type Holding = "serving" | "giving" | "sealed" | "left" | "taking" | "ready";

/** What moves ask of the engine that an instance's documents leave, and of the one that they go to. */
export interface EngineTransfer {
  transferState(instanceId: number): Promise<TransferState>;
  /** Changes the holding, if `nextHolding` allows it. */
  hold(instanceId: number, order: HoldingOrder): Promise<TransferState>;
  /** The next lines of a copy and then of what changed since it began, from where an earlier page's `next` says. */
  givePage(instanceId: number, move: number, after: string | null): Promise<GivenPage>;
  /** Writes a page and remembers `next`, in one transaction; a page that is not the next one changes nothing. */
  takeLines(instanceId: number, page: TakenPage): Promise<TransferState>;
  /** How many there are of each kind. Two engines that hold the same give the same. */
  tally(instanceId: number): Promise<Tally>;
  /** Removes some of what an engine that is `left` or `taking` has. @returns whether all is gone */
  erase(instanceId: number, turn: number): Promise<boolean>;
}

export interface TransferState extends StoredTransfer {
  readonly isEmpty: boolean;
}

/** What an engine keeps of it. */
export interface StoredTransfer {
  readonly holding: Holding;
  /** Of the latest order that was followed. */
  readonly turn: number;
  /** The move that it gives to or takes from; 0: none. */
  readonly move: number;
  /** Pages of this move that were taken. */
  readonly pages: number;
  /** Where its next page begins; `null`: at the start. */
  readonly next: string | null;
}

/**
 * Turns go up with each stage of a move, by statements on the control database: an order of an earlier turn comes from somebody who
 * has fallen behind.
 */
export interface HoldingOrder {
  readonly turn: number;
  readonly move: number;
  readonly to: Holding;
}

/** Values of a row as they are stored; `null`: the row is gone. */
export type MovedRow = Readonly<Record<string, string | number | null>>;

/** What moves: rows by their keys. The index, and whatever else is derived, each engine makes itself. */
export type MovedLine =
  | { readonly kind: RowKind; readonly key: MovedKey; readonly row: MovedRow | null }
  | {
      readonly kind: "document";
      /** Datasource and id. */
      readonly key: MovedKey;
      readonly row: MovedDocument | null;
    }
  | {
      readonly kind: "metadataGroup";
      readonly key: MovedKey;
      readonly row: MovedGroup | null;
    };

export interface MovedDocument extends ExportedDocument {
  readonly generation: number;
  /** The versions of its metadata groups that its values are in line with, by the group's id. */
  readonly versions: Readonly<Record<string, number>>;
}

export type MovedKey = readonly (string | number)[];

export type RowKind = "mark" | "leavingUser" | "user" | "group" | "membership" | "upload" | "page" | "singleChange";

export interface GivenPage {
  readonly lines: readonly MovedLine[];
  readonly next: string;
  /** Changes behind this page, as far as they were counted; `null`: the copy is not at its end. */
  readonly left: number | null;
}

export interface TakenPage {
  readonly move: number;
  /** How many pages of the move come before it. */
  readonly page: number;
  readonly lines: readonly MovedLine[];
  readonly next: string;
}

export type Tally = Readonly<Record<string, number>>;
