import type { D1Audit } from "#audit/audit.d1.ts";
import type { D1AuditDeliveries, DueDelivery, StoredDelivery } from "./audit-delivery.d1.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { SigningKey } from "#crypto/signing-key.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { signedRequest } from "./delivery-signature.ts";
import { toOcsf } from "./ocsf.ts";

/** Maximum deliveries of one run, and requests of each delivery. The next run sends the rest. */
const DELIVERIES_PER_RUN = 10;
const BATCHES_PER_RUN = 20;

/**
 * Instances that are served in parallel. A Worker opens at most six connections at once, and one that waits for its turn may time out.
 */
const INSTANCES_AT_ONCE = 4;

const ENTRIES_PER_BATCH = 500;

/** Maximum characters of one request. Collectors accept bodies of a megabyte. */
const CHARACTERS_PER_BATCH = 1_000_000;

/** Wait after the first failure, until the trigger's next run. It doubles with each further failure. */
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 3600;

/**
 * How long a run claims an instance, renewed after each request. Longer than a request to a receiver that doesn't respond.
 */
const CLAIM_SECONDS = 300;

/** The progress of the delivery to a receiver. */
export interface DeliveryState extends Omit<StoredDelivery, "waitingSince"> {
  /** How long the oldest entry that the receiver lacks has been waiting. */
  readonly lagSeconds: number;
}

/**
 * Returns the purpose under which a receiver's Authorization header is sealed. It opens for no other address, so changing the
 * address can't send the header elsewhere.
 */
export function receiverPurpose(instanceId: number, receiver: string): SealPurpose {
  return `audit-receiver:${instanceId} ${receiver}`;
}

interface Parts {
  readonly entries: Pick<D1Audit, "after">;
  /** Returns the signing key of an instance, whose public half is in the instance's key set. */
  readonly keyOf: (instanceName: string) => Promise<SigningKey>;
  readonly keyring: Pick<Keyring, "open">;
  readonly fetch: OutgoingFetch;
  readonly service: string;
}

/**
 * Delivers sealed entries to the receiver that an administrator set, in order and each at least once: progress is stored only after
 * the receiver accepted a batch, so nothing is lost if the receiver is down or a run is cut off. It runs as maintenance, where
 * nobody waits for it.
 */
export class AuditDelivery {
  readonly #store: D1AuditDeliveries;
  readonly #parts: Parts;

  constructor(store: D1AuditDeliveries, parts: Parts) {
    this.#store = store;
    this.#parts = parts;
  }

  /** Delivers the entries that receivers lack. @returns how many entries they accepted */
  async run(): Promise<number> {
    let left = DELIVERIES_PER_RUN;
    let delivered = 0;
    const claim = async () => {
      const now = epochSeconds();
      left -= 1;
      return left < 0 ? null : this.#store.claim(now, now + CLAIM_SECONDS);
    };
    const deliverInTurn = async (first: DueDelivery | null) => {
      for (let due = first; due; due = await claim()) {
        const taken = await this.#attempt(due);
        delivered += taken;
      }
    };
    // Usually nothing is due, and one statement is enough to see that.
    const first = await claim();
    if (!first) return 0;
    const others = Array.from({ length: INSTANCES_AT_ONCE - 1 }, async () => deliverInTurn(await claim()));
    await Promise.all([deliverInTurn(first), ...others]);
    return delivered;
  }

  /**
   * Delivers the entries that the receiver of one instance lacks, at an administrator's request. `state` shows the result.
   */
  async deliverNow(instanceId: number): Promise<void> {
    const now = epochSeconds();
    const due = await this.#store.claim(now, now + CLAIM_SECONDS, instanceId);
    if (due) await this.#attempt(due);
  }

  async #attempt(due: DueDelivery): Promise<number> {
    try {
      return await this.#deliver(due);
    } catch (error) {
      const { instanceId, failures } = due;
      const detail = describeError(error).slice(0, 500);
      const wait = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** failures);
      await this.#store.noteFailure(instanceId, failures + 1, detail, epochSeconds() + wait);
      log({ level: "warn", event: "audit_not_delivered", instanceId, detail });
      return 0;
    }
  }

  /** Returns the progress of an instance's delivery; `null` if it has no receiver. */
  async state(instanceId: number): Promise<DeliveryState | null> {
    const stored = await this.#store.state(instanceId);
    if (!stored) return null;
    const { waitingSince, ...state } = stored;
    return { ...state, lagSeconds: waitingSince === null ? 0 : Math.max(0, epochSeconds() - waitingSince) };
  }

  async #deliver(due: DueDelivery): Promise<number> {
    const { instanceId, name, receiver, deliveredThrough, sealedAuthorization } = due;
    const authorization =
      sealedAuthorization === null
        ? undefined
        : await this.#parts.keyring.open(receiverPurpose(instanceId, receiver), sealedAuthorization);
    const key = await this.#parts.keyOf(name);
    let delivered = 0;
    for (let batch = 1, after = deliveredThrough; ; batch += 1) {
      const lines: string[] = [];
      let characters = 0;
      let through = after;
      const entries = await this.#parts.entries.after(instanceId, after, ENTRIES_PER_BATCH);
      for (const entry of entries) {
        const line = JSON.stringify(toOcsf(entry, name, this.#parts.service));
        if (!entry.seal || (lines.length > 0 && characters + line.length > CHARACTERS_PER_BATCH)) break;
        lines.push(line);
        characters += line.length;
        through = entry.sequence;
      }
      if (lines.length > 0) {
        const body = `${lines.join("\n")}\n`;
        const request = await signedRequest(receiver, body, key, epochSeconds(), { authorization });
        const { ok, status } = await this.#parts.fetch(receiver, request);
        if (!ok) throw new Error(`the receiver answered ${status}`);
      }
      delivered += lines.length;
      const isAll = lines.length === 0 || (lines.length === entries.length && entries.length < ENTRIES_PER_BATCH);
      const isLast = isAll || batch === BATCHES_PER_RUN;
      const now = epochSeconds();
      await this.#store.noteDelivered(instanceId, through, now, isLast ? now : now + CLAIM_SECONDS);
      if (isLast) return delivered;
      after = through;
    }
  }
}
