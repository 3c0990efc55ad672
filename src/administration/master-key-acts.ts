import type { D1SealedSecrets } from "#master-keys/sealed-secrets.d1.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import { parseSettings } from "#settings/settings.ts";
import { type OldRefreshTokens, purposeOf, type SealedSecret } from "#master-keys/sealed-secrets.ts";
import { Acts } from "./acts.ts";
import type { ActInstance } from "./act-instance.ts";

/** How long isolates that started with the previous key may still use it after a new secret is deployed. */
const LAST_USE_SECONDS = 300;

/**
 * Longer than the lifetime of everything with a MAC except refresh tokens: sign-ins and consents under way, a pipeline's retry.
 */
const SHORT_LIVED_SECONDS = 3600;

/** What was done, and what the older keys are still needed for. */
export interface ResealReport {
  readonly currentKey: string;
  readonly currentSince: number;
  readonly resealed: number;
  /** Secrets that no configured key opens. */
  readonly unopenable: readonly SealedSecret[];
  readonly olderKeys: readonly string[];
  readonly oldRefreshTokens: number;
  /** When the older keys can be removed; `null` if nothing needs them any more. */
  readonly olderKeysNeededUntil: number | null;
}

/** Decisions about the master keys, which seal the secrets in the database. */
export class MasterKeyActs extends Acts<{ readonly secrets: D1SealedSecrets; readonly keyring: Keyring }> {
  /**
   * Seals every secret that is sealed under an older key under the current one, and reports how long the older keys are needed.
   * Deploy the current key first: a Worker without it could not open these secrets.
   */
  async reseal(actor: string): Promise<ResealReport> {
    const now = this.now();
    const [currentKey = "", ...olderKeys] = this.parts.keyring.ids;
    const currentSince = await this.parts.secrets.noteCurrent(currentKey, now);
    const unopenable: SealedSecret[] = [];
    const touched = new Map<number, ActInstance>();
    let resealed = 0;
    for (const secret of await this.parts.secrets.list()) {
      if (this.parts.keyring.isCurrent(secret.sealed)) continue;
      const sealed = await this.#sealAnew(secret);
      if (sealed === undefined) {
        unopenable.push(secret);
        continue;
      }
      const { instanceId, instanceName: name, kind, kid } = secret;
      const detail = { masterKey: currentKey, kind, kid };
      const entry = { instanceId, at: this.now(), actor, event: "secret_resealed", detail } as const;
      if (!(await this.parts.secrets.replace(secret, sealed, entry))) continue;
      resealed += 1;
      touched.set(instanceId, { id: instanceId, name });
    }
    for (const instance of touched.values()) await this.takeEffect(instance);
    const old = await this.#oldRefreshTokens(currentSince + LAST_USE_SECONDS, now);
    const neededUntil = Math.max(currentSince + SHORT_LIVED_SECONDS, old.until ?? 0);
    return {
      currentKey,
      currentSince,
      resealed,
      unopenable,
      olderKeys,
      oldRefreshTokens: old.grants,
      olderKeysNeededUntil: neededUntil > now ? neededUntil : null,
    };
  }

  async #sealAnew(secret: SealedSecret): Promise<string | undefined> {
    const purpose = purposeOf(secret);
    try {
      return await this.parts.keyring.seal(purpose, await this.parts.keyring.open(purpose, secret.sealed));
    } catch (error) {
      if (error instanceof KeyringError) return undefined;
      throw error;
    }
  }

  async #oldRefreshTokens(before: number, now: number): Promise<OldRefreshTokens> {
    let grants = 0;
    let until: number | null = null;
    for (const { instanceId, settings } of await this.parts.secrets.instances()) {
      const { grantIdleSeconds } = parseSettings(settings);
      const old = await this.parts.secrets.refreshTokensFromBefore(instanceId, before, grantIdleSeconds, now);
      grants += old.grants;
      if (old.until !== null) until = Math.max(until ?? 0, old.until);
    }
    return { grants, until };
  }
}
