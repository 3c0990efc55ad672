import { type PolicySnapshot, SERVICE_TOKENS_REMEMBERED_SECONDS } from "#instance/policy-snapshot.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { ServiceToken } from "./service-token.ts";

/** How long an unknown token is remembered as unknown. A new token that was tried too early works after this time. */
const UNKNOWN_TRUSTED_SECONDS = 10;

/** Maximum tokens that an isolate remembers, a few kB each. Beyond this, a token is sometimes read again. */
const TOKENS_MAX = 5000;

/**
 * Unknown texts are remembered separately, so that somebody who sends thousands of them pushes no genuine token out.
 */
const UNKNOWN_MAX = 1000;

/** Clocks of concurrent requests in an isolate differ by less than this. */
const CLOCK_TOLERANCE_SECONDS = 5;

/**
 * An isolate's cache of service-issued tokens, by instance and text. Like other verified tokens, they are only in memory: storage
 * has only their hashes.
 *
 * A token is trusted as long as the policy snapshot has no newer change of it than was read. Changes are compared by `changedAt`,
 * which only grows in storage, and not by the time of reading, because the clock of an administrator's machine may be minutes
 * behind this isolate's.
 */
export class RememberedTokens {
  readonly #tokens = new BoundedMap<string, { readonly token: ServiceToken; readonly readAt: number }>(TOKENS_MAX);
  readonly #unknown = new BoundedMap<string, number>(UNKNOWN_MAX);
  #latest = 0;

  /** Finds a token. @returns `null` if storage didn't have it a moment ago, `undefined` if storage has to be read */
  find(key: string, policy: PolicySnapshot, now: number): ServiceToken | null | undefined {
    this.#forgetIfClockSteppedBack(now);
    const found = this.#tokens.get(key);
    if (found) {
      const isOld = now - found.readAt >= SERVICE_TOKENS_REMEMBERED_SECONDS;
      const changedAt = policy.changedServiceTokens.get(found.token.id) ?? 0;
      return isOld || changedAt > found.token.changedAt ? undefined : found.token;
    }
    const unknownSince = this.#unknown.get(key);
    return unknownSince === undefined || now - unknownSince >= UNKNOWN_TRUSTED_SECONDS ? undefined : null;
  }

  /** Remembers what storage has. @param token `null` if storage has none */
  keep(key: string, token: ServiceToken | null, readAt: number): void {
    if (token) this.#tokens.set(key, { token, readAt });
    else {
      this.#tokens.delete(key);
      this.#unknown.set(key, readAt);
    }
  }

  /**
   * Forgets everything if the clock steps back. Ages would be too low, and be trusted for as long as the clock stepped back.
   */
  #forgetIfClockSteppedBack(now: number): void {
    if (now < this.#latest - CLOCK_TOLERANCE_SECONDS) {
      this.#tokens.clear();
      this.#unknown.clear();
      this.#latest = now;
    }
    this.#latest = Math.max(this.#latest, now);
  }
}
