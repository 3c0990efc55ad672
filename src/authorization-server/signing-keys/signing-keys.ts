import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { generateSigningKey, importSigningKey, type SigningKey } from "#crypto/signing-key.ts";
import type { PolicySnapshot, PolicySnapshots, PublishedKey } from "#instance/policy-snapshot.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";

/** Imported private keys that an isolate keeps; more instances than this and they are imported again. */
const IMPORTED_KEYS_MAX = 200;

const DAY_SECONDS = 24 * 3600;

/** How long a key signs. */
const SIGNING_SECONDS = 30 * DAY_SECONDS;

/** Instances whose key changes in one run of the trigger, those that have waited longest first; the others change in the next. */
const INSTANCES_PER_RUN = 40;

/** How long a key is published before it signs: longer than any cache of `/oauth/jwks` is fresh. */
const PUBLISHED_AHEAD_SECONDS = DAY_SECONDS;

export interface StoredSigningKey {
  readonly kid: string;
  readonly publicJwk: PublishedKey["publicJwk"];
  readonly sealedPrivateJwk: string;
}

/** A key as administrators see it. */
export interface ListedSigningKey {
  readonly kid: string;
  readonly stage: "next" | "signing" | "retired";
  readonly createdAt: number;
  /** Since when it is in its stage. */
  readonly stagedAt: number;
}

/** Whether the key that signs ought to have been replaced days ago: then the hourly trigger doesn't run. */
export function isRotationOverdue(keys: readonly ListedSigningKey[], now: number): boolean {
  const late = now - SIGNING_SECONDS - PUBLISHED_AHEAD_SECONDS - 2 * DAY_SECONDS;
  return keys.some(({ stage, stagedAt }) => stage === "signing" && stagedAt < late);
}

export interface SigningKeyStore {
  list(instanceId: number): Promise<ListedSigningKey[]>;
  /** Stores the key as the instance's signing key, unless it has one already; the one that it has then. */
  addIfNone(instanceId: number, key: StoredSigningKey, now: number): Promise<StoredSigningKey>;
  readSigning(instanceId: number): Promise<StoredSigningKey | null>;
  /** Publishes the key as the next one, unless there is one already. */
  addNext(instanceId: number, key: StoredSigningKey, now: number): Promise<void>;
  /** Instances whose key has been signing since before this moment, and that have no next one, the oldest first. */
  withoutNext(signingSince: number, instancesMax: number): Promise<{ instanceId: number; name: string }[]>;
  /** Instances whose next key has been published since before this moment, the oldest first. */
  withNext(publishedSince: number, instancesMax: number): Promise<{ instanceId: number; name: string }[]>;
  /** Lets the next key sign and the present one retire, in one step. */
  promote(instanceId: number, now: number): Promise<void>;
  /**
   * Lets the next key sign, or this one where there is none, and records that in the same step. Where the old key is compromised this
   * one signs in any case, and every other key is gone: if one key leaked, the waiting ones may have leaked too.
   *
   * @returns whether another key signs now
   */
  replace(key: StoredSigningKey, entry: AuditEntry<"signing_key_rotated">): Promise<boolean>;
  /** Deletes keys that retired before this moment. */
  deleteRetired(retiredBefore: number): Promise<void>;
}

/**
 * The keys that sign access tokens: ES256, made on first use, private part sealed under the master key and bound to the
 * instance, public part published through the policy snapshot. A key is published before it signs and as long as a token of
 * its may live, so that no verification fails while keys change.
 */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #keyring: Keyring;
  readonly #snapshots: PolicySnapshots;
  readonly #clock: Clock;
  readonly #imported = new Map<string, SigningKey>();

  constructor(store: SigningKeyStore, keyring: Keyring, snapshots: PolicySnapshots, clock: Clock) {
    this.#store = store;
    this.#keyring = keyring;
    this.#snapshots = snapshots;
    this.#clock = clock;
  }

  /** The key that signs for this instance now. */
  async active(policy: PolicySnapshot): Promise<SigningKey> {
    const imported = policy.signingKid === null ? undefined : this.#imported.get(policy.signingKid);
    if (imported) return imported;
    const stored = (await this.#store.readSigning(policy.instanceId)) ?? (await this.#makeFirst(policy));
    const privateJwk = await this.#keyring.open(signingKeyPurpose(policy.instanceId), stored.sealedPrivateJwk);
    const key = await importSigningKey(stored.kid, privateJwk);
    if (this.#imported.size >= IMPORTED_KEYS_MAX) this.#imported.clear();
    this.#imported.set(stored.kid, key);
    return key;
  }

  /** The public keys, for `/oauth/jwks`; makes the first one where there is none, so that the set is never empty. */
  async published(policy: PolicySnapshot): Promise<readonly PublishedKey["publicJwk"][]> {
    if (policy.signingKid === null) return [(await this.#makeFirst(policy)).publicJwk];
    return [...policy.publishedKeys.values()].map((key) => key.publicJwk);
  }

  /** The instance's keys: the one that signs, the next one, and those that tokens may still be signed with. */
  list(instanceId: number): Promise<ListedSigningKey[]> {
    return this.#store.list(instanceId);
  }

  /**
   * Whether the key that signs opens under the master keys there are now, whatever this isolate remembers; `null` where there
   * is none yet.
   *
   * @throws {KeyringError} when it does not
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
   * What the cron trigger does: publishes the next key where the present one grows old, lets it sign a day later, and deletes
   * keys that no living token was signed with.
   */
  async rotateDue(): Promise<number> {
    const now = this.#clock();
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
    const stored = await this.#store.addIfNone(policy.instanceId, key, this.#clock());
    this.#snapshots.expire(policy.name);
    return stored;
  }

  async #generate(instanceId: number): Promise<StoredSigningKey> {
    const { kid, publicJwk, privateJwk } = await generateSigningKey();
    return { kid, publicJwk, sealedPrivateJwk: await this.#keyring.seal(signingKeyPurpose(instanceId), privateJwk) };
  }
}

/** Sealed for one instance, a private key does not open as another's. */
export function signingKeyPurpose(instanceId: number): SealPurpose {
  return `signing-key:${instanceId}`;
}
