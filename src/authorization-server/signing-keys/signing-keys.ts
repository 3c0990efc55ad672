import type { D1SigningKeyStore, ListedSigningKey, StoredSigningKey } from "./signing-keys.d1.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { generateSigningKey, importSigningKey, type SigningKey } from "#crypto/signing-key.ts";
import type { PolicySnapshot, PolicySnapshots, PublishedKey } from "#instance/policy-snapshot.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import { epochSeconds } from "#platform/clock.ts";

/** The most imported private keys that an isolate keeps. If more instances are active, keys are imported again. */
const IMPORTED_KEYS_MAX = 200;

const DAY_SECONDS = 24 * 3600;

/** How long a key signs. */
const SIGNING_SECONDS = 30 * DAY_SECONDS;

/** The most instances whose key changes in one run of the cron trigger, longest waiting first. The others change in the next run. */
const INSTANCES_PER_RUN = 40;

/** How long a key is published before it signs: longer than any cache considers `/oauth/jwks` fresh. */
const PUBLISHED_AHEAD_SECONDS = DAY_SECONDS;

/** Checks whether the signing key should have been replaced days ago. If so, the hourly cron trigger does not run. */
export function isRotationOverdue(keys: readonly ListedSigningKey[], now: number): boolean {
  const late = now - SIGNING_SECONDS - PUBLISHED_AHEAD_SECONDS - 2 * DAY_SECONDS;
  return keys.some(({ stage, stagedAt }) => stage === "signing" && stagedAt < late);
}

/**
 * The keys that sign access tokens and ID tokens. They are ES256 keys, made on first use. The private part is sealed under the
 * master key and bound to the instance. Both parts come with the policy snapshot, so no token waits for a read of its own. A key is published before it
 * signs, and for as long as a token that it signed may live, so that no verification fails while keys change.
 */
export class SigningKeys {
  readonly #store: D1SigningKeyStore;
  readonly #keyring: Keyring;
  readonly #snapshots: PolicySnapshots;
  readonly #imported = new Map<string, SigningKey>();

  constructor(store: D1SigningKeyStore, keyring: Keyring, snapshots: PolicySnapshots) {
    this.#store = store;
    this.#keyring = keyring;
    this.#snapshots = snapshots;
  }

  /** Returns the key that signs for this instance now. */
  async active(policy: PolicySnapshot): Promise<SigningKey> {
    const stored = policy.signingKey ?? (await this.#makeFirst(policy));
    const imported = this.#imported.get(stored.kid);
    if (imported) return imported;
    const privateJwk = await this.#keyring.open(signingKeyPurpose(policy.instanceId), stored.sealedPrivateJwk);
    const key = await importSigningKey(stored.kid, privateJwk);
    if (this.#imported.size >= IMPORTED_KEYS_MAX) this.#imported.clear();
    this.#imported.set(stored.kid, key);
    return key;
  }

  /** Returns the public keys for `/oauth/jwks`. Makes the first one if there is none, so that the set is never empty. */
  async published(policy: PolicySnapshot): Promise<readonly PublishedKey["publicJwk"][]> {
    if (policy.signingKey === null) return [(await this.#makeFirst(policy)).publicJwk];
    return [...policy.publishedKeys.values()].map((key) => key.publicJwk);
  }

  /** Lists the instance's keys: the one that signs, the next one, and those that may have signed tokens which are still valid. */
  list(instanceId: number): Promise<ListedSigningKey[]> {
    return this.#store.list(instanceId);
  }

  /**
   * Checks whether the stored signing key can be opened with the current master keys, without using this isolate's memory; `null`
   * if there is no key yet.
   *
   * @throws {KeyringError} if it cannot be opened
   */
  async isUsable(instanceId: number): Promise<boolean | null> {
    const stored = await this.#store.readSigning(instanceId);
    if (!stored) return null;
    await importSigningKey(
      stored.kid,
      await this.#keyring.open(signingKeyPurpose(instanceId), stored.sealedPrivateJwk),
    );
    return true;
  }

  /**
   * Rotates keys, for the cron trigger: publishes the next key when the current one gets old, makes it sign a day later, and
   * deletes keys that signed no token which is still valid.
   *
   * @returns how many instances have a new signing key
   */
  async rotateDue(): Promise<number> {
    const now = epochSeconds();
    const due = await this.#store.withoutNext(now - SIGNING_SECONDS, INSTANCES_PER_RUN);
    for (const { instanceId } of due) await this.#store.addNext(instanceId, await this.#generate(instanceId), now);
    const ready = await this.#store.withNext(now - PUBLISHED_AHEAD_SECONDS, INSTANCES_PER_RUN);
    for (const { instanceId, name } of ready) {
      await this.#store.promote(instanceId, now);
      this.#snapshots.expire(name);
    }
    await this.#store.deleteRetired(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX - DAY_SECONDS);
    return ready.length;
  }

  /** Rotates at once, and records that. @returns whether another key signs now */
  async rotateNow(entry: AuditEntry<"signing_key_rotated">): Promise<boolean> {
    return this.#store.replace(await this.#generate(entry.instanceId), entry);
  }

  async #makeFirst(policy: PolicySnapshot): Promise<StoredSigningKey> {
    const key = await this.#generate(policy.instanceId);
    const stored = await this.#store.addIfNone(policy.instanceId, key, epochSeconds());
    this.#snapshots.expire(policy.name);
    return stored;
  }

  async #generate(instanceId: number): Promise<StoredSigningKey> {
    const { kid, publicJwk, privateJwk } = await generateSigningKey();
    return { kid, publicJwk, sealedPrivateJwk: await this.#keyring.seal(signingKeyPurpose(instanceId), privateJwk) };
  }
}

/** Returns the purpose that a private key is sealed for. A key sealed for one instance cannot be opened as another's. */
export function signingKeyPurpose(instanceId: number): SealPurpose {
  return `signing-key:${instanceId}`;
}
