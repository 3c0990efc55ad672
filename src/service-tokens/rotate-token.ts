import type { D1Succession } from "./rotate-token.d1.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import { hashToken, type TokenHash } from "#crypto/secrets.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { makeServiceToken } from "./service-token.ts";

/** Time for every machine of a pipeline to get the new secret. */
export const SUPERSEDED_SECONDS = 600;

const PURPOSE = "service-token-successor";

/** The response to a rotation, with the member names of the API. */
export interface RotatedToken {
  readonly rawSecret: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /**
   * Whole minutes from then until the token expires. Rotation doesn't change the expiry that an administrator chose.
   */
  readonly rotationPeriodMinutes: number;
}

/**
 * Rotates an indexing token at its pipeline's request.
 *
 * The successor is derived from the presented secret and the master key, so a pipeline that lost the response asks again and gets
 * the same one, and storage contains only hashes. After a change of master keys, successors under the older keys are found as long
 * as these are configured.
 */
export class TokenRotation {
  readonly #store: D1Succession;
  readonly #keyring: Keyring;
  readonly #audit: Pick<AuditLog, "seal">;

  constructor(store: D1Succession, keyring: Keyring, audit: Pick<AuditLog, "seal">) {
    this.#store = store;
    this.#keyring = keyring;
    this.#audit = audit;
  }

  /**
   * Rotates a token's secret.
   *
   * @param presented the secret that the gate accepted for this token
   * @throws {ApiError} 401 `invalid_secret` for a secret that an administrator replaced, or that has ended meanwhile. If a replaced
   *   secret got a successor, a thief would keep the token after the rotation that was meant to shut them out.
   */
  async rotate(instanceId: number, tokenId: string, presented: string): Promise<RotatedToken> {
    const now = epochSeconds();
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
