import type { AuditEntry } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import type { Clock } from "#platform/clock.ts";
import type { ActInstance } from "./act-instance.ts";
import type { TakeEffect } from "./take-effect.ts";

/**
 * The base class of all acts. Each public method is an act: tests list the methods and check that each one writes its audit entry
 * in its own batch, and that the console, the commands and the APIs call it. Put public methods that decide nothing elsewhere.
 */
export abstract class Acts {
  protected readonly takeEffect: TakeEffect;
  /** Returns the time, in seconds. */
  protected readonly now: Clock;

  constructor(takeEffect: TakeEffect, clock: Clock) {
    this.takeEffect = takeEffect;
    this.now = clock;
  }

  /** Builds the audit entry of an act that happens now. */
  protected entry<Event extends AuditEvent>(
    { id: instanceId }: ActInstance,
    actor: string,
    event: Event,
    detail: AuditDetails[Event],
  ): AuditEntry<Event> {
    return { instanceId, at: this.now(), actor, event, detail };
  }

  /** Ends an act: if it changed something, the change takes effect. @returns `changed` */
  protected async concluded(instance: ActInstance, changed: boolean): Promise<boolean> {
    if (changed) await this.takeEffect(instance);
    return changed;
  }
}
