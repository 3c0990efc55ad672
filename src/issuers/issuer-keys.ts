import { sha256 } from "#crypto/hash.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { ApiError } from "#protocol/errors.ts";
import type { IssuerDocuments, KeyLocation, KeyPublisher } from "./issuer-documents.ts";
import { findKey, type PublicJwk } from "./key-set.ts";

/** From this age on, keys are used at once and fetched again in the background. */
const FRESH_SECONDS = 600;

/** From this age on, the fetch is waited for: after a quiet night, the first token must not pass by a key withdrawn meanwhile. */
const STALE_SECONDS_MAX = 3600;

/** An issuer that moves its keys to another address keeps the old one as long as this, as a rule far longer. */
const LOCATION_FRESH_SECONDS = 3600;

/** While an issuer is down its last keys serve this long; what the public cache keeps is not older either. */
const SERVED_SECONDS_MAX = 7 * 24 * 3600;

/** One fetch per issuer in this time, however many unknown key ids arrive and however long the issuer is down. */
export const COOLDOWN_SECONDS = 30;

/** Publishers that an isolate remembers; the public cache has the others. */
const PUBLISHERS_MAX = 1000;

/** Longer than a fetch of two documents may take. */
const WAIT_MILLISECONDS_MAX = 20_000;

/** What the public cache holds of an issuer. */
interface KnownKeys extends KeyLocation {
  readonly keys: readonly PublicJwk[];
  readonly fetchedAt: number;
  readonly locatedAt: number;
}

interface Held {
  known: KnownKeys | undefined;
  attemptedAt: number;
  /** The last attempt was in vain: nobody waits for the next one while there are keys to go by. */
  failed: boolean;
  underway: Promise<void> | undefined;
}

/** The public keys of external issuers, or of clients, in isolate memory and the public cache: stale while revalidating. */
export class IssuerKeys {
  readonly #documents: IssuerDocuments;
  readonly #cache: PublicCache;
  readonly #clock: Clock;
  readonly #held = new BoundedMap<string, Held>(PUBLISHERS_MAX);

  constructor(documents: IssuerDocuments, cache: PublicCache, clock: Clock) {
    this.#documents = documents;
    this.#cache = cache;
    this.#clock = clock;
  }

  /**
   * Whether an issuer still publishes a key that was found here; another one under its id is another object. Asks for news behind the
   * answer.
   */
  holds(issuer: KeyPublisher, key: PublicJwk, waitUntil: WaitUntil): boolean {
    const held = this.#held.get(memoryKey(issuer));
    return held !== undefined && this.#recentKeys(issuer, held, waitUntil).includes(key);
  }

  /**
   * The key that a token names. One that nobody has seen may have been made a moment ago, so the issuer is asked, once per
   * {@link COOLDOWN_SECONDS}; meanwhile it is unknown.
   *
   * @returns `undefined` when the issuer has no such key
   * @throws {ApiError} `temporarily_unavailable` when nothing at all is known of its keys
   */
  async find(
    issuer: KeyPublisher,
    kid: string,
    algorithm: string,
    waitUntil: WaitUntil,
  ): Promise<PublicJwk | undefined> {
    const held = await this.#recall(issuer);
    const known = findKey(this.#recentKeys(issuer, held, waitUntil), kid, algorithm);
    if (known) return known;
    await this.#ask(issuer, held, waitUntil);
    if (held.known && this.#clock() - held.known.fetchedAt < SERVED_SECONDS_MAX) {
      return findKey(held.known.keys, kid, algorithm);
    }
    throw new ApiError("temporarily_unavailable", {
      reason: "external_keys_unavailable",
      description: `The keys of ${issuer.issuer} cannot be fetched right now: try again shortly`,
      retryAfterSeconds: COOLDOWN_SECONDS,
    });
  }

  /** The ids of the keys that were last read of an issuer; empty where nothing is known. */
  published(issuer: KeyPublisher): string[] {
    return (this.#held.get(memoryKey(issuer))?.known?.keys ?? []).map((key) => String(key["kid"]));
  }

  /** What is known of the keys, if that is recent enough to go by; else none. */
  #recentKeys(issuer: KeyPublisher, held: Held, waitUntil: WaitUntil): readonly PublicJwk[] {
    if (!held.known) return [];
    const now = this.#clock();
    const age = Math.abs(now - held.known.fetchedAt);
    // A failure of long ago says nothing about now: the issuer may be back, and have withdrawn keys.
    const isDown = held.failed && now - held.attemptedAt < FRESH_SECONDS;
    const isTrusted = age < STALE_SECONDS_MAX || (isDown && age < SERVED_SECONDS_MAX);
    if (!isTrusted) return [];
    if (age >= FRESH_SECONDS && !this.#isCoolingDown(held)) this.#start(issuer, held, waitUntil);
    return held.known.keys;
  }

  /** What this isolate knows, else what another has left in the public cache. */
  async #recall(issuer: KeyPublisher): Promise<Held> {
    const key = memoryKey(issuer);
    const remembered = this.#held.get(key);
    if (remembered) return remembered;
    const known = (await this.#cache.read<KnownKeys>(await cacheKey(issuer))) ?? undefined;
    const held = this.#held.get(key) ?? { known, attemptedAt: 0, failed: false, underway: undefined };
    this.#held.set(key, held);
    return held;
  }

  /**
   * Asks the issuer, or waits for the request that is asking it. That one's work outlives its client (`waitUntil`), but not its
   * isolate's patience, so the wait ends by itself; and if that work was cut off, the cooldown starts again.
   */
  async #ask(issuer: KeyPublisher, held: Held, waitUntil: WaitUntil): Promise<void> {
    if (!this.#isCoolingDown(held)) this.#start(issuer, held, waitUntil);
    if (!held.underway) return;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, WAIT_MILLISECONDS_MAX);
    await Promise.race([held.underway, patience.promise]);
    clearTimeout(timer);
  }

  #start(issuer: KeyPublisher, held: Held, waitUntil: WaitUntil): void {
    held.attemptedAt = this.#clock();
    const underway = this.#fetch(issuer, held).finally(() => {
      if (held.underway === underway) held.underway = undefined;
    });
    held.underway = underway;
    waitUntil(underway);
  }

  /** Never throws: what was known stays known. */
  async #fetch(issuer: KeyPublisher, held: Held): Promise<void> {
    const now = this.#clock();
    const { known } = held;
    try {
      const isLocated = known !== undefined && now - known.locatedAt < LOCATION_FRESH_SECONDS;
      const { jwksUri } = isLocated ? known : await this.#documents.locateKeys(issuer);
      const keys = keepSame(known?.keys ?? [], await this.#documents.fetchKeys({ jwksUri }));
      held.known = { jwksUri, keys, fetchedAt: now, locatedAt: isLocated ? known.locatedAt : now };
      held.failed = false;
      await this.#cache.write(await cacheKey(issuer), held.known);
    } catch (error) {
      held.failed = true;
      // The next attempt asks for the address too: it may have moved.
      if (known) held.known = { ...known, locatedAt: 0 };
      log({
        level: "warn",
        event: "external_keys_unavailable",
        issuer: issuer.issuer,
        detail: describeError(error),
      });
    }
  }

  #isCoolingDown(held: Held): boolean {
    const since = this.#clock() - held.attemptedAt;
    return since >= 0 && since < COOLDOWN_SECONDS;
  }
}

/** Keys as they are now; what did not change stays the same object, which is how tokens that it signed tell that it did not. */
function keepSame(before: readonly PublicJwk[], now: readonly PublicJwk[]): PublicJwk[] {
  const known = new Map(before.map((key) => [JSON.stringify(key), key]));
  return now.map((key) => known.get(JSON.stringify(key)) ?? key);
}

/** By where the keys come from: two instances that register one issuer with different addresses do not share its keys. */
function memoryKey({ issuer, jwksUri, isTransmitter }: KeyPublisher): string {
  return `${issuer} ${jwksUri ?? (isTransmitter ? "events" : "")}`;
}

/** KV takes keys of 512 bytes; two URLs may be longer. The number is the shape of what is kept. */
async function cacheKey(issuer: KeyPublisher): Promise<string> {
  return `external-keys-1:${await sha256(memoryKey(issuer))}`;
}
