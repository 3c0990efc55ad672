import type { D1ServiceTokens } from "./service-tokens.d1.ts";
import { hashToken } from "#crypto/hash.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Clock } from "#platform/clock.ts";
import type { LastUse } from "./last-use.ts";
import type { WhyRefused } from "./refused-token.ts";
import { RememberedTokens } from "./remembered-tokens.ts";
import { hasRightChecksum, type ServiceToken } from "./service-token.ts";

/** Finds service-issued tokens: in the cache by their text, or else in storage by the hash of the whole text. */
export class ServiceTokens {
  readonly #reader: Pick<D1ServiceTokens, "findByHash">;
  readonly #lastUse: Pick<LastUse, "note">;
  readonly #clock: Clock;
  readonly #remembered = new RememberedTokens();

  constructor(reader: Pick<D1ServiceTokens, "findByHash">, lastUse: Pick<LastUse, "note">, clock: Clock) {
    this.#reader = reader;
    this.#lastUse = lastUse;
    this.#clock = clock;
  }

  /** Returns the time that tokens are checked against. */
  now(): number {
    return this.#clock();
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
    const now = this.#clock();
    const remembered = this.#remembered.find(key, policy, now);
    if (remembered !== undefined) return remembered;
    if (!(await hasRightChecksum(text))) return "service_token_malformed";
    const read = await this.#reader.findByHash(policy.instanceId, await hashToken(text));
    this.#remembered.keep(key, read, now);
    return read;
  }

  /** Records that a token was used, after the response. */
  noteUse({ instanceId }: PolicySnapshot, token: ServiceToken, waitUntil: WaitUntil): void {
    this.#lastUse.note(instanceId, token, this.#clock(), waitUntil);
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
