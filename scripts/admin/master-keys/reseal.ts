import { auditedDatabase } from "#audit/audited-store.sql.ts";
import { type Keyring, KeyringError } from "#crypto/keyring.ts";
import type { Bindings } from "#platform/bindings.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { Services } from "#services.ts";
import { parseSettings } from "#settings/settings.ts";
import { D1SealedSecrets } from "./sealed-secrets.d1.ts";
import { type OldRefreshTokens, purposeOf, type SealedSecret } from "./sealed-secrets.ts";

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

/**
 * Seals every secret that is sealed under an older key under the current one, and reports how long the older keys are needed.
 * Deploy the current key first: a Worker without it could not open these secrets.
 *
 * @param services those of the same database
 * @param actor as in audit entries
 */
export async function resealSecrets(
  { DB }: Pick<Bindings, "DB">,
  { keyring, takeEffect }: Pick<Services, "keyring" | "takeEffect">,
  actor: string,
): Promise<ResealReport> {
  const secrets = new D1SealedSecrets(auditedDatabase(DB, keyring));
  const now = epochSeconds();
  const [currentKey = "", ...olderKeys] = keyring.ids;
  const currentSince = await secrets.noteCurrent(currentKey, now);
  const unopenable: SealedSecret[] = [];
  const touched = new Map<number, string>();
  let resealed = 0;
  for (const secret of await secrets.list()) {
    if (keyring.isCurrent(secret.sealed)) continue;
    const sealed = await sealAnew(keyring, secret);
    if (sealed === undefined) {
      unopenable.push(secret);
      continue;
    }
    const { instanceId, instanceName, kind, kid } = secret;
    const detail = { masterKey: currentKey, kind, kid };
    const entry = { instanceId, at: epochSeconds(), actor, event: "secret_resealed", detail } as const;
    if (!(await secrets.replace(secret, sealed, entry))) continue;
    resealed += 1;
    touched.set(instanceId, instanceName);
  }
  for (const [id, name] of touched) await takeEffect({ id, name });
  const old = await oldRefreshTokens(secrets, currentSince + LAST_USE_SECONDS, now);
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

async function sealAnew(keyring: Keyring, secret: SealedSecret): Promise<string | undefined> {
  const purpose = purposeOf(secret);
  try {
    return await keyring.seal(purpose, await keyring.open(purpose, secret.sealed));
  } catch (error) {
    if (error instanceof KeyringError) return undefined;
    throw error;
  }
}

async function oldRefreshTokens(secrets: D1SealedSecrets, before: number, now: number): Promise<OldRefreshTokens> {
  let grants = 0;
  let until: number | null = null;
  for (const { instanceId, settings } of await secrets.instances()) {
    const { grantIdleSeconds } = parseSettings(settings);
    const old = await secrets.refreshTokensFromBefore(instanceId, before, grantIdleSeconds, now);
    grants += old.grants;
    if (old.until !== null) until = Math.max(until ?? 0, old.until);
  }
  return { grants, until };
}
