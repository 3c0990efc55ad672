import { AuditDelivery } from "#audit/audit-delivery.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { AuditRetention } from "#audit/audit-retention.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { sweepGrantsAndClients, sweepPendingRequests } from "#authorization-server/sweep.ts";
import { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import type { Alerts } from "#doctor/alerts.ts";
import type { DocumentMoves } from "#documents/moving/move.ts";
import { sweepPolicyChanges } from "#instance/policy-snapshot.ts";
import { Maintenance, runTasks } from "#maintenance/maintenance.ts";
import { sweepReleasedPeople } from "#people/released-people.ts";
import type { Clock } from "#platform/clock.ts";
import { sweepEndedTokens } from "#service-tokens/token-listing.ts";
import { Sessions } from "#session/session.ts";
import { SpentIds } from "#spent-ids/spent-ids.ts";
import type { UnfoundWords } from "#glossary/unfound-words.ts";
import { Usage } from "#usage/usage.ts";
import type { Stores } from "./stores.ts";

/** The services with periodic tasks. */
interface Kept {
  readonly alerts: Alerts;
  readonly audit: AuditLog;
  readonly auditDelivery: AuditDelivery;
  readonly auditRetention: AuditRetention;
  readonly connectionAttempts: ConnectionAttempts;
  readonly documentMoves: DocumentMoves;
  readonly sessions: Sessions;
  readonly signingKeys: SigningKeys;
  readonly spentIds: SpentIds;
  readonly unfoundWords: UnfoundWords;
  readonly usage: Usage;
  readonly clock: Clock;
}

/** Creates the tasks of both triggers: `maintenance` is everything, each hour; `eachMinute` is a part of it. */
export function createUpkeep(stores: Stores, kept: Kept) {
  const { alerts, audit, auditDelivery, auditRetention, connectionAttempts, documentMoves } = kept;
  const { sessions, signingKeys, spentIds, unfoundWords, usage, clock } = kept;
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
