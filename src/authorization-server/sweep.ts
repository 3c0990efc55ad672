import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import { inBatches } from "#platform/sweep.ts";
import type { PendingRequests } from "#authorization-requests/pending-requests.ts";
import type { Registrations } from "#clients/registrations.ts";
import type { TokenGrants } from "#grants/token-grants.ts";

/** A client that registered itself and that nobody has allowed within this time was an attempt. */
const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

/** A client that registered itself is deleted when it has no grant and nobody has allowed it for half a year. */
const ABANDONED_CLIENT_SECONDS = 180 * 24 * 3600;

/** Removes authorization requests that nobody finished in time; how many. */
export function sweepPendingRequests(requests: Pick<PendingRequests, "sweep">, now: number): Promise<number> {
  return inBatches((rowsMax) => requests.sweep(now, rowsMax));
}

/**
 * Removes registrations that nobody used or uses any more, and grants once no access token of theirs can be alive.
 *
 * @returns how many of each were removed
 */
export async function sweepGrantsAndClients(
  grants: Pick<TokenGrants, "sweep">,
  clients: Pick<Registrations, "sweep" | "sweepAbandoned">,
  now: number,
): Promise<Readonly<Record<string, number>>> {
  return {
    grants: await inBatches((rowsMax) => grants.sweep(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX, rowsMax)),
    clients: await inBatches((rowsMax) => clients.sweep(now - UNUSED_CLIENT_SECONDS, rowsMax)),
    abandonedClients: await inBatches((rowsMax) => clients.sweepAbandoned(now - ABANDONED_CLIENT_SECONDS, rowsMax)),
  };
}
