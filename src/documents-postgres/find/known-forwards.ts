import type { Instance } from "#documents-postgres/instance.ts";

/** A forward entry, by which a document is scored. */
export interface Forward {
  /** The hashes of its words, in order. */
  readonly hashes: Uint32Array;
  /** How often it has each word, packed. */
  readonly counts: Uint8Array;
  /** Its title, if that was read before. */
  title?: string;
}

/** A document's entry as it was read, and the transaction that wrote its row. */
interface Known {
  readonly forward: Forward;
  readonly stamp: number;
  /** The instance's version when the row was last found to be the same. */
  version: number;
}

/** Bytes of a word in a forward entry: its hash, and its packed count. */
export const WORD_BYTES = 5;

/** About how many bytes are remembered of a document in addition to its words, including its title. */
const DOCUMENT_BYTES = 600;

/** Longer titles are not remembered but read every time. */
export const TITLE_LENGTH_MAX = 200;

/** The most bytes to remember, a third of an isolate's memory. */
const BYTES_MAX = 40_000_000;

/**
 * Only instances whose documents take at most this many bytes are remembered: in larger ones, few documents are read again.
 */
const INSTANCE_BYTES_MAX = 24_000_000;

/** The stamp of a row if the server doesn't know who wrote it. */
export const NO_STAMP = 0;

/** What is remembered of one instance, in the transaction of one search. */
export interface KnownForwards {
  /** The number of documents that are remembered. */
  readonly size: number;
  /** Returns a document's entry, unless something was written to the instance since. */
  get(id: number): Forward | undefined;
  /** Checks whether a remembered document may have been written again. */
  isUnsure(id: number): boolean;
  /** Marks a document's entry as current, if its row still has the stamp that is remembered. */
  confirm(id: number, stamp: number): void;
  remember(id: number, stamp: number, forward: Forward): void;
}

/** Used for an instance that is too large. */
const NOTHING: KnownForwards = {
  size: 0,
  get: () => undefined,
  isUnsure: () => false,
  confirm: () => undefined,
  remember: () => undefined,
};

interface Remembered {
  readonly counting: string;
  readonly forwards: Map<number, Known>;
  /** The bytes of all entries that were ever remembered: searches may still use those that were replaced. */
  bytes: number;
}

/**
 * What an isolate remembers of the documents of small instances. It never decides who may see a document: it is only asked about
 * documents whose rows allowed that in the same transaction. A document's entry matches its row, because the instance's version
 * increases when any document is written, and the row's own stamp tells whether it was this one.
 */
export class Forwards {
  /** The instance that was searched last is the last one. */
  readonly #instances = new Map<number, Remembered>();

  of(instanceId: number, { counting, version, documents, length }: Instance): KnownForwards {
    const before = this.#instances.get(instanceId);
    this.#instances.delete(instanceId);
    if (documents * DOCUMENT_BYTES + length * WORD_BYTES > INSTANCE_BYTES_MAX) return NOTHING;
    const known = before?.counting === counting ? before : { counting, forwards: new Map<number, Known>(), bytes: 0 };
    this.#instances.set(instanceId, known);
    this.#shrink();
    return inTransaction(known, version);
  }

  #shrink(): void {
    let bytes = [...this.#instances.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [id, one] of this.#instances) {
      if (bytes <= BYTES_MAX) return;
      this.#instances.delete(id);
      bytes -= one.bytes;
    }
  }
}

function inTransaction(known: Remembered, version: number): KnownForwards {
  const { forwards } = known;
  return {
    get size() {
      return forwards.size;
    },
    get(id) {
      const one = forwards.get(id);
      return one?.version === version ? one.forward : undefined;
    },
    isUnsure(id) {
      const one = forwards.get(id);
      return one !== undefined && one.version !== version;
    },
    confirm(id, stamp) {
      const one = forwards.get(id);
      if (one?.stamp === stamp) one.version = version;
    },
    remember(id, stamp, forward) {
      if (stamp === NO_STAMP) return;
      forwards.set(id, { forward, stamp, version });
      known.bytes += forward.counts.length * WORD_BYTES + DOCUMENT_BYTES;
    },
  };
}
