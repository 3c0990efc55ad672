import type { AuditTrail } from "#audit/audit.ts";
import { signingKeyPurpose } from "#authorization-server/signing-keys/signing-keys.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import { parseSettings, singleSignOnPurpose } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";

/** Isolates that started with the key before may use it a little longer, after a new secret is deployed. */
const LAST_USE_SECONDS = 300;

/** Longer than anything but refresh tokens lives that carries a MAC: sign-ins and consents under way, a pipeline's retry. */
const SHORT_LIVED_SECONDS = 3600;

/** A secret that the database holds sealed. */
export interface SealedSecret {
  readonly kind: "single-sign-on" | "signing-key";
  readonly instanceId: number;
  readonly instanceName: string;
  /** The signing key's id; empty for a connection to the SSO, of which an instance has one. */
  readonly kid: string;
  readonly sealed: string;
}

export interface InstanceGrants {
  readonly instanceId: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Grants whose refresh token was made before a moment, and could still be used. */
export interface OldRefreshTokens {
  readonly grants: number;
  /** When the last of them ends, if nobody uses it before; `null` when there is none. */
  readonly until: number | null;
}

export interface SealedSecrets {
  list(): Promise<SealedSecret[]>;
  /** Puts another seal on a secret. @returns `false` when it is not as it was read */
  replace(secret: SealedSecret, sealed: string): Promise<boolean>;
  /** Notes that a key is the current one, unless it is noted already; since when it is. */
  noteCurrent(keyId: string, now: number): Promise<number>;
  instances(): Promise<InstanceGrants[]>;
  refreshTokensFromBefore(
    instanceId: number,
    before: number,
    idleSeconds: number,
    now: number,
  ): Promise<OldRefreshTokens>;
}

/** What was done, and what the keys before the current one are still needed for. */
export interface ResealReport {
  readonly currentKey: string;
  readonly currentSince: number;
  readonly resealed: number;
  /** Secrets that no configured key opens. */
  readonly unopenable: readonly SealedSecret[];
  readonly olderKeys: readonly string[];
  readonly oldRefreshTokens: number;
  /** Until when the older keys have to stay; `null` when nothing needs them. */
  readonly olderKeysNeededUntil: number | null;
}

/** What follows a change of the master key. */
export class MasterKeys {
  readonly #secrets: SealedSecrets;
  readonly #keyring: Keyring;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(secrets: SealedSecrets, keyring: Keyring, audit: AuditTrail, clock: Clock) {
    this.#secrets = secrets;
    this.#keyring = keyring;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * Seals under the current key what is sealed under another, and tells how long the others are needed. The deployment has to
   * have the current key already: a Worker that lacks it could open nothing of this.
   */
  async reseal(actor: string): Promise<ResealReport> {
    const now = this.#clock();
    const [currentKey = "", ...olderKeys] = this.#keyring.ids;
    const currentSince = await this.#secrets.noteCurrent(currentKey, now);
    const unopenable: SealedSecret[] = [];
    const resealed = new Map<number, number>();
    for (const secret of await this.#secrets.list()) {
      if (this.#keyring.isCurrent(secret.sealed)) continue;
      const sealed = await this.#sealAnew(secret);
      if (sealed === undefined) unopenable.push(secret);
      else if (await this.#secrets.replace(secret, sealed)) {
        resealed.set(secret.instanceId, (resealed.get(secret.instanceId) ?? 0) + 1);
      }
    }
    for (const [instanceId, secrets] of resealed) {
      const detail = { masterKey: currentKey, secrets };
      await this.#audit.append({ instanceId, at: now, actor, event: "secrets_resealed", detail });
    }
    const old = await this.#oldRefreshTokens(currentSince + LAST_USE_SECONDS, now);
    const neededUntil = Math.max(currentSince + SHORT_LIVED_SECONDS, old.until ?? 0);
    return {
      currentKey,
      currentSince,
      resealed: [...resealed.values()].reduce((sum, count) => sum + count, 0),
      unopenable,
      olderKeys,
      oldRefreshTokens: old.grants,
      olderKeysNeededUntil: neededUntil > now ? neededUntil : null,
    };
  }

  async #sealAnew(secret: SealedSecret): Promise<string | undefined> {
    const purpose = purposeOf(secret);
    try {
      return await this.#keyring.seal(purpose, await this.#keyring.open(purpose, secret.sealed));
    } catch (error) {
      if (error instanceof KeyringError) return undefined;
      throw error;
    }
  }

  async #oldRefreshTokens(before: number, now: number): Promise<OldRefreshTokens> {
    let grants = 0;
    let until: number | null = null;
    for (const { instanceId, settings } of await this.#secrets.instances()) {
      const { grantIdleSeconds } = parseSettings(settings);
      const old = await this.#secrets.refreshTokensFromBefore(instanceId, before, grantIdleSeconds, now);
      grants += old.grants;
      if (old.until !== null) until = Math.max(until ?? 0, old.until);
    }
    return { grants, until };
  }
}

function purposeOf({ kind, instanceId, instanceName }: SealedSecret): string {
  return kind === "signing-key" ? signingKeyPurpose(instanceId) : singleSignOnPurpose(instanceName);
}
