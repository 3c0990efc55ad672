/** The most tokens that an isolate remembers as verified. */
const TOKENS_MAX = 5000;

/** The most characters of all remembered tokens together. An isolate has 128 MB, and identity providers' tokens can be 16 KB each. */
const CHARACTERS_MAX = 8_000_000;

/**
 * Tokens that this isolate has verified. They are recognised as a whole, character by character: another spelling is another
 * token. Only verified tokens get in, so nobody can fill the memory with made-up ones; the oldest is removed first.
 */
export class VerifiedTokens<Verified> {
  readonly #verified = new Map<string, Verified>();
  #characters = 0;

  get(token: string): Verified | undefined {
    return this.#verified.get(token);
  }

  add(token: string, verified: Verified): void {
    this.remove(token);
    this.#verified.set(token, verified);
    this.#characters += token.length;
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size <= TOKENS_MAX && this.#characters <= CHARACTERS_MAX) return;
      this.remove(oldest);
    }
  }

  remove(token: string): void {
    if (this.#verified.delete(token)) this.#characters -= token.length;
  }
}
