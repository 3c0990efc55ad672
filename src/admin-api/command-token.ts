import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";

/** Lifetime of a token: longer than any request, too short to be found in a log in time. */
const LIFETIME_SECONDS = 300;

/** The page where the first administrator connects the SSO, and how long a link to it works: there is a deployment in between. */
export const SETUP_PATH = "/setup";
export const SETUP_LIFETIME_SECONDS = 3600;

const PURPOSE = "admin-command";

/** The actor in the audit. */
export const COMMAND_ACTOR = "command";

/**
 * Tokens for one path of one instance, which only somebody with the master keys can make. A command may be sent to another host by
 * mistake or on bad advice. Its token names the origin that it was made for, so whoever reads it there can't use it here.
 */
export class CommandTokens {
  readonly #keyring: Keyring;
  readonly #lifetimeSeconds: number;

  constructor(keyring: Keyring, lifetimeSeconds = LIFETIME_SECONDS) {
    this.#keyring = keyring;
    this.#lifetimeSeconds = lifetimeSeconds;
  }

  /** Makes a token. @param origin of the instance, to which the command is sent */
  async make(instance: string, origin: string, path: string): Promise<string> {
    const expiresAt = epochSeconds() + this.#lifetimeSeconds;
    return `${expiresAt}.${await this.#keyring.mac(PURPOSE, textOf(instance, origin, path, expiresAt))}`;
  }

  /** Checks whether {@link make} made a token for this request, and it has not expired. */
  async isValid(token: string, { issuer, policy }: RequestInstance, path: string): Promise<boolean> {
    const [, expires = "", mac = ""] = /^(\d{1,12})\.([\w-]+)$/.exec(token) ?? [];
    const expiresAt = Number(expires);
    const now = epochSeconds();
    if (mac === "" || expiresAt < now || expiresAt > now + this.#lifetimeSeconds) return false;
    return this.#keyring.verifyMac(PURPOSE, textOf(policy.name, issuer, path, expiresAt), mac);
  }
}

function textOf(instance: string, origin: string, path: string, expiresAt: number): string {
  return JSON.stringify([instance, origin, path, expiresAt]);
}
