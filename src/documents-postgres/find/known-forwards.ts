import type { Instance } from "#documents-postgres/instance.ts";

/** What a document is weighed by. */
export interface Forward {
  /** Its words, in order. */
  readonly hashes: Uint32Array;
  /** How often it has each, packed. */
  readonly counts: Uint8Array;
  /** If it was read before. */
  title?: string;
}

/** A document's words as they were read, and the transaction that wrote them. */
interface Known {
  readonly forward: Forward;
  readonly stamp: number;
  /** The instance's, when they were last found to be these. */
  version: number;
}

/** Bytes of a word in a forward entry: its hash, and its packed count. */
export const WORD_BYTES = 5;

/** What is remembered of a document beside its words takes about as much, with its title. */
const DOCUMENT_BYTES = 600;

/** Longer ones are read every time. */
export const TITLE_LENGTH_MAX = 200;

/** A third of what an isolate has. */
const BYTES_MAX = 40_000_000;

/** Instances are remembered whose documents take no more: of a larger one, few documents are read again. */
const INSTANCE_BYTES_MAX = 24_000_000;

/** What a server tells that doesn't know who wrote a row. */
export const NO_STAMP = 0;

/** Of one instance, in the transaction of one search. */
export interface KnownForwards {
  /** Of how many documents something is remembered. */
  readonly size: number;
  /** A document's, unless something was written to the instance since. */
  get(id: number): Forward | undefined;
  /** Whether a document's may have been written again. */
  isUnsure(id: number): boolean;
  /** Whether a document's row is still what is remembered. */
  confirm(id: number, stamp: number): void;
  remember(id: number, stamp: number, forward: Forward): void;
}

/** Of an instance that is too large. */
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
  /** What was taken since the beginning: others may need what was replaced. */
  bytes: number;
}

/**
 * What an isolate remembers of the documents of small instances. It tells nobody whether they may see one: it is asked about documents
 * whose rows said so in the same transaction. A document's words are those of its row, because the version of the instance moves when
 * one is written, and the row's own stamp tells which.
 */
export class Forwards {
  /** The one that was searched last is the last. */
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
