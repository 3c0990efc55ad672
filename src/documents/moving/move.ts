import type { AuditEntry } from "#audit/audit.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { EngineName, Engines, Placement, PlacementReader } from "./engines.ts";
import { differenceOf, documentsIn } from "./tally.ts";
import type { EngineTransfer, TransferState } from "./transfer.ts";

/**
 * The stages of a move, in the control database. Until `switched`, a move can end by `returning`. After that, it can only continue.
 *
 * - `copying`: pages are copied, and then what has changed meanwhile; reads and writes are served
 * - `sealed`: the last changes are copied and everything is counted; only reads are served
 * - `switched`: the placement names the new engine
 * - `moved`: the new engine serves, and the old one still has the documents. `erasing`: they are being removed there. `erased`: they
 *   are gone
 * - `returning`: the new engine is emptied. `returned`: everything is as before
 */
export type MoveStage = "copying" | "sealed" | "switched" | "moved" | "erasing" | "erased" | "returning" | "returned";

export interface Move {
  readonly instanceId: number;
  /** Goes up with each stage, and never down. The move's number is the turn in which it began. */
  readonly turn: number;
  readonly move: number;
  readonly from: EngineName;
  readonly to: EngineName;
  readonly stage: MoveStage;
  readonly requestedBy: string;
  readonly startedAt: number;
  readonly changedAt: number;
  /** Lines that were copied, and roughly how many there are. */
  readonly copied: number;
  readonly total: number;
  /** Changes that still have to be copied, when last counted; `null`: what comes before them isn't copied yet. */
  readonly behind: number | null;
  /** Documents that both engines counted before the switch; `null`: they haven't counted yet. */
  readonly counted: number | null;
  /** How often writes were stopped in vain. */
  readonly attempts: number;
  /** What went wrong last; `null`: nothing. */
  readonly problem: string | null;
}

/** A move that an administrator requests. */
export interface NewMove {
  readonly instanceId: number;
  /** Later than any turn that the engines have seen. */
  readonly turn: number;
  readonly from: EngineName;
  readonly to: EngineName;
  readonly total: number;
}

/** The table of moves, with one row per instance. Each change is one conditional statement. */
export interface MoveLedger extends PlacementReader {
  find(instanceId: number): Promise<Move | null>;
  /** Returns instances with something left to do, those first that have waited longest. */
  underWay(): Promise<number[]>;
  /** Begins the next stage, if the move is still in this turn. @returns whether it was */
  advance(move: Move, stage: MoveStage, problem: string | null, now: number): Promise<boolean>;
  /**
   * Does the same from `sealed` to `switched`, together with the placement and the audit entry.
   *
   * @param move includes what was counted
   */
  switchOver(move: Move, entry: AuditEntry<"documents_moved">): Promise<boolean>;
  /** Notes a move's progress, and what went wrong. */
  note(move: Move, noted: Pick<Move, "copied" | "behind" | "problem">): Promise<void>;
}

/** Where the documents are, according to the engines. */
export interface RestoredPlacement {
  readonly instanceId: number;
  /** Later than any turn that the engines or the database have seen. */
  readonly turn: number;
  /** As the database had it. */
  readonly was: Placement;
  readonly engine: EngineName;
  /** The engine with old documents, to be deleted after seven days; `null`: there is none. */
  readonly left: EngineName | null;
}

/** Documents that are restored to an earlier time, in the engine where they are. */
export interface Rewinding {
  readonly instanceId: number;
  /** Later than any turn that the engine or the database have seen. */
  readonly turn: number;
  readonly was: Placement;
}

export interface MoveStanding {
  readonly engine: EngineName;
  readonly engines: readonly EngineName[];
  readonly move: Move | null;
}

/** Checks whether a move hasn't ended. */
export function isUnderWay({ stage }: Pick<Move, "stage">): boolean {
  return stage === "copying" || stage === "sealed" || stage === "switched" || stage === "returning";
}

/** Checks whether a move can still be cancelled because it hasn't switched over. */
export function canCancel({ stage }: Pick<Move, "stage">): boolean {
  return stage === "copying" || stage === "sealed";
}

/** When a move has to continue; `null`: nothing is left to do. */
export type Due = { readonly inSeconds: number } | null;

/** The most changes that are left to copy when writes are stopped, which takes a second or two. */
const SEALED_CHANGES_MAX = 300;

/** If an engine fails this often while writes are stopped, the move ends. */
const ATTEMPTS_MAX = 5;

/** How long old documents are kept, so that they can be used to move back. An administrator may remove them earlier. */
const KEPT_SECONDS = 7 * 24 * 3600;

const AGAIN_SECONDS = 5;

/** Time per instance for the cron trigger, which only continues what an object's alarm dropped. */
const CRON_MILLISECONDS = 5000;

/** The most steps of one call of {@link DocumentMoves.goOn}: few enough for the limits of a request. */
const STEPS_MAX = 100;

/** Moves an instance's documents between engines, step by step. With several callers at once, each step counts once. */
export class DocumentMoves {
  readonly #ledger: MoveLedger;
  readonly #engines: Pick<Engines, "names" | "transferOf">;

  constructor(ledger: MoveLedger, engines: Pick<Engines, "names" | "transferOf">) {
    this.#ledger = ledger;
    this.#engines = engines;
  }

  /** Returns where an instance's documents are, where they could be, and the latest move. */
  async standing(instanceId: number): Promise<MoveStanding> {
    const [placement, move] = await Promise.all([this.#ledger.placementOf(instanceId), this.#ledger.find(instanceId)]);
    return { engine: placement.engine, engines: this.#engines.names(placement.engine), move };
  }

  /** Does some steps of every move. @returns how many moves there are */
  async goOnWithAll(): Promise<number> {
    const instances = await this.#ledger.underWay();
    for (const instanceId of instances) await this.goOn(instanceId, CRON_MILLISECONDS);
    return instances.length;
  }

  /**
   * Does some steps of a move. Never throws: what goes wrong is noted, and retried later.
   *
   * @param milliseconds after which no further step begins
   * @returns when to call it again
   */
  async goOn(instanceId: number, milliseconds: number): Promise<Due> {
    const until = Date.now() + milliseconds;
    let move: Move | null = null;
    try {
      for (let step = 0; step < STEPS_MAX; step += 1) {
        move = await this.#ledger.find(instanceId);
        if (!move) return null;
        const due = await this.#step(move);
        if (due === null || due.inSeconds > 0) return due;
        if (Date.now() >= until) return due;
      }
      return { inSeconds: 0 };
    } catch (error) {
      log({ level: "error", event: "documents_move_failed", instance: instanceId, detail: describeError(error) });
      return { inSeconds: move && (await this.#afterFailure(move, problemOf(error))) ? 0 : AGAIN_SECONDS };
    }
  }

  async #step(move: Move): Promise<Due> {
    const now = epochSeconds();
    switch (move.stage) {
      case "copying":
        return this.#copy(move);
      case "sealed":
        return this.#seal(move);
      case "switched":
        await this.#hold(move, "from", "left");
        await this.#hold(move, "to", "serving");
        return this.#advance(move, "moved");
      case "moved": {
        const left = move.changedAt + KEPT_SECONDS - now;
        return left > 0 ? { inSeconds: left } : this.#advance(move, "erasing");
      }
      case "erasing":
        return (await this.#at(move, "from").erase(move.turn)) ? this.#advance(move, "erased") : NOW;
      case "returning":
        return this.#goBack(move);
      case "erased":
      case "returned":
      default:
        return null;
    }
  }

  /** Copies some pages, after the first steps that have to come before. */
  async #copy(move: Move): Promise<Due> {
    await this.#hold(move, "from", "giving");
    const taking = await this.#hold(move, "to", "taking");
    // There are documents left from an earlier placement.
    if (taking.pages === 0 && !taking.isEmpty) {
      await this.#at(move, "to").erase(move.turn);
      return NOW;
    }
    let state = taking;
    let { copied, behind } = move;
    for (let page = 0; page < PAGES_A_STEP; page += 1) {
      const { left, lines, after } = await this.#copyPage(move, state);
      state = after;
      if (left === null) copied += lines;
      behind = left;
      if (left !== null && left <= SEALED_CHANGES_MAX) return this.#advance({ ...move, copied }, "sealed");
    }
    await this.#ledger.note(move, { copied, behind, problem: null });
    return NOW;
  }

  /** Copies the last changes while nobody can make new ones. Then both engines are counted. */
  async #seal(move: Move): Promise<Due> {
    await this.#hold(move, "from", "sealed");
    let state = await this.#hold(move, "to", "taking");
    let counted: number | undefined;
    while (state.holding === "taking") {
      const { left, lines, after } = await this.#copyPage(move, state);
      state = after;
      if (left !== 0 || lines > 0) continue;
      const [source, target] = await Promise.all([this.#at(move, "from").tally(), this.#at(move, "to").tally()]);
      const difference = differenceOf(source, target);
      if (difference !== undefined) {
        return this.#advance(move, "returning", `The engines don't hold the same: ${difference}`);
      }
      counted = documentsIn(target);
      state = await this.#hold(move, "to", "ready");
    }
    const { instanceId, requestedBy: actor, from, to } = move;
    // Another caller has compared the engines, so one count is enough. Counting takes long in a large instance, and writes are stopped
    // meanwhile.
    counted ??= documentsIn(await this.#at(move, "to").tally());
    const detail = { from, to, documents: counted };
    await this.#ledger.switchOver(
      { ...move, counted },
      { instanceId, at: epochSeconds(), actor, event: "documents_moved", detail },
    );
    return NOW;
  }

  async #goBack(move: Move): Promise<Due> {
    await this.#hold(move, "from", "serving");
    const target = this.#at(move, "to");
    const state = await target.transferState();
    // An engine that never began to take has nothing of this move.
    if (state.move === move.move) {
      await this.#hold(move, "to", "left");
      if (!(await target.erase(move.turn))) return NOW;
    }
    return this.#advance(move, "returned", move.problem);
  }

  async #copyPage(move: Move, state: TransferState) {
    const page = await this.#at(move, "from").givePage(move.move, state.next);
    const { lines, next, left } = page;
    const isNothing = lines.length === 0 && next === state.next;
    const after = isNothing
      ? await this.#at(move, "to").transferState()
      : await this.#at(move, "to").takeLines({ move: move.move, page: state.pages, lines, next });
    return { left, lines: lines.length, after };
  }

  #hold(move: Move, end: "from" | "to", to: TransferState["holding"]): Promise<TransferState> {
    return this.#at(move, end).hold({ turn: move.turn, move: move.move, to });
  }

  #at(move: Move, end: "from" | "to"): EngineTransfer {
    return this.#engines.transferOf(move[end], move.instanceId);
  }

  async #advance(move: Move, stage: MoveStage, problem: string | null = null): Promise<Due> {
    await this.#ledger.advance(move, stage, problem, epochSeconds());
    return NOW;
  }

  /**
   * Notes a failure. If writes are stopped, the move copies again and tries to end later, so that they are never stopped for longer
   * than it takes to notice.
   *
   * @returns whether the move continues at once
   */
  async #afterFailure(move: Move, problem: string): Promise<boolean> {
    try {
      if (move.stage === "sealed") {
        await this.#advance(move, move.attempts < ATTEMPTS_MAX ? "copying" : "returning", problem);
        return true;
      }
      await this.#ledger.note(move, { ...move, problem });
    } catch (error) {
      log({ level: "error", event: "documents_move_failed", instance: move.instanceId, detail: describeError(error) });
    }
    return false;
  }
}

/** Returns a problem for an instance's administrators. A server's message may name its address, accounts and tables. */
function problemOf(error: unknown): string {
  const said = describeError(error);
  return said.includes("documents_order_refused")
    ? said
    : "An engine did not answer, or failed: the log says why, under documents_move_failed";
}

const NOW: Due = { inSeconds: 0 };

/** Pages between two reads of the table of moves: a move that was cancelled stops after this many. */
const PAGES_A_STEP = 5;
