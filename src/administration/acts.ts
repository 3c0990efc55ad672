import type { AuditEntry } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import type { Clock } from "#platform/clock.ts";
import type { ActInstance } from "./act-instance.ts";
import type { TakeEffect } from "./take-effect.ts";

/**
 * What every class of acts shares. Its public methods are the acts: tests take them from the class and ask of each that its audit
 * entry stands in its own batch and that every face that offers it calls it, so a public method that decides nothing belongs elsewhere.
 */
export abstract class Acts {
  protected readonly takeEffect: TakeEffect;
  /** The time, in seconds. */
  protected readonly now: Clock;

  constructor(takeEffect: TakeEffect, clock: Clock) {
    this.takeEffect = takeEffect;
    this.now = clock;
  }

  /** The audit entry of an act that happens now. */
  protected entry<Event extends AuditEvent>(
    { id: instanceId }: ActInstance,
    actor: string,
    event: Event,
    detail: AuditDetails[Event],
  ): AuditEntry<Event> {
    return { instanceId, at: this.now(), actor, event, detail };
  }

  /** Ends an act. What changed takes effect; where nothing did there is nothing to take effect. @returns `changed` */
  protected async concluded(instance: ActInstance, changed: boolean): Promise<boolean> {
    if (changed) await this.takeEffect(instance);
    return changed;
  }
}
