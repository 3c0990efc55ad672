import { sweepGrantsAndClients, sweepPendingRequests } from "#authorization-server/sweep.ts";
import type { Alerts } from "#doctor/alerts.ts";
import { sweepPolicyChanges } from "#instance/policy-snapshot.ts";
import { Maintenance, runTasks } from "#maintenance/maintenance.ts";
import { sweepReleasedPeople } from "#people/released-people.ts";
import { sweepEndedTokens } from "#service-tokens/token-listing.ts";
import type { Shared } from "./shared.ts";

/** Creates the tasks of both triggers: `maintenance` is everything, each hour; `eachMinute` is a part of it. */
export function createUpkeep(shared: Shared, alerts: Alerts) {
  const { stores, audit, auditDelivery, auditRetention, connectionAttempts, documentMoves } = shared;
  const { sessions, signingKeys, spentIds, unfoundWords, usage, clock } = shared;
  // The first two delete rows that anybody can cause. A few networks can cause more of them than an hourly run deletes.
  const frequentTasks = [
    {
      name: "abandoned sign-ins",
      run: async () => ({
        authorizationRequests: await sweepPendingRequests(stores.pendingRequests, clock()),
        signIns: await sessions.sweepSignIns(),
      }),
    },
    { name: "spent ids", run: async () => ({ spentIds: await spentIds.sweep() }) },
    { name: "audit seals", run: async () => ({ auditsSealed: await audit.sealAll() }) },
    // The platform drops an object's alarm that failed several times. A move that stopped there would refuse writes for ever.
    { name: "document moves", run: async () => ({ documentMoves: await documentMoves.goOnWithAll() }) },
    // The last task, because it waits for other servers.
    { name: "audit delivery", run: async () => ({ auditDelivered: await auditDelivery.run() }) },
  ];
  const maintenance = new Maintenance(
    [
      { name: "signing keys", run: async () => ({ rotated: await signingKeys.rotateDue() }) },
      { name: "sweep", run: () => sweepGrantsAndClients(stores.tokenGrants, stores.registrations, clock()) },
      { name: "sessions", run: async () => ({ sessions: await sessions.sweep() }) },
      { name: "policy changes", run: async () => ({ policyChanges: await sweepPolicyChanges(stores.policy) }) },
      {
        name: "released people",
        run: async () => ({ people: await sweepReleasedPeople(stores.releasedPeople, clock()) }),
      },
      {
        name: "service tokens",
        run: async () => ({ serviceTokens: await sweepEndedTokens(stores.serviceTokens, clock()) }),
      },
      { name: "unfound words", run: async () => ({ unfoundWords: await unfoundWords.sweep() }) },
      { name: "usage", run: async () => ({ usageCounts: await usage.sweep() }) },
      { name: "connection steps", run: async () => ({ connectionSteps: await connectionAttempts.sweep() }) },
      {
        name: "audit",
        run: async () => ({ auditEntries: await auditRetention.trimOverdue() }),
      },
      ...frequentTasks,
      { name: "alerts", run: async () => ({ alertsSent: await alerts.run() }) },
    ],
    stores.maintenance,
    clock,
  );
  const requireServable = async () => {
    const fault = await stores.policy.schemaFault();
    if (fault !== null) throw new Error(fault);
    return {};
  };
  return {
    maintenance,
    eachMinute: () => runTasks(frequentTasks),
    /** @throws {Error} if the tables are not those of this code, which must not delete rows from them then */
    requireServable: () => runTasks([{ name: "schema version", run: requireServable }]),
  };
}
