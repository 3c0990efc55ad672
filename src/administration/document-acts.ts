import { type EngineName, type Engines, parseEngineName, whereOf } from "#documents/moving/engines.ts";
import { canCancel, isUnderWay, type Move } from "#documents/moving/move.ts";
import type { D1Moves } from "#documents/moving/moves.d1.ts";
import { isRewound } from "#documents/moving/holding.ts";
import { isJurisdiction } from "#documents/sharding/layout.ts";
import { documentsIn } from "#documents/moving/tally.ts";
import type { EngineTransfer, TransferState } from "#documents/moving/transfer.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError } from "#platform/log.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts } from "./acts.ts";

interface EngineState {
  readonly engine: EngineName;
  readonly state: TransferState;
}

/** How long the platform keeps what an object's database was. */
const HISTORY_SECONDS = 30 * 24 * 3600;

/** The states in which an engine has all documents. Those in which it also has the latest changes come first. */
const HAVE_ALL: readonly TransferState["holding"][] = ["serving", "giving", "sealed", "ready"];

function rankOf({ holding }: TransferState): number {
  return HAVE_ALL.indexOf(holding);
}

interface Parts {
  readonly moves: Pick<D1Moves, "find" | "placementOf" | "begin" | "cancel" | "erase" | "restorePlacement" | "rewind">;
  readonly engines: Pick<Engines, "names" | "transferOf">;
}

/** Administrators' decisions about where an instance's documents are stored. */
export class DocumentActs extends Acts<Parts> {
  /**
   * Starts to move the documents to another engine. The instance stays in service; the object's alarm does the work.
   *
   * @returns `false` if the same move is already under way
   * @throws {AdministrationRefused} if there is no such engine, it has the documents already, or another move is not finished
   */
  async move(engine: string): Promise<boolean> {
    const { engine: from } = await this.parts.moves.placementOf(this.instance.id);
    const to = this.#requireEngine(engine, from);
    const latest = await this.parts.moves.find(this.instance.id);
    if (latest && isUnderWay(latest)) {
      if (latest.to === to && latest.stage !== "returning") return false;
      throw new AdministrationRefused(
        `The documents are on their way from ${latest.from} to ${latest.to}: wait, or cancel that move`,
      );
    }
    if (from === to) throw new AdministrationRefused(`The documents are in ${to} already`, "engine");
    if (latest && latest.stage !== "erased" && latest.stage !== "returned" && latest.from !== to) {
      throw new AdministrationRefused(`${latest.from} still has old documents of this instance: delete them first`);
    }
    const [source, target] = [await this.#stateOf(from), await this.#stateOf(to)];
    if (source.holding !== "serving") {
      throw new AdministrationRefused(
        `${from} doesn’t serve this instance’s documents, as the database says it does. See docs/scaling.md, “After a restore”`,
      );
    }
    const turn = Math.max(latest?.turn ?? 0, source.turn, target.turn) + 1;
    const total = documentsIn(await this.#ask(from, (calls) => calls.tally()));
    const entry = this.entry("documents_move_started", { from, to });
    const begins = await this.parts.moves.begin({ instanceId: this.instance.id, turn, from, to, total }, entry);
    if (!begins) throw new AdministrationRefused("Somebody else is moving the documents right now: look again");
    return this.concluded(true);
  }

  /**
   * Cancels a move that has not switched over. The copied documents are deleted; the originals stay where they are.
   *
   * @returns `false` if there is nothing to cancel
   */
  async cancelMove(): Promise<boolean> {
    const move = await this.parts.moves.find(this.instance.id);
    if (!move || !canCancel(move)) return false;
    const { from, to } = move;
    const entry = this.entry("documents_move_cancelled", { from, to });
    return this.concluded(await this.#retrying(move, (current) => this.parts.moves.cancel(current, entry)));
  }

  /**
   * Deletes the documents that are left in the old engine, without waiting for the seven days to end.
   *
   * @returns `false` if there is nothing to delete
   */
  async eraseOld(): Promise<boolean> {
    const move = await this.parts.moves.find(this.instance.id);
    if (move?.stage !== "moved") return false;
    const entry = this.entry("documents_erased", { from: move.from });
    return this.concluded(await this.parts.moves.erase(move, entry));
  }

  /**
   * Sets the placement to the engine that has the documents, after the database or both engines were restored to an earlier time.
   * An unfinished move ends: the engine with the documents serves again, and an incomplete copy is deleted after seven days.
   *
   * @returns `false` if the database and the engines agree
   * @throws {AdministrationRefused} if no engine has the documents
   */
  async restorePlacement(): Promise<boolean> {
    const [placed, moved] = await Promise.all([
      this.parts.moves.placementOf(this.instance.id),
      this.parts.moves.find(this.instance.id),
    ]);
    const asked = new Set([...this.parts.engines.names(placed.engine), ...(moved ? [moved.from, moved.to] : [])]);
    const states = await Promise.all(
      [...asked].map(async (engine) => ({ engine, state: await this.#stateOf(engine) })),
    );
    // Read the database again after the engines. If it is at least at their turn, their state comes from a move, and not from a restore.
    const [was, latest] = await Promise.all([
      this.parts.moves.placementOf(this.instance.id),
      this.parts.moves.find(this.instance.id),
    ]);
    const seen = Math.max(...states.map(({ state }) => state.turn));
    const known = Math.max(was.turn, latest?.turn ?? 0);
    const [place] = states
      .filter(({ state }) => HAVE_ALL.includes(state.holding))
      .sort((one, other) => other.state.turn - one.state.turn || rankOf(one.state) - rankOf(other.state));
    if (!place) {
      throw new AdministrationRefused("No engine has the documents. See docs/scaling.md, “After a restore”");
    }
    // A database that was restored is behind its engines. If the engines are behind the database, they were read before a move
    // ended, or they were restored.
    if (seen <= known) {
      if (place.engine === was.engine || (latest && isUnderWay(latest))) return false;
      if (HAVE_ALL.includes((await this.#stateOf(was.engine)).holding)) {
        throw new AdministrationRefused("A move has just ended: look where the documents are, and try again");
      }
    }
    const turn = Math.max(seen, known) + 1;
    const others = states.filter(({ engine, state }) => engine !== place.engine && !state.isEmpty);
    const left = others.find(({ state }) => state.holding !== "serving") ?? null;
    await this.#order(place, turn, "serving");
    if (left && left.state.holding !== "left") await this.#order(left, turn, "left");
    const entry = this.entry("documents_placement_restored", { from: was.engine, to: place.engine });
    const restored = { instanceId: this.instance.id, turn, was, engine: place.engine, left: left?.engine ?? null };
    return this.concluded(await this.parts.moves.restorePlacement(restored, entry));
  }

  /**
   * Restores all documents, permissions, users, groups, memberships and metadata values as they were at a time, in every object. If an
   * object fails, others may be restored already, and the same decision can be repeated. To undo it, choose the time before it.
   *
   * @param at in seconds
   * @returns `false` if the documents were moved in the meantime
   * @throws {AdministrationRefused} if the time is not within the last 30 days, or not after the latest move
   * @throws {StorageUnavailable} if an object fails
   */
  async rewind(at: number): Promise<boolean> {
    const { id } = this.instance;
    const now = epochSeconds();
    if (at >= now || at < now - HISTORY_SECONDS) {
      throw new AdministrationRefused("Choose a time within the last 30 days", "at");
    }
    const [was, move] = await Promise.all([this.parts.moves.placementOf(id), this.parts.moves.find(id)]);
    if (move && (isUnderWay(move) || at <= move.changedAt)) {
      throw new AdministrationRefused(
        "Choose a time after the latest move of the documents: before, they were in other objects",
        "at",
      );
    }
    const { turn: seen } = await this.#stateOf(was.engine);
    const bookmarks = await this.#ask(was.engine, (calls) => calls.bookmarksAt(at * 1000));
    const turn = Math.max(seen, was.turn, move?.turn ?? 0) + 1;
    const entry = this.entry("documents_rewound", { at });
    if (!(await this.parts.moves.rewind({ instanceId: id, turn, was }, entry))) return false;
    for (const [shard, bookmark] of bookmarks.entries()) {
      await this.#ask(was.engine, (calls) => calls.rewindTo(bookmark, shard).catch(unlessRewound));
    }
    // Whoever remembers people's rights forgets them, because they are those of an earlier turn.
    const state = await this.#stateOf(was.engine);
    await this.#order({ engine: was.engine, state }, turn, "serving");
    return this.concluded(true);
  }

  async #order({ engine, state }: EngineState, turn: number, to: TransferState["holding"]) {
    await this.#ask(engine, (calls) => calls.hold({ turn, move: state.move, to }));
  }

  /** Decides about a move, and tries again if the move only went on to another stage in the meantime. */
  async #retrying(move: Move, decide: (move: Move) => Promise<boolean>): Promise<boolean> {
    if (await decide(move)) return true;
    const now = await this.parts.moves.find(move.instanceId);
    return now?.move === move.move && (now.stage === "copying" || now.stage === "sealed") && decide(now);
  }

  /** Returns the engine that a text names. If it names no place, that is where the documents are. */
  #requireEngine(text: string, from: EngineName): EngineName {
    const where = whereOf(from);
    const name = parseEngineName(where === null || text.includes("@") ? text : `${text}@${where}`);
    if (name === undefined) {
      const names = this.parts.engines.names(from).join(", ");
      throw new AdministrationRefused(`There is no engine ${text}: choose ${names}`, "engine");
    }
    if (isJurisdiction(where) && whereOf(name) !== where) {
      throw new AdministrationRefused(`This instance’s documents have to stay in the jurisdiction ${where}`, "engine");
    }
    return name;
  }

  #stateOf(engine: EngineName): Promise<TransferState> {
    return this.#ask(engine, (calls) => calls.transferState());
  }

  /** @throws {StorageUnavailable} if the engine fails, or runs a release that lacks the call */
  async #ask<Result>(engine: EngineName, act: (calls: EngineTransfer) => Promise<Result>): Promise<Result> {
    try {
      return await act(this.parts.engines.transferOf(engine, this.instance.id));
    } catch (cause) {
      throw new StorageUnavailable(`${engine} did not answer`, { cause });
    }
  }
}

/** @throws the error, unless it says that the object restores its database */
function unlessRewound(error: unknown): void {
  if (!isRewound(describeError(error))) throw error;
}
