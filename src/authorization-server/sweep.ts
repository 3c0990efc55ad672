import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";
import type { PendingRequests } from "#authorization-requests/pending-requests.ts";
import type { TokenGrants } from "#grants/token-grants.ts";

/** A client that registered itself and that nobody has allowed within this time was an attempt. */
const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

export interface ClientSweeper {
  /** Deletes clients that nobody made by hand, nobody has ever allowed, and that are older than this; how many. */
  sweep(createdBefore: number): Promise<number>;
}

export interface SessionSweeper {
  /** Deletes sessions that have expired; how many. */
  sweep(now: number): Promise<number>;
}

/**
 * Removes what has expired: sessions, abandoned authorization requests, registrations that nobody used, and grants once no access token
 * of theirs can be alive.
 */
export class Sweep {
  readonly #pending: Pick<PendingRequests, "sweep">;
  readonly #grants: Pick<TokenGrants, "sweep">;
  readonly #clients: ClientSweeper;
  readonly #sessions: SessionSweeper;
  readonly #clock: Clock;

  constructor(
    pending: Pick<PendingRequests, "sweep">,
    grants: Pick<TokenGrants, "sweep">,
    clients: ClientSweeper,
    sessions: SessionSweeper,
    clock: Clock,
  ) {
    this.#pending = pending;
    this.#grants = grants;
    this.#clients = clients;
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** @returns how many of each were removed */
  async run(): Promise<Readonly<Record<string, number>>> {
    const now = this.#clock();
    return {
      authorizationRequests: await this.#pending.sweep(now),
      grants: await this.#grants.sweep(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX),
      clients: await this.#clients.sweep(now - UNUSED_CLIENT_SECONDS),
      sessions: await this.#sessions.sweep(now),
    };
  }
}
