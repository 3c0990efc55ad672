import type { AuditLog } from "#audit/audit-log.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { Clock } from "#platform/clock.ts";
import type { EndReason, GrantScope } from "./ending.ts";
import type { D1Grants } from "./grants.d1.ts";

/** Ends the access that apps were granted. Administrators do so by their acts. */
export class GrantEndings {
  readonly #store: D1Grants;
  readonly #snapshots: PolicySnapshots;
  readonly #audit: Pick<AuditLog, "seal">;
  readonly #clock: Clock;

  constructor(store: D1Grants, snapshots: PolicySnapshots, audit: Pick<AuditLog, "seal">, clock: Clock) {
    this.#store = store;
    this.#snapshots = snapshots;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * Ends the grants of a scope and writes that to the audit. Codes and refresh tokens stop working at once, running access tokens
   * within the age of a policy snapshot.
   *
   * @param actor as in `AuditEntry`
   * @returns how many grants ended
   */
  async end(
    { instanceId, name }: Pick<PolicySnapshot, "instanceId" | "name">,
    scope: GrantScope,
    reason: EndReason,
    actor: string,
  ): Promise<number> {
    const ended = await this.#store.end({ instanceId, scope, reason, actor, at: this.#clock() });
    if (ended > 0) {
      this.#snapshots.expire(name);
      await this.#audit.seal(instanceId);
    }
    return ended;
  }
}
