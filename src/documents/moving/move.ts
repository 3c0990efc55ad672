import type { AuditEntry } from "#audit/audit.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { EngineName, Placement, PlacementReader } from "./placement.ts";
import { differenceOf, documentsIn } from "./tally.ts";
import type { EngineTransfer, TransferState } from "./transfer.ts";

/**
 * The stages of a move, in the control database. Until `switched` a move can end by `returning`; from there on it only goes on.
 *
 * - `copying`: pages go over, and then what changed meanwhile; everything is served
 * - `sealed`: the last changes go over and everything is counted; reads are served
 * - `switched`: the placement names the new engine
 * - `moved`: it serves; the engine that was left still has the documents. `erasing`: they are being removed there. `erased`: they are gone
 * - `returning`: the new engine is emptied. `returned`: all is as it was
 */
export type MoveStage = "copying" | "sealed" | "switched" | "moved" | "erasing" | "erased" | "returning" | "returned";

export interface Move {
  readonly instanceId: number;
  /** Goes up with each stage, and never down: the move's number is the turn in which it began. */
  readonly turn: number;
  readonly move: number;
  readonly from: EngineName;
  readonly to: EngineName;
  readonly stage: MoveStage;
  readonly requestedBy: string;
  readonly startedAt: number;
  readonly changedAt: number;
  /** Lines that were copied, and about how many there are. */
  readonly copied: number;
  readonly total: number;
  /** Changes that the copy still has to follow, as they were last counted; `null`: it is not at its end. */
  readonly behind: number | null;
  /** Documents that both engines counted before the switch; `null`: it has not come to that. */
  readonly counted: number | null;
  /** How often writes were stopped for nothing. */
  readonly attempts: number;
  /** What went wrong last; `null`: nothing. */
  readonly problem: string | null;
}

/** A move that an administrator asks for. */
export interface NewMove {
  readonly instanceId: number;
  /** Later than any that the engines have seen. */
  readonly turn: number;
  readonly from: EngineName;
  readonly to: EngineName;
  readonly total: number;
}

/** The table of moves: one row an instance. Each change is one conditional statement. */
export interface MoveLedger extends PlacementReader {
  find(instanceId: number): Promise<Move | null>;
  /** Instances with something left to do, those first that have waited longest. */
  underWay(): Promise<number[]>;
  /** Begins the next stage, if the move is still in this turn. @returns whether it was */
  advance(move: Move, stage: MoveStage, problem: string | null, now: number): Promise<boolean>;
  /** The same from `sealed` to `switched`, together with the placement and the audit's entry. @param move with what was counted */
  switchOver(move: Move, entry: AuditEntry<"documents_moved">): Promise<boolean>;
  /** Remembers how far it is, and what went wrong. */
  note(move: Move, noted: Pick<Move, "copied" | "behind" | "problem">): Promise<void>;
}

/** Where the documents are, as the engines say. */
export interface RestoredPlacement {
  readonly instanceId: number;
  /** Later than any that the engines or the database have seen. */
  readonly turn: number;
  /** As the database had it. */
  readonly was: Placement;
  readonly engine: EngineName;
  /** What has old documents, to be deleted after the seven days; `null`: nothing. */
  readonly left: EngineName | null;
}

export interface MoveStanding {
  readonly engine: EngineName;
  readonly engines: readonly EngineName[];
  readonly move: Move | null;
}

/** What administrators decide of moves, each with its audit entry. @returns whether the move was where they saw it */
export interface MoveDecisions {
  begin(move: NewMove, entry: AuditEntry<"documents_move_started">): Promise<boolean>;
  cancel(move: Move, entry: AuditEntry<"documents_move_cancelled">): Promise<boolean>;
  erase(move: Move, entry: AuditEntry<"documents_erased">): Promise<boolean>;
  /** @returns whether the placement was still the one that was read */
  restorePlacement(restored: RestoredPlacement, entry: AuditEntry<"documents_placement_restored">): Promise<boolean>;
}

/** Whether a move has not come to an end. */
export function isUnderWay({ stage }: Pick<Move, "stage">): boolean {
  return stage === "copying" || stage === "sealed" || stage === "switched" || stage === "returning";
}

/** Whether a move can still be cancelled: it has not switched over. */
export function canCancel({ stage }: Pick<Move, "stage">): boolean {
  return stage === "copying" || stage === "sealed";
}

/** Whether documents can move from one engine to the other at once: two PostgreSQL engines are joined by the object alone. */
export function areJoined(from: EngineName, to: EngineName): boolean {
  return from !== to && (from === "object" || to === "object");
}

/** The engines of this deployment. */
export interface MovingEngines {
  names(): readonly EngineName[];
  /** @throws where there is no such binding */
  transferOf(engine: EngineName): EngineTransfer;
}

/** When a move has nothing more to do for now; `null`: nothing any more. */
export type Due = { readonly inSeconds: number } | null;

/** So few changes are copied while writes are stopped, in a second or two. */
const SEALED_CHANGES_MAX = 300;

/** A copy that is counted wrong, or an engine that fails while writes are stopped, so often ends the move. */
const ATTEMPTS_MAX = 5;

/** Old documents can be used to move back for so long; an administrator may remove them earlier. */
const KEPT_SECONDS = 7 * 24 * 3600;

const AGAIN_SECONDS = 5;

/** For each instance, of the cron trigger, which only picks up what an object's alarm dropped. */
const CRON_MILLISECONDS = 5000;

/** Steps of one call of {@link DocumentMoves.goOn}: few enough for the limits of a request. */
const STEPS_MAX = 100;

/** Moves an instance's documents between engines, step by step. Whoever calls it, and however many at once, each step counts once. */
export class DocumentMoves {
  readonly #ledger: MoveLedger;
  readonly #engines: MovingEngines;
  readonly #clock: Clock;

  constructor(ledger: MoveLedger, engines: MovingEngines, clock: Clock) {
    this.#ledger = ledger;
    this.#engines = engines;
    this.#clock = clock;
  }

  /** Where an instance's documents are, where they could be, and the latest move. */
  async standing(instanceId: number): Promise<MoveStanding> {
    const [placement, move] = await Promise.all([this.#ledger.placementOf(instanceId), this.#ledger.find(instanceId)]);
    return { engine: placement.engine, engines: this.#engines.names(), move };
  }

  /** Does some steps of every move. @returns how many moves there are */
  async goOnWithAll(): Promise<number> {
    const instances = await this.#ledger.underWay();
    for (const instanceId of instances) await this.goOn(instanceId, CRON_MILLISECONDS);
    return instances.length;
  }

  /**
   * Does some steps. Never throws: what went wrong is noted, and tried again later.
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
    const now = this.#clock();
    switch (move.stage) {
      case "copying":
        return this.#copy(move);
      case "sealed":
        return this.#seal(move);
      case "switched":
        await this.#hold(move, move.from, "left");
        await this.#hold(move, move.to, "serving");
        return this.#advance(move, "moved");
      case "moved": {
        const left = move.changedAt + KEPT_SECONDS - now;
        return left > 0 ? { inSeconds: left } : this.#advance(move, "erasing");
      }
      case "erasing":
        // The object alone has an alarm, which an order sets: nobody else would go on before the next hour.
        if (move.from !== "object") await this.#hold(move, move.to, "serving");
        return (await this.#at(move.from).erase(move.instanceId, move.turn)) ? this.#advance(move, "erased") : NOW;
      case "returning":
        return this.#goBack(move);
      case "erased":
      case "returned":
      default:
        return null;
    }
  }

  /** One page, or the first steps before there is one. */
  async #copy(move: Move): Promise<Due> {
    await this.#hold(move, move.from, "giving");
    const taking = await this.#hold(move, move.to, "taking");
    // What an earlier placement left there.
    if (taking.pages === 0 && !taking.isEmpty) {
      await this.#at(move.to).erase(move.instanceId, move.turn);
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

  /** The last changes, without anybody making new ones; then both are counted. */
  async #seal(move: Move): Promise<Due> {
    await this.#hold(move, move.from, "sealed");
    let state = await this.#hold(move, move.to, "taking");
    let counted: number | undefined;
    while (state.holding === "taking") {
      const { left, lines, after } = await this.#copyPage(move, state);
      state = after;
      if (left !== 0 || lines > 0) continue;
      const [source, target] = await Promise.all([
        this.#at(move.from).tally(move.instanceId),
        this.#at(move.to).tally(move.instanceId),
      ]);
      const difference = differenceOf(source, target);
      if (difference !== undefined) {
        return this.#advance(move, "returning", `The engines don't hold the same: ${difference}`);
      }
      counted = documentsIn(target);
      state = await this.#hold(move, move.to, "ready");
    }
    const { instanceId, requestedBy: actor, from, to } = move;
    // Another driver has counted. Counting takes long in a large instance, and writes are stopped meanwhile.
    counted ??= documentsIn(await this.#at(to).tally(instanceId));
    const detail = { from, to, documents: counted };
    await this.#ledger.switchOver(
      { ...move, counted },
      { instanceId, at: this.#clock(), actor, event: "documents_moved", detail },
    );
    return NOW;
  }

  async #goBack(move: Move): Promise<Due> {
    await this.#hold(move, move.from, "serving");
    const target = this.#at(move.to);
    const state = await target.transferState(move.instanceId);
    // One that never came to take anything has nothing of this move.
    if (state.move === move.move) {
      await this.#hold(move, move.to, "left");
      if (!(await target.erase(move.instanceId, move.turn))) return NOW;
    }
    return this.#advance(move, "returned", move.problem);
  }

  async #copyPage(move: Move, state: TransferState) {
    const page = await this.#at(move.from).givePage(move.instanceId, move.move, state.next);
    const { lines, next, left } = page;
    const isNothing = lines.length === 0 && next === state.next;
    const after = isNothing
      ? await this.#at(move.to).transferState(move.instanceId)
      : await this.#at(move.to).takeLines(move.instanceId, { move: move.move, page: state.pages, lines, next });
    return { left, lines: lines.length, after };
  }

  #hold(move: Move, engine: EngineName, to: TransferState["holding"]): Promise<TransferState> {
    return this.#at(engine).hold(move.instanceId, { turn: move.turn, move: move.move, to });
  }

  #at(engine: EngineName): EngineTransfer {
    return this.#engines.transferOf(engine);
  }

  async #advance(move: Move, stage: MoveStage, problem: string | null = null): Promise<Due> {
    await this.#ledger.advance(move, stage, problem, this.#clock());
    return NOW;
  }

  /** Writes are not stopped for longer than it takes to notice: the copy goes on, and tries to end again. @returns whether it does */
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

/** What an instance's administrators read: a server's own words may name its address, its accounts and its tables. */
function problemOf(error: unknown): string {
  const said = describeError(error);
  return /documents_order_refused|has no binding/.test(said)
    ? said
    : "An engine did not answer, or failed: the log says why, under documents_move_failed";
}

const NOW: Due = { inSeconds: 0 };

/** Pages between two looks at the table of moves: a move that was cancelled ends after so many. */
const PAGES_A_STEP = 5;
