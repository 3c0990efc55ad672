import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { EndReason, GrantScope } from "./ending.ts";
import type { D1Grants } from "./grants.d1.ts";

/** What follows the end of grants: the policy is read again, and the audit sealed. */
type TakeEffect = (instance: { readonly id: number; readonly name: string }) => Promise<void>;

/** Ends the access that apps were granted. Administrators do so by their acts. */
export class GrantEndings {
  readonly #store: D1Grants;
  readonly #takeEffect: TakeEffect;

  constructor(store: D1Grants, takeEffect: TakeEffect) {
    this.#store = store;
    this.#takeEffect = takeEffect;
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
    const ended = await this.#store.end({ instanceId, scope, reason, actor, at: epochSeconds() });
    if (ended > 0) await this.#takeEffect({ id: instanceId, name });
    return ended;
  }
}
