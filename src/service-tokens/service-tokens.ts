import type { D1ServiceTokens } from "./service-tokens.d1.ts";
import { hashToken } from "#crypto/secrets.ts";
import { type PolicySnapshot, SERVICE_TOKENS_REMEMBERED_SECONDS } from "#instance/policy-snapshot.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { WhyRefused } from "./refused-token.ts";
import { hasRightChecksum, type ServiceToken } from "./service-token.ts";

const HOUR_SECONDS = 3600;

/** Maximum tokens whose use an isolate remembers. For a forgotten one, an extra statement finds nothing to change. */
const USED_TOKENS_MAX = 5000;

/** Finds service-issued tokens: in the cache by their text, or else in storage by the hash of the whole text. */
export class ServiceTokens {
  readonly #store: Pick<D1ServiceTokens, "findByHash" | "recordUse">;
  readonly #remembered = new RememberedTokens();
  /** The hours in which tokens were last used, as far as they are recorded. */
  readonly #usedIn = new BoundedMap<string, number>(USED_TOKENS_MAX);

  constructor(store: Pick<D1ServiceTokens, "findByHash" | "recordUse">) {
    this.#store = store;
  }

  /**
   * Finds the token of a text in the form of a token; `null` if it doesn't exist. A revocation or rotation takes effect when the
   * policy snapshot includes it.
   *
   * @returns `service_token_malformed` if its checksum is wrong
   * @throws {StorageUnavailable} if the token has to be read and can't be
   */
  async find(policy: PolicySnapshot, text: string): Promise<ServiceToken | null | "service_token_malformed"> {
    const key = `${policy.instanceId} ${text}`;
    const now = epochSeconds();
    const remembered = this.#remembered.find(key, policy, now);
    if (remembered !== undefined) return remembered;
    if (!(await hasRightChecksum(text))) return "service_token_malformed";
    const read = await this.#store.findByHash(policy.instanceId, await hashToken(text));
    this.#remembered.keep(key, read, now);
    return read;
  }

  /**
   * Records when a token was last used, to the hour: one statement for each hour, isolate and token, after the response. Never throws
   * and never waits. A failure is logged, and recording is tried again in the next hour.
   */
  noteUse({ instanceId }: PolicySnapshot, token: ServiceToken, waitUntil: WaitUntil): void {
    const now = epochSeconds();
    const hour = now - (now % HOUR_SECONDS);
    if (Math.max(this.#usedIn.get(token.id) ?? 0, token.lastUsedAt ?? 0) >= hour) return;
    this.#usedIn.set(token.id, hour);
    waitUntil(
      this.#store.recordUse(instanceId, token.id, hour).catch((error: unknown) => {
        log({ level: "warn", event: "last_use_not_recorded", token: token.id, detail: describeError(error) });
      }),
    );
  }
}

/** Returns why a token has ended; `undefined` if it has not. */
export function whyEnded(token: ServiceToken, policy: PolicySnapshot, now: number): WhyRefused | undefined {
  if (token.revokedAt !== null) return "service_token_revoked";
  if (token.personId !== null && policy.deactivatedPeople.has(token.personId)) return "service_token_revoked";
  if (token.expiresAt !== null && token.expiresAt <= now) return "service_token_expired";
  if (token.secretExpiresAt !== null && token.secretExpiresAt <= now) return "service_token_replaced";
  return undefined;
}

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
class RememberedTokens {
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
