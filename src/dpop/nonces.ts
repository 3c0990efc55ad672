import type { Keyring } from "#crypto/keyring.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/** How long a nonce is offered. It is accepted for the same time again. */
export const NONCE_SLOT_SECONDS = 60;

/** The most origins whose nonces an isolate remembers: more than it serves at a time. */
const ORIGINS_MAX = 500;

interface Slot {
  readonly number: number;
  readonly current: string;
  readonly previous: string;
}

/**
 * Nonces for DPoP proofs (RFC 9449 §8, §9). A nonce is a MAC of the origin and of a minute: every isolate makes the same one,
 * nothing is stored, and proofs can't be made in advance. An origin has one nonce for both of its roles, because clients store
 * nonces by origin.
 */
export class DpopNonces {
  readonly #keyring: Keyring;
  readonly #slots = new BoundedMap<string, Slot>(ORIGINS_MAX);

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Returns the nonce for the next proof. */
  async current(issuer: string, now: number): Promise<string> {
    return (await this.#slot(issuer, now)).current;
  }

  /** Checks whether this is a nonce of this origin, from this minute or the one before. */
  async isFresh(issuer: string, nonce: unknown, now: number): Promise<boolean> {
    const { current, previous } = await this.#slot(issuer, now);
    return nonce === current || nonce === previous;
  }

  async #slot(issuer: string, now: number): Promise<Slot> {
    const number = Math.floor(now / NONCE_SLOT_SECONDS);
    const known = this.#slots.get(issuer);
    if (known?.number === number) return known;
    const nonceOf = (slot: number) => this.#keyring.mac("dpop-nonce", `${slot} ${issuer}`);
    const [current, previous] = await Promise.all([nonceOf(number), nonceOf(number - 1)]);
    const slot = { number, current, previous };
    this.#slots.set(issuer, slot);
    return slot;
  }
}
