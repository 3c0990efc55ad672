import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";

/** Longer than any request, shorter than anybody needs to find it in a log. */
const LIFETIME_SECONDS = 300;

/** One key, one purpose. */
const PURPOSE = "admin-command";

/** Who the audit says it was. */
export const COMMAND_ACTOR = "command";

/**
 * Tokens that open one address of one instance, which only a holder of the master keys can make. A command may be sent to another host
 * by mistake or on bad advice. Its token names the origin that it was made for, so nobody who reads it there can use it here.
 */
export class CommandTokens {
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(keyring: Keyring, clock: Clock) {
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /** @param origin of the instance, where the command asks */
  async make(instance: string, origin: string, path: string): Promise<string> {
    const expiresAt = this.#clock() + LIFETIME_SECONDS;
    return `${expiresAt}.${await this.#keyring.mac(PURPOSE, textOf(instance, origin, path, expiresAt))}`;
  }

  /** Whether {@link make} made a token for this, and it has not expired. */
  async isValid(token: string, { issuer, policy }: RequestInstance, path: string): Promise<boolean> {
    const [, expires = "", mac = ""] = /^(\d{1,12})\.([\w-]+)$/.exec(token) ?? [];
    const expiresAt = Number(expires);
    const now = this.#clock();
    if (mac === "" || expiresAt < now || expiresAt > now + LIFETIME_SECONDS) return false;
    return this.#keyring.verifyMac(PURPOSE, textOf(policy.name, issuer, path, expiresAt), mac);
  }
}

function textOf(instance: string, origin: string, path: string, expiresAt: number): string {
  return JSON.stringify([instance, origin, path, expiresAt]);
}
