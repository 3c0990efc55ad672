import { othersServed } from "#documents/others-served.ts";
import { SEARCH_MILLISECONDS_MAX } from "#documents/deadline.ts";

/** How many entries of the index one turn of a search reads, which takes some 20 milliseconds. */
const ENTRIES_A_TURN = 100_000;

/** A search that read as much as one turn may. Everything that it read is remembered, so the next turn gets further. */
export class NextTurn extends Error {}

/**
 * What one search has read of long lists. A list has entries of documents that the person may not see, as many as somebody planted,
 * and a limit that counted these would tell how many there are. So a search reads on until it has what it needs, in several turns
 * if necessary, and others are served in between.
 */
export class Reading {
  readonly #begun = new Map<string, unknown>();
  readonly #entriesATurn: number;
  #left: number;
  #ids = "";
  /** The newest row when the first turn began: later turns add nothing newer. */
  upTo: number | null = null;

  constructor(entriesATurn = ENTRIES_A_TURN) {
    this.#entriesATurn = entriesATurn;
    this.#left = entriesATurn;
  }

  /** Begins a turn. */
  begin(): void {
    this.#left = this.#entriesATurn;
  }

  /** Forgets everything if documents have other ids than in the last turn. */
  requireIds(step: string): void {
    if (this.#ids !== step) {
      this.#begun.clear();
      this.upTo = null;
    }
    this.#ids = step;
  }

  /** Returns how far something was read, which the caller updates. */
  of<Progress>(what: string, begin: () => Progress): Progress {
    const known = this.#begun.get(what) as Progress | undefined;
    if (known !== undefined) return known;
    const begun = begin();
    this.#begun.set(what, begun);
    return begun;
  }

  /** Call it before each step of reading. @throws {NextTurn} if this turn has read enough */
  requireTurn(): void {
    if (this.#left <= 0) throw new NextTurn();
  }

  /** Call it after each step. @param entries how many it read, or may have */
  note(entries: number): void {
    this.#left -= entries;
  }
}

/**
 * Runs a search, in as many turns as it needs. Other events of the object are served between two turns.
 *
 * @throws if it takes longer than its caller waits. Otherwise searches that nobody waits for would slow those that are repeated instead.
 */
export async function inTurns<Result>(turn: (reading: Reading) => Result, reading = new Reading()): Promise<Result> {
  const end = Date.now() + SEARCH_MILLISECONDS_MAX;
  for (;;) {
    try {
      reading.begin();
      return turn(reading);
    } catch (stopped) {
      if (!(stopped instanceof NextTurn)) throw stopped;
      await othersServed();
      if (Date.now() > end) throw new Error("nobody waits for this search any more", { cause: stopped });
    }
  }
}
