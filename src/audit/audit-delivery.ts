import type { SigningKey } from "#crypto/signing-key.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { AuditStore } from "./audit-log.ts";
import { signedRequest } from "./delivery-signature.ts";
import { toOcsf } from "./ocsf.ts";

/** Instances that one run delivers for, and requests for each: what is left goes with the next run. */
const INSTANCES_PER_RUN = 10;
const BATCHES_PER_RUN = 20;

/** Instances that are delivered for side by side. A Worker opens six connections at once, and one that waits for its turn times out. */
const INSTANCES_AT_ONCE = 4;

/** Entries of one request. */
const ENTRIES_PER_BATCH = 500;

/** Collectors take bodies of a megabyte. */
const CHARACTERS_PER_BATCH = 1_000_000;

/** After the first failure the next run tries again; from then on the wait doubles. */
const FIRST_WAIT_SECONDS = 900;
const LONGEST_WAIT_SECONDS = 6 * 3600;

/** How far the delivery to a receiver is. */
export interface DeliveryState {
  /** The last entry that the receiver has. */
  readonly deliveredThrough: number;
  readonly deliveredAt: number | null;
  /** Failures one after the other, since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
  /** Nothing is sent before. */
  readonly nextAt: number;
}

/** An instance whose receiver lacks entries. */
export interface DueDelivery extends Pick<DeliveryState, "deliveredThrough" | "failures"> {
  readonly instanceId: number;
  readonly name: string;
  /** The address that an administrator set. */
  readonly receiver: string;
}

export interface DeliveryStore {
  /** Instances that may try again and whose receiver lacks a sealed entry, longest waiting first. */
  due(now: number, limit: number): Promise<DueDelivery[]>;
  /** Notes that a receiver has everything up to a place, which only grows. */
  noteDelivered(instanceId: number, through: number, now: number): Promise<void>;
  noteFailure(instanceId: number, failures: number, error: string, nextAt: number): Promise<void>;
  /** `null` before the first attempt. */
  state(instanceId: number): Promise<DeliveryState | null>;
}

/**
 * Delivers sealed entries to the receiver that an administrator set, in their order and each at least once: the place is noted after
 * the receiver took a batch, so nothing is lost if the receiver is down or a run is cut off. It runs as maintenance, where nobody
 * waits for it.
 */
export class AuditDelivery {
  readonly #store: DeliveryStore;
  readonly #entries: Pick<AuditStore, "after">;
  readonly #keyOf: (instanceName: string) => Promise<SigningKey>;
  readonly #fetch: OutgoingFetch;
  readonly #service: string;
  readonly #clock: Clock;

  /** @param keyOf the key of an instance whose public half is in its key set */
  constructor(
    store: DeliveryStore,
    entries: Pick<AuditStore, "after">,
    keyOf: (instanceName: string) => Promise<SigningKey>,
    fetch: OutgoingFetch,
    service: string,
    clock: Clock,
  ) {
    this.#store = store;
    this.#entries = entries;
    this.#keyOf = keyOf;
    this.#fetch = fetch;
    this.#service = service;
    this.#clock = clock;
  }

  /** Delivers what receivers lack. @returns how many entries they took */
  async run(): Promise<number> {
    const waiting = await this.#store.due(this.#clock(), INSTANCES_PER_RUN);
    let delivered = 0;
    const deliverInTurn = async () => {
      for (let due = waiting.shift(); due; due = waiting.shift()) {
        const taken = await this.#attempt(due);
        delivered += taken;
      }
    };
    await Promise.all(Array.from({ length: INSTANCES_AT_ONCE }, deliverInTurn));
    return delivered;
  }

  async #attempt(due: DueDelivery): Promise<number> {
    try {
      return await this.#deliver(due);
    } catch (error) {
      const { instanceId, failures } = due;
      const detail = describeError(error).slice(0, 500);
      const wait = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** failures);
      await this.#store.noteFailure(instanceId, failures + 1, detail, this.#clock() + wait);
      log({ level: "warn", event: "audit_not_delivered", instanceId, detail });
      return 0;
    }
  }

  /** How far the delivery of an instance is; `null` before the first attempt. */
  state(instanceId: number): Promise<DeliveryState | null> {
    return this.#store.state(instanceId);
  }

  async #deliver({ instanceId, name, receiver, deliveredThrough }: DueDelivery): Promise<number> {
    const key = await this.#keyOf(name);
    let delivered = 0;
    for (let batch = 0, after = deliveredThrough; batch < BATCHES_PER_RUN; batch += 1) {
      const lines: string[] = [];
      let characters = 0;
      let through = after;
      const entries = await this.#entries.after(instanceId, after, ENTRIES_PER_BATCH);
      for (const entry of entries) {
        const line = JSON.stringify(toOcsf(entry, name, this.#service));
        if (!entry.seal || (lines.length > 0 && characters + line.length > CHARACTERS_PER_BATCH)) break;
        lines.push(line);
        characters += line.length;
        through = entry.sequence;
      }
      if (lines.length === 0) return delivered;
      const request = await signedRequest(receiver, `${lines.join("\n")}\n`, key, this.#clock());
      const { ok, status } = await this.#fetch(receiver, request);
      if (!ok) throw new Error(`the receiver answered ${status}`);
      await this.#store.noteDelivered(instanceId, through, this.#clock());
      delivered += lines.length;
      if (lines.length === entries.length && entries.length < ENTRIES_PER_BATCH) return delivered;
      after = through;
    }
    return delivered;
  }
}
