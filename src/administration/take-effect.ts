import type { AuditLog } from "#audit/audit-log.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ActInstance } from "./act-instance.ts";

/**
 * Runs after every act that changed something, so that no caller has to: this isolate reads the policy again at its next request,
 * the others within the age of a snapshot, and the audit entry that the act's batch wrote is sealed.
 */
export type TakeEffect = (instance: ActInstance) => Promise<void>;

export function effectOn(snapshots: Pick<PolicySnapshots, "expire">, audit: Pick<AuditLog, "seal">): TakeEffect {
  return async ({ id, name }) => {
    snapshots.expire(name);
    await audit.seal(id);
  };
}
