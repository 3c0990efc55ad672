import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { Clock } from "#platform/clock.ts";
import { isServiceToken, type ServiceTokenKind } from "./service-token.ts";

/** A revoked token stops working everywhere after this long. */
const TRUSTED_SECONDS_MAX = 10;

/** Tokens that an isolate remembers; unknown ones too, so that hammering with one costs no storage. */
const REMEMBERED_MAX = 2000;

export interface ServiceToken {
  readonly id: string;
  readonly kind: ServiceTokenKind;
  readonly scopes: readonly string[];
  readonly personId: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface ServiceTokenReader {
  findByHash(instanceId: number, hash: TokenHash): Promise<ServiceToken | null>;
}

/** Recognises service-issued tokens by their hash. */
export class ServiceTokens {
  readonly #reader: ServiceTokenReader;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, { token: ServiceToken | null; readAt: number }>();

  constructor(reader: ServiceTokenReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** The live token that a text is, or why there is none. */
  async recognise(
    policy: PolicySnapshot,
    text: string,
  ): Promise<ServiceToken | "malformed" | "unknown" | "expired" | "revoked"> {
    if (!(await isServiceToken(text))) return "malformed";
    const hash = await hashToken(text);
    const now = this.#clock();
    const key = `${policy.instanceId} ${hash}`;
    let found = this.#remembered.get(key);
    if (!found || now - found.readAt >= TRUSTED_SECONDS_MAX) {
      found = { token: await this.#reader.findByHash(policy.instanceId, hash), readAt: now };
      if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
      this.#remembered.set(key, found);
    }
    const { token } = found;
    if (!token) return "unknown";
    if (token.revokedAt !== null) return "revoked";
    if (token.expiresAt !== null && token.expiresAt <= now) return "expired";
    if (token.personId !== null && policy.deactivatedPeople.has(token.personId)) return "revoked";
    return token;
  }
}
