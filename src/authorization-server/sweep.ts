import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import type { PendingRequests } from "#authorization-requests/pending-requests.ts";
import type { Registrations } from "#clients/registrations.ts";
import type { TokenGrants } from "#grants/token-grants.ts";

/** A client that registered itself and that nobody has allowed within this time was an attempt. */
const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

/** A client that registered itself is deleted when it has no grant and nobody has allowed it for half a year. */
const ABANDONED_CLIENT_SECONDS = 180 * 24 * 3600;

/**
 * Removes what has expired: abandoned authorization requests, registrations that nobody used or uses any more, and grants once no access token of theirs
 * can be alive.
 */
export class Sweep {
  readonly #pending: Pick<PendingRequests, "sweep">;
  readonly #grants: Pick<TokenGrants, "sweep">;
  readonly #clients: Pick<Registrations, "sweep" | "sweepAbandoned">;
  readonly #clock: Clock;

  constructor(
    pending: Pick<PendingRequests, "sweep">,
    grants: Pick<TokenGrants, "sweep">,
    clients: Pick<Registrations, "sweep" | "sweepAbandoned">,
    clock: Clock,
  ) {
    this.#pending = pending;
    this.#grants = grants;
    this.#clients = clients;
    this.#clock = clock;
  }

  /** Anybody can make these, from many networks more than an hourly run removes. @returns how many were removed */
  async runOften(): Promise<Readonly<Record<string, number>>> {
    return { authorizationRequests: await inBatches((rowsMax) => this.#pending.sweep(this.#clock(), rowsMax)) };
  }

  /** @returns how many of each were removed */
  async run(): Promise<Readonly<Record<string, number>>> {
    const now = this.#clock();
    return {
      grants: await inBatches((rowsMax) => this.#grants.sweep(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX, rowsMax)),
      clients: await inBatches((rowsMax) => this.#clients.sweep(now - UNUSED_CLIENT_SECONDS, rowsMax)),
      abandonedClients: await inBatches((rowsMax) =>
        this.#clients.sweepAbandoned(now - ABANDONED_CLIENT_SECONDS, rowsMax),
      ),
    };
  }
}
