import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import type { PendingRequests } from "#authorization-requests/pending-requests.ts";
import type { TokenGrants } from "#grants/token-grants.ts";

/** A client that registered itself and that nobody has allowed within this time was an attempt. */
const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

export interface ClientSweeper {
  /** Deletes clients that nobody made by hand, nobody has ever allowed, and that are older than this, at most so many; how many. */
  sweep(createdBefore: number, rowsMax: number): Promise<number>;
}

/**
 * Removes what has expired: abandoned authorization requests, registrations that nobody used, and grants once no access token of theirs
 * can be alive.
 */
export class Sweep {
  readonly #pending: Pick<PendingRequests, "sweep">;
  readonly #grants: Pick<TokenGrants, "sweep">;
  readonly #clients: ClientSweeper;
  readonly #clock: Clock;

  constructor(
    pending: Pick<PendingRequests, "sweep">,
    grants: Pick<TokenGrants, "sweep">,
    clients: ClientSweeper,
    clock: Clock,
  ) {
    this.#pending = pending;
    this.#grants = grants;
    this.#clients = clients;
    this.#clock = clock;
  }

  /** @returns how many of each were removed */
  async run(): Promise<Readonly<Record<string, number>>> {
    const now = this.#clock();
    return {
      authorizationRequests: await inBatches((rowsMax) => this.#pending.sweep(now, rowsMax)),
      grants: await inBatches((rowsMax) => this.#grants.sweep(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX, rowsMax)),
      clients: await inBatches((rowsMax) => this.#clients.sweep(now - UNUSED_CLIENT_SECONDS, rowsMax)),
    };
  }
}
