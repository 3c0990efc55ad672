import type { Seer } from "#documents/engine.ts";
import type { Clock } from "#platform/clock.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/** As long as anything that decides about access may be cached. */
const REMEMBERED_SECONDS = 10;

/** Maximum people that an isolate caches: those who asked most recently. Others are read again. */
const PEOPLE_MAX = 2000;

export interface SeerStore {
  /** Reads a person's row; `null` if they are deactivated or unknown. */
  read(instanceId: number, personId: string): Promise<Seer | null>;
  /** Does the same for the person with an email address. An address that nobody has yet has no groups. */
  readByEmail(instanceId: number, email: string): Promise<Seer | null>;
}

/**
 * The email address and directory groups of people, with which search decides what they may see. The cache is at most ten seconds
 * old, so a deactivation or a removed directory group takes effect everywhere within that time.
 */
export class Seers {
  readonly #store: SeerStore;
  readonly #clock: Clock;
  readonly #known = new BoundedMap<string, { readonly seer: Seer | null; readonly until: number }>(PEOPLE_MAX);

  constructor(store: SeerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the person as search sees them; `null` if they are deactivated or unknown, and so see nothing. */
  async of(instanceId: number, personId: string): Promise<Seer | null> {
    const key = `${instanceId}:${personId}`;
    const known = this.#known.get(key);
    // Take the time before the read: the result may be as old as the beginning of the read.
    const now = this.#clock();
    if (known && now < known.until) return known.seer;
    const seer = await this.#store.read(instanceId, personId);
    this.#known.set(key, { seer, until: now + REMEMBERED_SECONDS });
    return seer;
  }

  /** Reads the person with this email address again; `null`: deactivated. */
  byEmail(instanceId: number, email: string): Promise<Seer | null> {
    return this.#store.readByEmail(instanceId, email);
  }
}
