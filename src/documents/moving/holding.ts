import type { Holding, HoldingOrder, StoredTransfer, TransferState } from "./transfer.ts";

/** How an engine's refusals begin. They reach the caller as an error's message. */
const ELSEWHERE = "documents_elsewhere";
const SEALED = "documents_sealed";

/**
 * The holdings from which an engine can get to each holding. An engine that serves may begin to take only while it is empty. An engine
 * may also be told to continue serving, so that it refuses later orders from anybody who has fallen behind.
 */
const FROM: Readonly<Record<Holding, readonly Holding[]>> = {
  serving: ["serving", "giving", "sealed", "ready"],
  giving: ["serving", "sealed"],
  sealed: ["giving"],
  left: ["sealed", "taking", "ready"],
  taking: ["left", "serving", "ready", "taking"],
  ready: ["taking"],
};

/**
 * Returns the holding that an order leads to. An order that was already followed changes nothing, so it can be repeated, and a copy
 * that is complete isn't taken back within its turn.
 *
 * @throws if the order doesn't fit: it is of an earlier turn or of another move, or the engine's holding doesn't allow it
 */
export function nextHolding(state: TransferState, { turn, move, to }: HoldingOrder): Holding {
  const { holding } = state;
  const wrong = (why: string) => new Error(`documents_order_refused: ${to} in turn ${turn}: ${why}`);
  if (turn < state.turn) throw wrong(`turn ${state.turn} has begun`);
  if (turn === state.turn && move === state.move && (holding === to || (holding === "ready" && to === "taking"))) {
    return holding;
  }
  if (holding === to && move === state.move) return holding;
  if (!FROM[to].includes(holding)) throw wrong(`the engine is ${holding}`);
  if (to === "taking" && holding === "serving" && !state.isEmpty) throw wrong("the engine has documents of its own");
  const begins = holding === "serving" || (to === "taking" && holding !== "ready");
  if (!begins && move !== state.move) throw wrong(`the engine is in move ${state.move}`);
  return to;
}

/** @throws if the engine is not in this move, or not in one of these holdings */
export function requireInMove(state: StoredTransfer, move: number, ...allowed: readonly Holding[]): void {
  if (state.move === move && allowed.includes(state.holding)) return;
  throw new Error(`documents_order_refused: move ${move}: the engine is ${state.holding} in move ${state.move}`);
}

/**
 * Checks whether an engine may be emptied: one that is `left`, or one that takes and has no page yet. After the first page, its content
 * is the copy, and the caller has fallen behind.
 *
 * @throws if the engine is neither, or a later turn has begun
 */
export function mayErase({ holding, turn: latest, pages }: StoredTransfer, turn: number): boolean {
  if (turn < latest || (holding !== "left" && holding !== "taking")) {
    throw new Error(`documents_order_refused: erase in turn ${turn}: the engine is ${holding} in turn ${latest}`);
  }
  return holding === "left" || pages === 0;
}

/** How the platform ends the calls of an object that starts again to restore its database. It reaches the caller as an error's message. */
export const REWOUND = "documents_rewound";

/** Checks whether a call ended because the object restores its database. @param detail the error's message */
export function isRewound(detail: string): boolean {
  return detail.includes(REWOUND);
}

/** @throws if the engine must not show what it has */
export function requireReadable(holding: Holding): void {
  if (holding === "left" || holding === "taking") throw new Error(`${ELSEWHERE}: the engine is ${holding}`);
}

/** @throws if the engine must not write */
export function requireWritable(holding: Holding): void {
  requireReadable(holding);
  if (holding === "sealed" || holding === "ready") throw new Error(`${SEALED}: the engine is ${holding}`);
}

/**
 * Checks whether an engine refused because the documents are, or may be, in another.
 *
 * @param detail its error's message
 */
export function isElsewhere(detail: string): boolean {
  return detail.includes(ELSEWHERE) || detail.includes(SEALED);
}
