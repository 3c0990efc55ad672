import type { D1Registrations } from "#clients/registrations.d1.ts";
import type { D1TokenGrants } from "#grants/token-grants.d1.ts";
import type { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import { inBatches } from "#platform/sweep.ts";

/** How long a client that registered itself is kept if nobody ever allows it. After that, it was only an attempt. */
const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

/** How long a self-registered client without a grant is kept after somebody last allowed it: half a year. */
const ABANDONED_CLIENT_SECONDS = 180 * 24 * 3600;

/** Deletes authorization requests that have expired. Returns how many. */
export function sweepPendingRequests(requests: Pick<D1PendingRequests, "sweep">, now: number): Promise<number> {
  return inBatches((rowsMax) => requests.sweep(now, rowsMax));
}

/**
 * Deletes registrations that were never used or are abandoned, and grants that ended so long ago that all of their access tokens
 * have expired.
 *
 * @returns how many of each were deleted
 */
export async function sweepGrantsAndClients(
  grants: Pick<D1TokenGrants, "sweep">,
  clients: Pick<D1Registrations, "sweep" | "sweepAbandoned">,
  now: number,
): Promise<Readonly<Record<string, number>>> {
  return {
    grants: await inBatches((rowsMax) => grants.sweep(now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX, rowsMax)),
    clients: await inBatches((rowsMax) => clients.sweep(now - UNUSED_CLIENT_SECONDS, rowsMax)),
    abandonedClients: await inBatches((rowsMax) => clients.sweepAbandoned(now - ABANDONED_CLIENT_SECONDS, rowsMax)),
  };
}
