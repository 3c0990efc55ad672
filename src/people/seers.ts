import type { D1Seers } from "./seers.d1.ts";
import type { Seer } from "#documents/engine.ts";
import { epochSeconds } from "#platform/clock.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { OUTAGE_SECONDS_MAX, PATIENCE_MILLISECONDS, RETRY_AFTER_SECONDS, within } from "#platform/patience.ts";

/** As long as anything that decides about access may be cached. */
const REMEMBERED_SECONDS = 10;

/** Maximum people that an isolate caches: those who asked most recently. Others are read again. */
const PEOPLE_MAX = 2000;

type SeerReads = Pick<D1Seers, "read" | "readAnywhere" | "readByEmail">;

/**
 * The email address and directory groups of people, with which search decides what they may see. The cache is at most ten seconds
 * old, so a deactivation or a removed directory group takes effect everywhere within that time. If D1 fails or is silent, it is used for
 * as long as the policy is.
 */
export class Seers {
  readonly #store: SeerReads;
  readonly #known = new BoundedMap<string, { readonly seer: Seer | null; readonly readAt: number }>(PEOPLE_MAX);
  readonly #waitUntil: WaitUntil;
  #failedAt = 0;

  /** @param waitUntil for reads that take too long: they continue, so that storage that is slow and not down is followed */
  constructor(store: SeerReads, waitUntil: WaitUntil) {
    this.#store = store;
    this.#waitUntil = waitUntil;
  }

  /** Returns the person as search sees them; `null` if they are deactivated or unknown, and so see nothing. */
  async of(instanceId: number, personId: string): Promise<Seer | null> {
    const key = keyOf(instanceId, personId);
    const known = this.#known.get(key);
    // Take the time before the read: the result may be as old as the beginning of the read.
    const now = epochSeconds();
    const age = known ? now - known.readAt : Infinity;
    if (known && age < REMEMBERED_SECONDS) return known.seer;
    const read = async () => {
      const seer = await this.#store.read(instanceId, personId);
      this.#keep(key, seer, now);
      return seer;
    };
    if (!known || age >= OUTAGE_SECONDS_MAX) return read();
    if (now - this.#failedAt < RETRY_AFTER_SECONDS) return known.seer;
    try {
      return await this.#inTime(read());
    } catch {
      return known.seer;
    }
  }

  /**
   * Reads a person before their instance is known, so that {@link of} doesn't wait. Never throws, and gives up before long.
   *
   * @param personId may be anything. A person is remembered for their own instance only
   */
  async readAhead(personId: string): Promise<void> {
    const now = epochSeconds();
    if (now - this.#failedAt < RETRY_AFTER_SECONDS) return;
    const read = async () => {
      const found = await this.#store.readAnywhere(personId);
      if (found) this.#keep(keyOf(found.instanceId, personId), found.seer, now);
    };
    await this.#inTime(read()).catch(() => undefined);
  }

  async #inTime<Answer>(read: Promise<Answer>): Promise<Answer> {
    try {
      return await within(PATIENCE_MILLISECONDS, "the person was not read in time", read);
    } catch (error) {
      this.#failedAt = epochSeconds();
      this.#waitUntil(read.catch(() => undefined));
      throw error;
    }
  }

  #keep(key: string, seer: Seer | null, readAt: number): void {
    if ((this.#known.get(key)?.readAt ?? 0) <= readAt) this.#known.set(key, { seer, readAt });
  }

  /** Reads the person with this email address again; `null`: deactivated. */
  byEmail(instanceId: number, email: string): Promise<Seer | null> {
    return this.#store.readByEmail(instanceId, email);
  }
}

function keyOf(instanceId: number, personId: string): string {
  return `${instanceId}:${personId}`;
}
