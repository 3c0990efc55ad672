import type { AuditEntry, AuditTrail } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { makeServiceToken } from "./service-token.ts";

/** Time for every machine of a pipeline to get the new secret. */
export const SUPERSEDED_SECONDS = 600;

const PURPOSE = "service-token-successor";

/** A secret that asks for its successor. */
export interface Succession {
  readonly instanceId: number;
  readonly tokenId: string;
  readonly presented: TokenHash;
  /** The successors that it can have, one a master key; a new one is made under the first. */
  readonly successors: readonly TokenHash[];
  readonly now: number;
  /** When the presented secret ends, if it is the current one. */
  readonly supersededUntil: number;
}

/** The successor that a secret has now. */
export interface Succeeded {
  readonly successor: TokenHash;
  readonly createdAt: number;
  readonly tokenExpiresAt: number;
  /** Whether it got it now, and had none before. */
  readonly isNew: boolean;
}

export interface SuccessionStore {
  /**
   * Gives a current secret its successor, or finds the one that it has. One round trip and one transaction, so of a hundred
   * parallel rotations one changes anything, and is recorded, and all get the same answer.
   *
   * @returns `null` where the token or secret has ended, or something else than its own rotation superseded it
   */
  succeed(succession: Succession, entry: AuditEntry<"service_token_rotated">): Promise<Succeeded | null>;
}

/** The answer of a rotation, in the words of the wire. */
export interface RotatedToken {
  readonly rawSecret: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Whole minutes from then until the token expires: rotation does not move what an administrator decided. */
  readonly rotationPeriodMinutes: number;
}

/**
 * Rotates an indexing token at its pipeline's wish.
 *
 * The successor follows from the presented secret and the master key, so whoever lost the answer asks again and gets the same
 * one, and storage holds nothing but hashes. After a change of master keys the successors under the older ones are found as
 * long as those are configured.
 */
export class TokenRotation {
  readonly #store: SuccessionStore;
  readonly #keyring: Keyring;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(store: SuccessionStore, keyring: Keyring, audit: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#keyring = keyring;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * @param presented the secret that the gate let in for this token
   * @throws {ApiError} 401 `invalid_secret` for a secret that an administrator replaced, or that ended meanwhile. Were a
   *   replaced one given a successor, a thief would keep the token beyond the rotation that was to shut them out.
   */
  async rotate(instanceId: number, tokenId: string, presented: string): Promise<RotatedToken> {
    const now = this.#clock();
    const derived = await this.#keyring.deriveSecrets(PURPOSE, `${tokenId} ${presented}`);
    const secrets = new Map<TokenHash, string>();
    for (const secret of derived) {
      const text = await makeServiceToken("indexing", secret);
      secrets.set(await hashToken(text), text);
    }
    const succeeded = await this.#store.succeed(
      {
        instanceId,
        tokenId,
        presented: await hashToken(presented),
        successors: [...secrets.keys()],
        now,
        supersededUntil: now + SUPERSEDED_SECONDS,
      },
      { instanceId, at: now, actor: tokenId, event: "service_token_rotated", detail: { id: tokenId } },
    );
    const rawSecret = succeeded && secrets.get(succeeded.successor);
    if (!rawSecret) {
      throw new ApiError("invalid_secret", {
        reason: "service_token_without_successor",
        description: "Invalid secret: it was replaced by an administrator or has ended; use the token's current secret",
      });
    }
    const { createdAt, tokenExpiresAt, isNew } = succeeded;
    if (isNew) await this.#audit.seal(instanceId);
    return { rawSecret, createdAt, rotationPeriodMinutes: Math.floor((tokenExpiresAt - createdAt) / 60) };
  }
}
