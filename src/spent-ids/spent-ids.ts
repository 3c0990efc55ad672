import { sha256 } from "#crypto/hash.ts";
import type { Clock } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";

/** What an id was made for: the same id may be spent once for each. */
export type SpentIdPurpose =
  | "client_assertion"
  | "id_jag"
  | "logout_token"
  | "own_form"
  | "security_event"
  | "token_revocation"
  | "workload_identity";

/** The furthest end of an id. It bounds the table: an instance has as many rows as the requests of this time. */
export const SPENT_ID_SECONDS_MAX = 3600;

/** Senders make ids of a few dozen characters. */
const ID_CHARACTERS_MAX = 256;

/** Whether a `jti` names one message of its sender. */
export function isSpendableId(jti: unknown): jti is string {
  return typeof jti === "string" && jti !== "" && jti.length <= ID_CHARACTERS_MAX;
}

/** An identifier that its sender uses once. */
export interface SpentId {
  readonly instanceId: number;
  readonly purpose: SpentIdPurpose;
  /** Whose id it is: the client's, the issuer's or the person's who sends a form. */
  readonly sender: string;
  readonly id: string;
  /** The moment from which nobody accepts the message any more, clock tolerance included. */
  readonly expiresAt: number;
}

/** A form's id that was spent for nothing. */
export type ReleasedId = Omit<SpentId, "expiresAt"> & { readonly purpose: "own_form" };

export interface SpentIdStore {
  /** Writes an id. @returns `false` when it was there */
  spend(instanceId: number, purpose: SpentIdPurpose, idHash: string, expiresAt: number): Promise<boolean>;
  isSpent(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<boolean>;
  /** Takes an id back. */
  release(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<void>;
  /** Forgets ids that have expired, up to a limit; returns how many. */
  sweep(now: number, rowsMax: number): Promise<number>;
}

/** Remembers which messages were used, until nobody would accept them anyway (RFC 7519 §4.1.7). */
export class SpentIds {
  readonly #store: SpentIdStore;
  readonly #clock: Clock;

  constructor(store: SpentIdStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Spends an id. Everything else about the message has to hold already: an id that anybody could spend would let a forger use up
   * a genuine one.
   *
   * @returns `false` when it was spent before
   * @throws {RangeError} for a message that is good for longer than ids are remembered; callers refuse it first
   */
  async spend({ instanceId, purpose, sender, id, expiresAt }: SpentId): Promise<boolean> {
    if (!(expiresAt <= this.#clock() + SPENT_ID_SECONDS_MAX)) throw new RangeError(`${purpose} is good for too long`);
    return this.#store.spend(instanceId, purpose, await hashOf(sender, id), Math.ceil(expiresAt));
  }

  /** Whether an id was spent: for messages whose effect may happen twice, and that are spent only once it has happened. */
  async isSpent({ instanceId, purpose, sender, id }: Omit<SpentId, "expiresAt">): Promise<boolean> {
    return this.#store.isSpent(instanceId, purpose, await hashOf(sender, id));
  }

  /** Takes the id of a form back that was refused, so that it may be sent again. What authenticates anybody is never taken back. */
  async release({ instanceId, purpose, sender, id }: ReleasedId): Promise<void> {
    await this.#store.release(instanceId, purpose, await hashOf(sender, id));
  }

  /** Forgets what nobody can present again; returns how many. */
  sweep(): Promise<number> {
    const now = this.#clock();
    return inBatches((rowsMax) => this.#store.sweep(now, rowsMax));
  }
}

/** As JSON, so that no sender and id run together into those of another sender. */
function hashOf(sender: string, id: string): Promise<string> {
  return sha256(JSON.stringify([sender, id]));
}
