import { base64url, type CryptoKey } from "jose";
import { decodeCanonical } from "./base64url.ts";
import { equalBytes } from "./constant-time.ts";
import { utf8 } from "./utf8.ts";
import type { MacPurpose, SealPurpose, SecretPurpose } from "./key-purposes.ts";

/** Bytes of the mark that tells which master key made a MAC, so that keys can rotate while tokens live. */
const KEY_MARK_BYTES = 2;

/** How a sealed value is written, so that an unknown format can be distinguished from a missing key. */
const SEALED_FORMAT = "v2";

/**
 * Random bytes from which the key of one sealed value is made, beside the 12 of its nonce. A search seals a cursor for each page, and
 * random nonces of 96 bits alone are good for 2^32 values a key (NIST SP 800-38D §8.3), which a busy service would reach within
 * months; 224 bits are good for more than 2^80.
 */
const KEY_SALT_BYTES = 16;
const NONCE_BYTES = 12;

/** SHA-256 (FIPS 180-4). */
const MAC_BYTES = 32;

interface MasterKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Keys derived so far, by purpose. */
  readonly derived: Map<string, CryptoKey>;
  /** What its MACs begin with, once one was made or verified. */
  mark: Uint8Array | undefined;
}

/** Thrown where a sealed value or the configuration itself cannot be used. Its text is for operators and names no secret. */
export class KeyringError extends Error {
  override readonly name = "KeyringError";
}

/**
 * The master keys of a deployment, newest first, and what is done with them: sealing secrets that we must use again, and
 * authenticating values that we hand out and want back. Each purpose gets a key of its own (HKDF, RFC 5869), so a value
 * made for one purpose means nothing to another.
 */
export class Keyring {
  readonly #keys: readonly MasterKey[];

  /**
   * @param configured `id:key` pairs with commas between them, the current one first; a key is 32 bytes in base64url
   * @throws {KeyringError} when there is no usable key
   */
  constructor(configured: string | undefined) {
    const pairs = (configured ?? "")
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "");
    if (pairs.length === 0) throw new KeyringError("MASTER_KEYS is not set: give it one pair id:key");
    this.#keys = pairs.map(parseMasterKey);
  }

  /** The ids of the configured keys, the current one first. */
  get ids(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** Whether a sealed value names the current key as its own. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${SEALED_FORMAT}.${this.#current().id}.`);
  }

  /**
   * Encrypts under the current master key: AES-256-GCM, a key and a nonce of its own, the purpose authenticated with it.
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
   * @throws {KeyringError} when the value has another format, its master key is not configured, or it was altered, is written in another way or was sealed for something else
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
   * A MAC over a text: base64url of the key's mark and HMAC-SHA-256.
   *
   * @param keyId whose key makes it, where that is configured; else the current one does
   */
  async mac(purpose: MacPurpose, text: string, keyId?: string): Promise<string> {
    return base64url.encode(await this.macBytes(purpose, utf8(text), keyId));
  }

  /** Whether `mac` was made by {@link mac} for this purpose and text, under any configured key. */
  async verifyMac(purpose: MacPurpose, text: string, mac: string): Promise<boolean> {
    const bytes = decodeCanonical(mac);
    return bytes !== undefined && (await this.verifyMacBytes(purpose, utf8(text), bytes));
  }

  /** {@link mac} over bytes: 2 bytes of key mark, then 32 of HMAC. */
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

  /** {@link verifyMac} over bytes. */
  async verifyMacBytes(purpose: MacPurpose, bytes: Uint8Array<ArrayBuffer>, mac: Uint8Array): Promise<boolean> {
    const mark = mac.subarray(0, KEY_MARK_BYTES);
    for (const key of this.#keys) {
      if (!equalBytes(await markOf(key), mark)) continue;
      return equalBytes(await hmac(await derive(key, `mac:${purpose}`), bytes), mac.subarray(KEY_MARK_BYTES));
    }
    return false;
  }

  /**
   * Secrets of 256 bits that follow from a text: one under each configured key, the current one first. Without the master
   * keys cannot tell them from random, even with the text before them.
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
    ["sign"],
  );
  key.derived.set(purpose, derived);
  return derived;
}

/** The key of one sealed value: made of its purpose's key and its own salt. */
async function sealingKey(key: MasterKey, purpose: SealPurpose, nonce: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const purposeKey = await derive(key, `seal:${purpose.slice(0, purpose.indexOf(":"))}`);
  const bytes = new Uint8Array(await hmac(purposeKey, nonce.slice(0, KEY_SALT_BYTES)));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function hmac(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
}
