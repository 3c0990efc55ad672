import { base64url, type CryptoKey } from "jose";
import { decodeCanonical } from "./base64url.ts";
import { utf8 } from "./utf8.ts";
import type { MacPurpose, SealPurpose, SecretPurpose } from "./key-purposes.ts";

/** Length of the mark that identifies the master key of a MAC, so that keys can be rotated while tokens are in use. */
const KEY_MARK_BYTES = 2;

/** The first part of a sealed value, which distinguishes an unknown format from a missing key. */
const SEALED_FORMAT = "v2";

/**
 * Random bytes from which the key of one sealed value is derived, in addition to the 12 of its nonce. A search seals a cursor for
 * each page. Random nonces of 96 bits alone allow 2^32 values per key (NIST SP 800-38D §8.3), which a busy service would reach
 * within months; 224 bits allow more than 2^80.
 */
const KEY_SALT_BYTES = 16;
const NONCE_BYTES = 12;

/** The length of a SHA-256 (FIPS 180-4). */
const MAC_BYTES = 32;

interface MasterKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Derived keys so far, by purpose. */
  readonly derived: Map<string, CryptoKey>;
  /** The first bytes of its MACs, once one was made or verified. */
  mark: Uint8Array | undefined;
}

/**
 * Thrown if a sealed value or the configuration itself can't be used. The message is for operators and contains no secret.
 */
export class KeyringError extends Error {
  override readonly name = "KeyringError";
}

/**
 * The master keys of a deployment, newest first. They seal secrets that we must use again, and authenticate values that we hand out
 * and accept back. Each purpose has its own key (HKDF, RFC 5869), so a value made for one purpose is useless for another.
 */
export class Keyring {
  readonly #keys: readonly MasterKey[];

  /**
   * @param configured `id:key` pairs separated by commas, the current one first; a key is 32 bytes in base64url
   * @throws {KeyringError} if there is no usable key
   */
  constructor(configured: string | undefined) {
    this.#keys = parseMasterKeys(configured);
  }

  /** The ids of the configured keys, the current one first. */
  get ids(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** Checks whether a sealed value names the current key. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${SEALED_FORMAT}.${this.#current().id}.`);
  }

  /**
   * Encrypts under the current master key with AES-256-GCM. Each value has its own key and nonce; the purpose is authenticated.
   *
   * @returns `v2.<key id>.<salt and nonce>.<ciphertext>`
   */
  async seal(purpose: SealPurpose, plaintext: string): Promise<string> {
    const key = this.#current();
    const nonce = crypto.getRandomValues(new Uint8Array(KEY_SALT_BYTES + NONCE_BYTES));
    const ciphertext = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv: nonce.subarray(KEY_SALT_BYTES), additionalData: utf8(purpose) },
      await sealingKey(key, purpose, nonce),
      utf8(plaintext),
    );
    return `${SEALED_FORMAT}.${key.id}.${base64url.encode(nonce)}.${base64url.encode(new Uint8Array(ciphertext))}`;
  }

  /**
   * Decrypts what {@link seal} made for the same purpose.
   *
   * @throws {KeyringError} if the value has another format, its master key is not configured, or it was altered, is not canonically
   *   encoded or was sealed for another purpose
   */
  async open(purpose: SealPurpose, sealed: string): Promise<string> {
    const [format, id, encoded = "", ciphertext = "", ...more] = sealed.split(".");
    if (format !== SEALED_FORMAT) throw new KeyringError("sealed in a format of another version of this service");
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (!key) throw new KeyringError(`sealed under a master key that is not configured (${id ?? "none"})`);
    const bytes = decodeCanonical(encoded);
    const encrypted = decodeCanonical(ciphertext);
    if (!bytes || !encrypted || more.length > 0) throw new KeyringError("sealed value is not exactly as it was sealed");
    try {
      const nonce = new Uint8Array(bytes);
      const plaintext = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: nonce.subarray(KEY_SALT_BYTES), additionalData: utf8(purpose) },
        await sealingKey(key, purpose, nonce),
        new Uint8Array(encrypted),
      );
      return new TextDecoder().decode(plaintext);
    } catch (cause) {
      throw new KeyringError(`sealed value does not open under master key ${key.id}`, { cause });
    }
  }

  /**
   * Returns a MAC over a text: base64url of the key's mark and HMAC-SHA-256.
   *
   * @param keyId the id of the key to use, if it is configured; otherwise the current key is used
   */
  async mac(purpose: MacPurpose, text: string, keyId?: string): Promise<string> {
    return base64url.encode(await this.macBytes(purpose, utf8(text), keyId));
  }

  /** Checks whether `mac` was made by {@link mac} for this purpose and text, under any configured key. */
  async verifyMac(purpose: MacPurpose, text: string, mac: string): Promise<boolean> {
    const bytes = decodeCanonical(mac);
    return bytes !== undefined && (await this.verifyMacBytes(purpose, utf8(text), bytes));
  }

  /** Does the same as {@link mac} for bytes: 2 bytes of key mark, then 32 of HMAC. */
  async macBytes(
    purpose: MacPurpose,
    bytes: Uint8Array<ArrayBuffer>,
    keyId?: string,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const key = this.#keys.find(({ id }) => id === keyId) ?? this.#current();
    const tag = await hmac(await derive(key, `mac:${purpose}`), bytes);
    const out = new Uint8Array(KEY_MARK_BYTES + MAC_BYTES);
    out.set(await markOf(key));
    out.set(tag, KEY_MARK_BYTES);
    return out;
  }

  /** Does the same as {@link verifyMac} for bytes. The platform compares MACs in a time that depends only on their lengths. */
  async verifyMacBytes(purpose: MacPurpose, bytes: Uint8Array<ArrayBuffer>, mac: Uint8Array): Promise<boolean> {
    const mark = mac.subarray(0, KEY_MARK_BYTES);
    for (const key of this.#keys) {
      const own = await markOf(key);
      if (!own.every((byte, at) => byte === mark[at])) continue;
      return crypto.subtle.verify("HMAC", await derive(key, `mac:${purpose}`), mac.slice(KEY_MARK_BYTES), bytes);
    }
    return false;
  }

  /**
   * Derives secrets of 256 bits from a text: one under each configured key, the current one first. Without the master keys, nobody
   * can distinguish them from random, even if they know the text.
   *
   * @returns base64url, 43 characters each
   */
  async deriveSecrets(purpose: SecretPurpose, text: string): Promise<readonly string[]> {
    const underEach = async (key: MasterKey) =>
      base64url.encode(await hmac(await derive(key, `secret:${purpose}`), utf8(text)));
    return Promise.all(this.#keys.map(underEach));
  }

  #current(): MasterKey {
    const key = this.#keys[0];
    if (!key) throw new KeyringError("no master key");
    return key;
  }
}

/** Reads `MASTER_KEYS`. @throws {KeyringError} if there is no usable key */
export function parseMasterKeys(configured: string | undefined): readonly MasterKey[] {
  const pairs = (configured ?? "")
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");
  if (pairs.length === 0) throw new KeyringError("MASTER_KEYS is not set: give it one pair id:key");
  const keys = pairs.map(parseMasterKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new KeyringError("MASTER_KEYS has two keys with the same id: give each key its own");
  }
  return keys;
}

function parseMasterKey(pair: string): MasterKey {
  const [id = "", encoded = "", ...rest] = pair.split(":");
  const bytes = rest.length === 0 ? decodeCanonical(encoded) : undefined;
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || bytes?.length !== 32) {
    throw new KeyringError(
      "MASTER_KEYS is malformed: each pair is id:key, the key 32 bytes in base64url without padding",
    );
  }
  return { id, bytes: new Uint8Array(bytes), derived: new Map(), mark: undefined };
}

async function markOf(key: MasterKey): Promise<Uint8Array> {
  key.mark ??= (await hmac(await derive(key, "mark"), utf8(key.id))).subarray(0, KEY_MARK_BYTES);
  return key.mark;
}

async function derive(key: MasterKey, purpose: string): Promise<CryptoKey> {
  const known = key.derived.get(purpose);
  if (known) return known;
  const derived = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(`gatehouse:${purpose}`) },
    await crypto.subtle.importKey("raw", key.bytes, "HKDF", false, ["deriveKey"]),
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign", "verify"],
  );
  key.derived.set(purpose, derived);
  return derived;
}

/** Returns the key of one sealed value, derived from its purpose's key and its own salt. */
async function sealingKey(key: MasterKey, purpose: SealPurpose, nonce: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const purposeKey = await derive(key, `seal:${purpose.slice(0, purpose.indexOf(":"))}`);
  const bytes = new Uint8Array(await hmac(purposeKey, nonce.slice(0, KEY_SALT_BYTES)));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function hmac(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
}
