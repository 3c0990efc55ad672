import type { AuditEntry } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import type { Clock } from "#platform/clock.ts";
import type { ActInstance } from "./act-instance.ts";
import type { Authority } from "./authority.ts";
import type { TakeEffect } from "./take-effect.ts";

/** Who decides, and about which instance. */
export interface Decider {
  readonly instance: ActInstance;
  /** The actor in the audit. */
  readonly actor: string;
  readonly authority: Authority;
}

interface ActParts {
  readonly takeEffect: TakeEffect;
  readonly clock: Clock;
}

/**
 * The base class of all acts. Each public method is an act: tests list the methods and check that each one writes its audit entry
 * in its own batch, and that the console, the commands and the APIs call it. Put public methods that decide nothing elsewhere.
 */
export abstract class Acts<Parts> {
  protected readonly parts: Parts;
  protected readonly takeEffect: TakeEffect;
  /** Returns the time, in seconds. */
  protected readonly now: Clock;

  /** @param parts what the acts of the class need besides, such as their store */
  constructor({ takeEffect, clock }: ActParts, parts: Parts) {
    this.parts = parts;
    this.takeEffect = takeEffect;
    this.now = clock;
  }
}

/** Acts about one instance, made for whoever decides. */
export abstract class BoundActs<Parts> extends Acts<Parts> {
  protected readonly by: Decider;

  constructor(common: ActParts & { readonly by: Decider }, parts: Parts) {
    super(common, parts);
    this.by = common.by;
  }

  protected get instance(): ActInstance {
    return this.by.instance;
  }

  /** Builds the audit entry of an act that happens now. */
  protected entry<Event extends AuditEvent>(event: Event, detail: AuditDetails[Event]): AuditEntry<Event> {
    return { instanceId: this.instance.id, at: this.now(), actor: this.by.actor, event, detail };
  }

  /** Ends an act: if it changed something, the change takes effect. @returns `changed` */
  protected async concluded(changed: boolean): Promise<boolean> {
    if (changed) await this.takeEffect(this.instance);
    return changed;
  }
}
