import type { AuditTrail } from "#audit/audit.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ActInstance } from "./act-instance.ts";

/**
 * What follows every act that changed something, so that faces don't have to: this isolate reads the policy again at its next request,
 * and the others within the age of a snapshot; the audit entry that the act's batch wrote is sealed.
 */
export type TakeEffect = (instance: ActInstance) => Promise<void>;

export function effectOn(snapshots: Pick<PolicySnapshots, "expire">, audit: Pick<AuditTrail, "seal">): TakeEffect {
  return async ({ id, name }) => {
    snapshots.expire(name);
    await audit.seal(id);
  };
}
