import type { D1SpentIds, ReleasedId, SpentId } from "./spent-ids.d1.ts";
import { sha256 } from "#crypto/secrets.ts";
import { epochSeconds } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import { OAuthError } from "#protocol/errors.ts";

/** The longest time that an id is remembered, which limits the table to the requests of that time. */
export const SPENT_ID_SECONDS_MAX = 3600;

/** The same for security events, which transmitters send again when they or a receiver were down, or their stream was paused. */
export const SPENT_EVENT_SECONDS_MAX = 7 * 86_400;

/** Maximum length of an id in characters. Senders make ids of a few dozen. */
const ID_CHARACTERS_MAX = 256;

/** Checks whether a `jti` can be spent, as the name of one message of its sender. */
export function isSpendableId(jti: unknown): jti is string {
  return typeof jti === "string" && jti !== "" && jti.length <= ID_CHARACTERS_MAX;
}

/** Remembers used messages until they would be refused as expired anyway (RFC 7519 §4.1.7). */
export class SpentIds {
  readonly #store: D1SpentIds;

  constructor(store: D1SpentIds) {
    this.#store = store;
  }

  /**
   * Spends an id. Check everything else about the message first, or a forged message could use up the id of a genuine one.
   *
   * @returns `false` if it was spent before
   * @throws {RangeError} if the message expires later than ids are remembered; callers refuse such messages first
   * @throws {OAuthError} `slow_down` if the id's share has no room
   */
  async spend({ instanceId, purpose, sender, id, expiresAt, share }: SpentId): Promise<boolean> {
    const secondsMax = purpose === "security_event" ? SPENT_EVENT_SECONDS_MAX : SPENT_ID_SECONDS_MAX;
    if (!(expiresAt <= epochSeconds() + secondsMax)) throw new RangeError(`${purpose} is good for too long`);
    const hash = await hashOf(sender, id);
    if (await this.#store.spend(instanceId, purpose, hash, Math.ceil(expiresAt), share)) return true;
    if (!share || (await this.#store.isSpent(instanceId, purpose, hash))) return false;
    throw new OAuthError("slow_down", { reason: share.reason, retryAfterSeconds: 60 });
  }

  /** Checks whether an id was spent. For messages that are spent after they took effect, because repeating the effect does no harm. */
  async isSpent({ instanceId, purpose, sender, id }: Omit<SpentId, "expiresAt" | "share">): Promise<boolean> {
    return this.#store.isSpent(instanceId, purpose, await hashOf(sender, id));
  }

  /** Releases the id of a form that was refused, so that it can be submitted again. Credentials are never released. */
  async release({ instanceId, purpose, sender, id }: ReleasedId): Promise<void> {
    await this.#store.release(instanceId, purpose, await hashOf(sender, id));
  }

  /** Deletes expired ids. Returns how many. */
  sweep(): Promise<number> {
    const now = epochSeconds();
    return inBatches((rowsMax) => this.#store.sweep(now, rowsMax));
  }
}

/** Returns the hash of a sender and an id. As JSON, two different pairs never make the same text. */
function hashOf(sender: string, id: string): Promise<string> {
  return sha256(JSON.stringify([sender, id]));
}
