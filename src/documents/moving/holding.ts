import type { Holding, HoldingOrder, StoredTransfer, TransferState } from "./transfer.ts";

/** How an engine's refusals begin: they reach the caller as an error's message. */
const ELSEWHERE = "documents_elsewhere";
const SEALED = "documents_sealed";

/**
 * From what an engine gets to a holding. An engine that serves takes only while it is empty. It is also told to go on serving: then
 * it follows nobody who fell behind.
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
 * What an order makes of an engine. An order that was followed already changes nothing, so it can be repeated, and a copy that
 * is complete is not taken back within its turn.
 *
 * @throws for an order that does not fit: one of an earlier turn, or of another move
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
 * Whether an engine may be emptied: one that is `left`, or one that takes and has no page yet. After the first page, what is there is
 * the copy, and the caller is behind.
 *
 * @throws if the engine is neither, or a later turn has begun
 */
export function mayErase({ holding, turn: latest, pages }: StoredTransfer, turn: number): boolean {
  if (turn < latest || (holding !== "left" && holding !== "taking")) {
    throw new Error(`documents_order_refused: erase in turn ${turn}: the engine is ${holding} in turn ${latest}`);
  }
  return holding === "left" || pages === 0;
}

/** @throws where what the engine has is not to be shown */
export function requireReadable(holding: Holding): void {
  if (holding === "left" || holding === "taking") throw new Error(`${ELSEWHERE}: the engine is ${holding}`);
}

/** @throws where the engine is not to write */
export function requireWritable(holding: Holding): void {
  requireReadable(holding);
  if (holding === "sealed" || holding === "ready") throw new Error(`${SEALED}: the engine is ${holding}`);
}

/** Whether an engine refused because the documents are, or may be, in another. @param detail what its error says */
export function isElsewhere(detail: string): boolean {
  return detail.includes(ELSEWHERE) || detail.includes(SEALED);
}
