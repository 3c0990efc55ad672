import { sha256 } from "#crypto/secrets.ts";
import { ByteBoundedMap } from "#platform/byte-bounded-map.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { ApiError } from "#protocol/errors.ts";
import type { IssuerDocuments, KeyPublisher } from "./issuer-documents.ts";
import { findKey, type PublicJwk } from "./key-set.ts";

/** From this age on, keys are used at once and fetched again in the background. */
const FRESH_SECONDS = 600;

/**
 * From this age on, requests wait for the fetch: after a quiet night, the first token must not be accepted with a key that was withdrawn.
 */
const STALE_SECONDS_MAX = 3600;

/**
 * How long the address of the keys is used. An issuer that moves its keys keeps the old address at least this long, usually far longer.
 */
const LOCATION_FRESH_SECONDS = 3600;

/** While an issuer is down, its last keys are used for this long. The public cache keeps nothing older either. */
const SERVED_SECONDS_MAX = 7 * 24 * 3600;

/**
 * There is at most one fetch per issuer in this time, however many unknown key ids arrive and however long the issuer is down.
 */
export const COOLDOWN_SECONDS = 30;

/** What an isolate remembers of publishers that somebody vouched for, in bytes. The public cache has the others. */
const VOUCHED_BYTES_MAX = 4 * 1024 * 1024;

/** What it remembers of others. Their keys are fetched again: hundreds of sets fit. */
export const STRANGERS_BYTES_MAX = 1024 * 1024;

/** Longer than a fetch of two documents may take. */
const WAIT_MILLISECONDS_MAX = 20_000;

/** An issuer's keys in the public cache. */
interface KnownKeys {
  readonly jwksUri: string;
  readonly keys: readonly PublicJwk[];
  readonly fetchedAt: number;
  readonly locatedAt: number;
}

interface Held {
  known: KnownKeys | undefined;
  attemptedAt: number;
  /** Whether the last attempt failed. Then nobody waits for the next one while there are keys to use. */
  failed: boolean;
  underway: Promise<void> | undefined;
}

/**
 * The public keys of external issuers or clients, in the isolate's memory and the public cache: stale while revalidating.
 */
export class IssuerKeys {
  readonly #documents: IssuerDocuments;
  readonly #cache: PublicCache | null;
  readonly #held: ByteBoundedMap<string, Held>;

  /** @param cache `null` for publishers that nobody vouched for, of which nothing is stored */
  constructor(documents: IssuerDocuments, cache: PublicCache | null) {
    this.#documents = documents;
    this.#cache = cache;
    this.#held = new ByteBoundedMap(cache ? VOUCHED_BYTES_MAX : STRANGERS_BYTES_MAX);
  }

  /** The bytes that the isolate remembers. */
  get bytes(): number {
    return this.#held.bytes;
  }

  /**
   * Checks whether an issuer still publishes a key that was found here. Another key with the same id is another object. Fetches the
   * keys in the background if they are old.
   */
  holds(issuer: KeyPublisher, key: PublicJwk, waitUntil: WaitUntil): boolean {
    const held = this.#held.get(memoryKey(issuer));
    return held !== undefined && this.#recentKeys(issuer, held, waitUntil).includes(key);
  }

  /**
   * Finds the key that a token names. An unknown key may be new, so the issuer's keys are fetched again, once per
   * {@link COOLDOWN_SECONDS}; in between, the key stays unknown.
   *
   * @returns `undefined` if the issuer has no such key
   * @throws {ApiError} `temporarily_unavailable` if no usable keys of the issuer are known
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
    if (held.known && epochSeconds() - held.known.fetchedAt < SERVED_SECONDS_MAX) {
      return findKey(held.known.keys, kid, algorithm);
    }
    throw new ApiError("temporarily_unavailable", {
      reason: "external_keys_unavailable",
      description: `The keys of ${issuer.issuer} cannot be fetched right now: try again shortly`,
      retryAfterSeconds: COOLDOWN_SECONDS,
    });
  }

  /** Returns the ids of the keys that were last read of an issuer; empty if none are known. */
  published(issuer: KeyPublisher): string[] {
    return (this.#held.get(memoryKey(issuer))?.known?.keys ?? []).map((key) => String(key["kid"]));
  }

  /** Returns the known keys, if they are recent enough to use; otherwise none. */
  #recentKeys(issuer: KeyPublisher, held: Held, waitUntil: WaitUntil): readonly PublicJwk[] {
    if (!held.known) return [];
    const now = epochSeconds();
    const age = Math.abs(now - held.known.fetchedAt);
    // An old failure says nothing about now: the issuer may be back, and may have withdrawn keys.
    const isDown = held.failed && now - held.attemptedAt < FRESH_SECONDS;
    const isTrusted = age < STALE_SECONDS_MAX || (isDown && age < SERVED_SECONDS_MAX);
    if (!isTrusted) return [];
    if (age >= FRESH_SECONDS && !this.#isCoolingDown(held)) this.#start(issuer, held, waitUntil);
    return held.known.keys;
  }

  /** Returns what this isolate remembers, or else what another isolate stored in the public cache. */
  async #recall(issuer: KeyPublisher): Promise<Held> {
    const key = memoryKey(issuer);
    const remembered = this.#held.get(key);
    if (remembered) return remembered;
    const known = (await this.#cache?.read<KnownKeys>(await cacheKey(issuer))) ?? undefined;
    const held = this.#held.get(key) ?? { known, attemptedAt: 0, failed: false, underway: undefined };
    this.#keep(key, held);
    return held;
  }

  /**
   * Fetches the keys, or waits for another request that is fetching them. That fetch continues if its client disconnects (`waitUntil`),
   * but the platform may cut it off later, so the wait has a limit. If the fetch was cut off, another one starts after the cooldown.
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
    held.attemptedAt = epochSeconds();
    const underway = this.#fetch(issuer, held).finally(() => {
      if (held.underway === underway) held.underway = undefined;
    });
    held.underway = underway;
    waitUntil(underway);
  }

  /** Fetches the keys. Never throws: on failure, the known keys stay. */
  async #fetch(issuer: KeyPublisher, held: Held): Promise<void> {
    const now = epochSeconds();
    const { known } = held;
    try {
      const isLocated = known !== undefined && now - known.locatedAt < LOCATION_FRESH_SECONDS;
      const jwksUri = isLocated ? known.jwksUri : await this.#documents.locateKeys(issuer);
      const keys = keepSame(known?.keys ?? [], await this.#documents.fetchKeys(jwksUri));
      held.known = { jwksUri, keys, fetchedAt: now, locatedAt: isLocated ? known.locatedAt : now };
      held.failed = false;
      this.#keep(memoryKey(issuer), held);
      await this.#cache?.write(await cacheKey(issuer), held.known);
    } catch (error) {
      held.failed = true;
      // The next attempt looks up the address too, because it may have moved.
      if (known) held.known = { ...known, locatedAt: 0 };
      log({
        level: "warn",
        event: "external_keys_unavailable",
        issuer: issuer.issuer,
        detail: describeError(error),
      });
    }
  }

  #keep(key: string, held: Held): void {
    this.#held.set(key, held, key.length + JSON.stringify(held.known ?? null).length);
  }

  #isCoolingDown(held: Held): boolean {
    const since = epochSeconds() - held.attemptedAt;
    return since >= 0 && since < COOLDOWN_SECONDS;
  }
}

/**
 * Returns the current keys. A key that did not change stays the same object, by which tokens that it signed can tell that it did
 * not change.
 */
function keepSame(before: readonly PublicJwk[], now: readonly PublicJwk[]): PublicJwk[] {
  const known = new Map(before.map((key) => [JSON.stringify(key), key]));
  return now.map((key) => known.get(JSON.stringify(key)) ?? key);
}

/**
 * Returns the cache key. It includes where the keys come from: two instances that register one issuer with different addresses
 * don't share its keys.
 */
function memoryKey({ issuer, jwksUri, isTransmitter }: KeyPublisher): string {
  return `${issuer} ${jwksUri ?? (isTransmitter ? "events" : "")}`;
}

/**
 * Returns a hash, because KV's keys have at most 512 bytes, and two URLs may be longer. The number is the version of the stored format.
 */
async function cacheKey(issuer: KeyPublisher): Promise<string> {
  return `external-keys-2:${await sha256(memoryKey(issuer))}`;
}
