import type {
  EngineTransfer,
  GivenPage,
  HoldingOrder,
  MovedLine,
  MovedRow,
  TakenPage,
  Tally,
  TransferState,
} from "#documents/moving/transfer.ts";
import { earlierPlace, type Places } from "./places.ts";
import type { Shards } from "./shards.ts";
import { withOthers } from "./sharded-documents.ts";

/** Kinds of counts that every shard has, so that one shard's count is the instance's. */
const OF_EACH_SHARD = ["metadataGroup", "metadataKey", "upload", "page"];

/** Moves of an instance's documents from or to several objects. */
export class ShardedTransfer implements EngineTransfer {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  /** Asks only the first shard if that never had an order, so that asking doesn't create the others. */
  async transferState(): Promise<TransferState> {
    const first = await this.#shards.first().transferState();
    if (first.turn === 0 && first.isEmpty) return first;
    return stateOfAll(await this.#shards.each((object, shard) => (shard === 0 ? first : object.transferState())));
  }

  /** Gives the order to the first shard before the others, so that none of these is ahead of it. */
  async hold(order: HoldingOrder): Promise<TransferState> {
    const first = await this.#shards.first().hold(order);
    return stateOfAll(await this.#shards.each((object, shard) => (shard === 0 ? first : object.hold(order))));
  }

  async givePage(move: number, after: string | null): Promise<GivenPage> {
    const { at, places } =
      after === null
        ? { at: 0, places: Array.from({ length: this.#shards.count }, () => null) }
        : (JSON.parse(after) as Places);
    const give = (shard: number) => this.#shards.at(shard).givePage(move, places[shard] ?? null);
    const behind = (shard: number, { next }: GivenPage, now: number) =>
      JSON.stringify({ at: now, places: places.with(shard, next) } satisfies Places);
    if (at < this.#shards.count) {
      const page = await give(at);
      const lines = await this.#linesOf(at, page.lines);
      return { lines, next: behind(at, page, page.left === null ? at : at + 1), left: null };
    }
    const pages = await this.#shards.each((_object, shard) => give(shard));
    const left = pages.reduce((sum, page) => sum + page.lines.length + (page.left ?? 0), 0);
    const shard = pages.findIndex(({ lines }) => lines.length > 0);
    const page = pages[shard];
    if (!page) return { lines: [], next: JSON.stringify({ at, places } satisfies Places), left };
    const lines = await this.#linesOf(shard, page.lines);
    return { lines, next: behind(shard, page, at), left: left - page.lines.length };
  }

  /**
   * Every shard takes every page, with its lines. If one of them fails, the next page begins where the one that is furthest behind
   * stopped, and the others ignore what they have taken.
   */
  async takeLines(page: TakenPage): Promise<TransferState> {
    return stateOfAll(
      await this.#shards.each((object, shard) =>
        object.takeLines({ ...page, lines: page.lines.flatMap((line) => this.#lineFor(shard, line)) }),
      ),
    );
  }

  async tally(): Promise<Tally> {
    const all: Record<string, number> = {};
    for (const tally of await this.#shards.each((object) => object.tally())) {
      for (const [kind, count] of Object.entries(tally)) {
        const known = all[kind] ?? 0;
        all[kind] = OF_EACH_SHARD.includes(kind) ? Math.max(known, count) : known + count;
      }
    }
    return all;
  }

  async erase(turn: number): Promise<boolean> {
    return (await this.#shards.each((object) => object.erase(turn))).every((isDone) => isDone);
  }

  async bookmarksAt(at: number): Promise<readonly string[]> {
    return (await this.#shards.each((object) => object.bookmarksAt(at))).flat();
  }

  async rewindTo(bookmark: string, shard: number): Promise<void> {
    await this.#shards.at(shard).rewindTo(bookmark, shard);
  }

  /** Returns what of a shard's lines moves. What all shards have comes from the first. */
  async #linesOf(shard: number, lines: readonly MovedLine[]): Promise<MovedLine[]> {
    const moved: MovedLine[] = [];
    for (const line of lines) {
      if (isDocumentUpload(line)) {
        const whole = await this.#wholeUpload(shard, line);
        if (whole) moved.push(whole);
      } else if (shard === 0 || line.kind === "document" || line.kind === "removed" || line.kind === "singleChange") {
        moved.push(line);
      }
    }
    return moved;
  }

  /** Returns an upload of documents with the counts of all shards. While another shard remembers it, it is not gone. */
  async #wholeUpload(shard: number, line: MovedLine): Promise<MovedLine | null> {
    const datasource = String(line.key[0]);
    const uploads = await this.#shards.each((object) => object.uploads(datasource));
    const own = uploads[shard]?.find(({ kind }) => kind === "documents");
    const others = uploads.filter((_, other) => other !== shard).flat();
    if (line.kind !== "upload" || !line.row || !own) {
      return others.some(({ kind }) => kind === "documents") ? null : line;
    }
    const { status, received, removed, changedAt, completedAt, stale, total, heldUntil } = withOthers(own, others);
    const errors = uploads[0]?.find(({ kind }) => kind === "documents")?.errors ?? [];
    const row: MovedRow = {
      ...line.row,
      stage: status,
      received,
      removed,
      changed_at: changedAt,
      completed_at: completedAt,
      // While pages are received, each row has what an earlier upload held, for its own part.
      ...(status === "receiving" ? {} : { stale, total, held_until: heldUntil }),
      errors: JSON.stringify(errors),
    };
    return { ...line, row };
  }

  /** Returns a line as a shard takes it: only the first one counts what an upload received before. */
  #lineFor(shard: number, line: MovedLine): readonly MovedLine[] {
    if (isDocumentUpload(line)) {
      if (shard === 0 || line.kind !== "upload" || !line.row) return [line];
      return [{ ...line, row: { ...line.row, received: 0, removed: 0, stale: 0, total: 0, errors: "[]" } }];
    }
    if (line.kind === "metadataGroup" || line.kind === "mark" || line.kind === "page") return [line];
    return this.#placeOf(line) === shard ? [line] : [];
  }

  #placeOf({ kind, key }: MovedLine): number {
    if (kind === "document" || kind === "removed") return this.#shards.placeOf(String(key[1]));
    if (kind !== "singleChange") return 0;
    const [, overruled, name] = key;
    return overruled === "documents" || overruled === "permissions" ? this.#shards.placeOf(String(name)) : 0;
  }
}

function isDocumentUpload({ kind, key }: MovedLine): boolean {
  return kind === "upload" && key[1] === "documents";
}

/** Returns the state of all shards: that of the first, unless another is behind in what it takes. */
function stateOfAll(states: readonly TransferState[]): TransferState {
  const [first] = states as [TransferState];
  const pages = Math.min(...states.map((state) => state.pages));
  return {
    ...first,
    holding: states.find(({ holding }) => holding === "taking")?.holding ?? first.holding,
    turn: Math.max(...states.map(({ turn }) => turn)),
    pages,
    next: states.map(({ next }) => next).reduce(earlierPlace),
    // What a shard has taken already is no reason to empty those that are behind.
    isEmpty: states.filter((state) => state.pages === pages).every(({ isEmpty }) => isEmpty),
  };
}
