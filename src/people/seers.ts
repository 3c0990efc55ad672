import type { Seer } from "#documents/engine.ts";
import type { Clock } from "#platform/clock.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/** As long as anything that decides about access may be remembered. */
const REMEMBERED_SECONDS = 10;

/** The people who asked most recently in this isolate; others are read again. */
const PEOPLE_MAX = 2000;

export interface SeerStore {
  /** Who a person is to documents; `null` for somebody deactivated or unknown. One row. */
  read(instanceId: number, personId: string): Promise<Seer | null>;
  /** The same for the person with an email address. An address that nobody has yet has no groups. */
  readByEmail(instanceId: number, email: string): Promise<Seer | null>;
}

/**
 * Who people are to documents: their email, and the groups that the directory named. What is remembered is at most ten seconds old,
 * so within that time a deactivation, and a group that the directory took away, hold everywhere.
 */
export class Seers {
  readonly #store: SeerStore;
  readonly #clock: Clock;
  readonly #known = new BoundedMap<string, { readonly seer: Seer | null; readonly until: number }>(PEOPLE_MAX);

  constructor(store: SeerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `null`: deactivated or unknown, and so sees nothing. */
  async of(instanceId: number, personId: string): Promise<Seer | null> {
    const key = `${instanceId}:${personId}`;
    const known = this.#known.get(key);
    // Counted from before the read: what it tells may be as old as its beginning.
    const now = this.#clock();
    if (known && now < known.until) return known.seer;
    const seer = await this.#store.read(instanceId, personId);
    this.#known.set(key, { seer, until: now + REMEMBERED_SECONDS });
    return seer;
  }

  /** Who somebody with this email is now, read anew; `null`: deactivated. */
  byEmail(instanceId: number, email: string): Promise<Seer | null> {
    return this.#store.readByEmail(instanceId, email);
  }
}
