import { ABANDONED_CLIENT_SECONDS, UNUSED_CLIENT_SECONDS } from "#clients/registrations.ts";
import { STEPS_KEPT_SECONDS } from "#connection-attempts/connection-attempts.ts";
import type { Alerts } from "#doctor/alerts.ts";
import { runMaintenance, runTasks } from "#maintenance/maintenance.ts";
import { RELEASED_KEPT_SECONDS } from "#people/people.ts";
import { epochSeconds } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import { ENDED_LISTED_SECONDS } from "#service-tokens/token-listing.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "#settings/settings.ts";
import type { Shared } from "./shared.ts";

/** Creates the tasks of both triggers: `eachHour` is everything; `eachMinute` is a part of it. */
export function createUpkeep(shared: Shared, alerts: Alerts) {
  const { stores, audit, auditDelivery, auditRetention, documentMoves } = shared;
  const { signingKeys, spentIds, unfoundWords, usage } = shared;
  const { pendingRequests, registrations, tokenGrants } = stores;
  /** Deletes rows of a store that ended long enough ago. */
  const swept = (store: { sweep(endedBefore: number, rowsMax: number): Promise<number> }, keptSeconds = 0) =>
    inBatches((rowsMax) => store.sweep(epochSeconds() - keptSeconds, rowsMax));
  // The first two delete rows that anybody can cause. A few networks can cause more of them than an hourly run deletes.
  const frequentTasks = [
    {
      name: "abandoned sign-ins",
      run: async () => ({
        authorizationRequests: await swept(pendingRequests),
        signIns: await swept({ sweep: (...rows) => stores.sessions.sweepSignIns(...rows) }),
      }),
    },
    { name: "spent ids", run: async () => ({ spentIds: await spentIds.sweep() }) },
    { name: "audit seals", run: async () => ({ auditsSealed: await audit.sealAll() }) },
    // The platform drops an object's alarm that failed several times. A move that stopped there would refuse writes for ever.
    { name: "document moves", run: async () => ({ documentMoves: await documentMoves.goOnWithAll() }) },
    // The last task, because it waits for other servers.
    { name: "audit delivery", run: async () => ({ auditDelivered: await auditDelivery.run() }) },
  ];
  const hourlyTasks = [
    { name: "signing keys", run: async () => ({ rotated: await signingKeys.rotateDue() }) },
    {
      name: "sweep",
      run: async () => ({
        grants: await swept(tokenGrants, ACCESS_TOKEN_LIFETIME_SECONDS_MAX),
        clients: await swept(registrations, UNUSED_CLIENT_SECONDS),
        abandonedClients: await swept(
          { sweep: (...rows) => registrations.sweepAbandoned(...rows) },
          ABANDONED_CLIENT_SECONDS,
        ),
      }),
    },
    { name: "sessions", run: async () => ({ sessions: await swept(stores.sessions) }) },
    {
      name: "policy changes",
      run: async () => ({ policyChanges: await inBatches((rowsMax) => stores.policy.sweepChanges(rowsMax)) }),
    },
    {
      name: "released people",
      run: async () => ({
        people: await swept({ sweep: (...rows) => stores.standings.sweepReleased(...rows) }, RELEASED_KEPT_SECONDS),
      }),
    },
    {
      name: "service tokens",
      run: async () => ({ serviceTokens: await swept(stores.serviceTokens, ENDED_LISTED_SECONDS) }),
    },
    { name: "unfound words", run: async () => ({ unfoundWords: await unfoundWords.sweep() }) },
    { name: "usage", run: async () => ({ usageCounts: await usage.sweep() }) },
    {
      name: "connection steps",
      run: async () => ({ connectionSteps: await swept(stores.connectionSteps, STEPS_KEPT_SECONDS) }),
    },
    { name: "audit", run: async () => ({ auditEntries: await auditRetention.trimOverdue() }) },
    ...frequentTasks,
    { name: "alerts", run: async () => ({ alertsSent: await alerts.run() }) },
  ];
  const requireServable = async () => {
    const fault = await stores.policy.schemaFault();
    if (fault !== null) throw new Error(fault);
    return {};
  };
  return {
    eachHour: () => runMaintenance(hourlyTasks, stores.maintenance),
    eachMinute: () => runTasks(frequentTasks),
    /** @throws {Error} if the tables are not those of this code, which must not delete rows from them then */
    requireServable: () => runTasks([{ name: "schema version", run: requireServable }]),
  };
}
