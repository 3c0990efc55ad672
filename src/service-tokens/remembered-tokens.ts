import { type PolicySnapshot, SERVICE_TOKENS_REMEMBERED_SECONDS } from "#instance/policy-snapshot.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { ServiceToken } from "./service-token.ts";

/** A token that was made a moment ago works this soon where it was tried too early. */
const UNKNOWN_TRUSTED_SECONDS = 10;

/** A few kB each; more tokens than this cost one read more now and then. */
const TOKENS_MAX = 5000;

/** Unknown texts have a memory of their own: whoever sends thousands of them pushes no genuine token out. */
const UNKNOWN_MAX = 1000;

/** Clocks of requests that run side by side in an isolate differ by less than this. */
const CLOCK_TOLERANCE_SECONDS = 5;

/**
 * What an isolate knows of service-issued tokens, by instance and text. Like other tokens that it has verified, they stay in its memory
 * and go nowhere: storage has only their hashes.
 *
 * A token is trusted for as long as the policy snapshot names no change of it that is newer than what was read. Changes are
 * told apart by `changedAt`, which storage lets only grow, and not by the time of reading: the clock of an administrator's
 * machine may be minutes behind this isolate's.
 */
export class RememberedTokens {
  readonly #tokens = new BoundedMap<string, { readonly token: ServiceToken; readonly readAt: number }>(TOKENS_MAX);
  readonly #unknown = new BoundedMap<string, number>(UNKNOWN_MAX);
  #latest = 0;

  /** @returns `null` for what storage did not know a moment ago, `undefined` where storage has to be asked */
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

  /** @param token `null` where storage has none */
  keep(key: string, token: ServiceToken | null, readAt: number): void {
    if (token) this.#tokens.set(key, { token, readAt });
    else {
      this.#tokens.delete(key);
      this.#unknown.set(key, readAt);
    }
  }

  /** Ages are wrong then, and too young ones would be trusted for as long as the clock stepped. */
  #forgetIfClockSteppedBack(now: number): void {
    if (now < this.#latest - CLOCK_TOLERANCE_SECONDS) {
      this.#tokens.clear();
      this.#unknown.clear();
      this.#latest = now;
    }
    this.#latest = Math.max(this.#latest, now);
  }
}
