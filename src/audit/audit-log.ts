import type { Clock } from "#platform/clock.ts";
import { log } from "#platform/log.ts";
import { type AuditEntry, type AuditTrail, type ChainedEntry, hashEntry } from "./audit.ts";

/** Of those who append in the same moment one gets the place, so the last of so many is the last to be waited for. */
const ATTEMPTS_MAX = 100;

/** What was decided is done already, so its entry is worth waiting for: those who race step apart by up to this. */
const STEP_APART_MILLISECONDS = 40;

/** Entries that are read at once, for pages, exports and checks. */
const ENTRIES_PER_READ = 500;

/** More than this an hour are not appended by people. */
const ENTRIES_PER_TRIM = 5000;

const DAY_SECONDS = 86_400;

/** Which entries are asked for; an absent member asks for all. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  /** An event, or how one begins. */
  readonly event?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export interface AuditStore {
  /** The last entry's place in the chain; `null` before the first. */
  head(instanceId: number): Promise<Pick<ChainedEntry, "sequence" | "hash"> | null>;
  /** @returns `false` when another entry has taken the place */
  place(entry: ChainedEntry): Promise<boolean>;
  /** Entries before a place, newest first. */
  before(instanceId: number, sequence: number, filter: AuditFilter, limit: number): Promise<ChainedEntry[]>;
  /** Entries after a place, oldest first. */
  after(instanceId: number, sequence: number, limit: number): Promise<ChainedEntry[]>;
  /** Removes entries up to a place. */
  trim(instanceId: number, through: number): Promise<void>;
  /** The place of the last entry of before a moment; 0 when there is none. */
  lastBefore(instanceId: number, at: number): Promise<number>;
}

/** What a walk along the chain found. */
export interface ChainReport {
  readonly entries: number;
  /** Where the chain does not hold, in words; absent when it does. */
  readonly broken?: string;
}

/** The audit: appended to, read, and trimmed by its retention; no entry is ever changed. */
export class AuditLog implements AuditTrail {
  readonly #store: AuditStore;
  readonly #clock: Clock;

  constructor(store: AuditStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Of entries that race for a place one gets it, and the others take the next: the place is the table's key. */
  async append(entry: AuditEntry): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const head = await this.#store.head(entry.instanceId);
      const sequence = (head?.sequence ?? 0) + 1;
      const previousHash = head?.hash ?? "";
      const hash = await hashEntry(entry, sequence, previousHash);
      if (await this.#store.place({ ...entry, sequence, previousHash, hash })) {
        // The log is kept elsewhere: the end of the chain cannot be cut off there too.
        log({ level: "info", event: "audited", instanceId: entry.instanceId, sequence, hash, audited: entry.event });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * STEP_APART_MILLISECONDS));
    }
    throw new Error("the audit's next place was taken every time");
  }

  /** A page of entries, newest first. @param before the place to go on from */
  read(instanceId: number, filter: AuditFilter, before: number, limit: number): Promise<ChainedEntry[]> {
    return this.#store.before(instanceId, before, filter, limit);
  }

  /** The whole log as JSON lines, oldest first, read piece by piece. */
  async *export(instanceId: number): AsyncGenerator<string> {
    for await (const entry of this.#all(instanceId)) yield `${JSON.stringify(toLine(entry))}\n`;
  }

  /** Walks the chain. It begins with the first entry, or where a retention that is itself on record says that it cut. */
  async verify(instanceId: number): Promise<ChainReport> {
    let previous: ChainedEntry | undefined;
    let first: ChainedEntry | undefined;
    let entries = 0;
    const cuts = new Set<string>();
    for await (const entry of this.#all(instanceId)) {
      const broken = await breakBetween(previous, entry);
      if (broken !== undefined) return { entries, broken };
      if (entry.event === TRIMMED) cuts.add(`${String(entry.detail["through"])} ${String(entry.detail["hash"])}`);
      first ??= entry;
      previous = entry;
      entries += 1;
    }
    if (first && first.sequence > 1 && !cuts.has(`${first.sequence - 1} ${first.previousHash}`)) {
      return { entries, broken: `the entries before ${first.sequence} are missing, and no retention removed them` };
    }
    return { entries };
  }

  /**
   * Removes what is older than an instance keeps; how many. The cut is on record before it is made. It waits until a day has
   * come together, or the record of cuts would soon be most of the log, and takes so much at once as a trigger has time for.
   */
  async trim(instanceId: number, keptSeconds: number): Promise<number> {
    const keptFrom = this.#clock() - keptSeconds;
    const [first] = await this.#store.after(instanceId, 0, 1);
    if (!first || first.at > keptFrom - DAY_SECONDS) return 0;
    const old = await this.#store.lastBefore(instanceId, keptFrom);
    const through = Math.min(old, first.sequence + ENTRIES_PER_TRIM - 1);
    const [last] = await this.#store.after(instanceId, through - 1, 1);
    if (last?.sequence !== through) return 0;
    const detail = { through, hash: last.hash, before: new Date((last.at + 1) * 1000).toISOString() };
    await this.append({ instanceId, at: this.#clock(), actor: "retention", event: TRIMMED, detail });
    await this.#store.trim(instanceId, through);
    return through - first.sequence + 1;
  }

  async *#all(instanceId: number): AsyncGenerator<ChainedEntry> {
    for (let last = 0; ; ) {
      const entries = await this.#store.after(instanceId, last, ENTRIES_PER_READ);
      yield* entries;
      if (entries.length < ENTRIES_PER_READ) return;
      last = entries.at(-1)?.sequence ?? last;
    }
  }
}

const TRIMMED = "audit_trimmed";

async function breakBetween(previous: ChainedEntry | undefined, entry: ChainedEntry): Promise<string | undefined> {
  const { sequence, previousHash, hash } = entry;
  if (previous && sequence !== previous.sequence + 1) {
    return `after entry ${previous.sequence} comes ${sequence}: what was between them is missing`;
  }
  if (previous && previousHash !== previous.hash) return `entry ${sequence} does not follow entry ${previous.sequence}`;
  if (hash !== (await hashEntry(entry, sequence, previousHash))) return `entry ${sequence} was changed`;
  return undefined;
}

function toLine({ sequence, at, actor, event, detail, previousHash, hash }: ChainedEntry) {
  return { sequence, at: new Date(at * 1000).toISOString(), actor, event, detail, previousHash, hash };
}
