import { erase } from "#documents/moving/erase.ts";
import { givePage } from "#documents/moving/give.ts";
import type { Move, MoveLedger } from "#documents/moving/move.ts";
import type { EngineName } from "#documents/moving/engines.ts";
import { hold, transferState } from "#documents/moving/state.sql.ts";
import { takeLines } from "#documents/moving/take.ts";
import { tally } from "#documents/moving/tally.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import type { SqliteStore } from "../support/node/sqlite-store.ts";

export const OTHER = "shards:2";
export const INSTANCE = 1;

/** So small that every section takes several pages. */
const TINY_PAGE = { rows: 4, documents: 3, characters: 1000 };

/** The table of moves, as the control database keeps it. */
export class Ledger implements MoveLedger {
  readonly #instanceId: number;
  engine: EngineName = "object";
  move: Move | null = null;

  constructor(instanceId = INSTANCE) {
    this.#instanceId = instanceId;
  }

  begin(to: EngineName): void {
    const turn = (this.move?.turn ?? 0) + 1;
    const progress = { copied: 0, total: 0, behind: null, counted: null, attempts: 0, problem: null };
    const times = { startedAt: 0, changedAt: 0, requestedBy: "ada" };
    this.move = {
      instanceId: this.#instanceId,
      turn,
      move: turn,
      from: this.engine,
      to,
      stage: "copying",
      ...progress,
      ...times,
    };
  }

  async find() {
    return this.move;
  }

  async advance({ turn, copied, counted }: Move, stage: Move["stage"], problem: string | null) {
    if (!this.move || this.move.turn !== turn) return false;
    const attempts = this.move.attempts + (stage === "copying" ? 1 : 0);
    this.move = { ...this.move, turn: turn + 1, stage, copied, counted, problem, attempts };
    return true;
  }

  async switchOver(move: Move) {
    const isOurs = await this.advance(move, "switched", null);
    if (isOurs) this.engine = move.to;
    return isOurs;
  }

  async note({ turn }: Move, { copied, behind, problem }: Pick<Move, "copied" | "behind" | "problem">) {
    if (this.move?.turn === turn) this.move = { ...this.move, copied, behind, problem };
  }

  async underWay() {
    return [this.#instanceId];
  }

  async placementOf() {
    return { engine: this.engine, turn: 0 };
  }
}

/** The calls that moves make to an object, which can be watched and interrupted. */
export function transferOf(store: SqliteStore, meet: () => Promise<void>): EngineTransfer {
  const call =
    <Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) =>
    async (...given: Arguments): Promise<Result> => {
      await meet();
      const result = structuredClone(store.transaction(() => act(...structuredClone(given))));
      await meet();
      return result;
    };
  return {
    transferState: call(() => transferState(store)),
    hold: call((order) => hold(store, order)),
    givePage: call((move, after) => givePage(store, move, after, TINY_PAGE)),
    takeLines: call((page) => takeLines(store, page)),
    tally: call(() => tally(store)),
    erase: call((turn) => erase(store, turn)),
    bookmarksAt: noHistory,
    rewindTo: noHistory,
  };
}

/** Databases here don't remember what they were. */
export function noHistory(): Promise<never> {
  return Promise.reject(new Error("there is no history"));
}
