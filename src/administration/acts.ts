import type { AuditEntry } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import { epochSeconds } from "#platform/clock.ts";
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
  readonly by: Decider;
}

/**
 * The base class of acts about one instance, made for whoever decides. Each public method is an act: tests list the methods and check
 * that each one writes its audit entry in its own batch, and that the console, the commands and the APIs call it. Put public methods
 * that decide nothing elsewhere.
 */
export abstract class Acts<Parts> {
  protected readonly parts: Parts;
  protected readonly by: Decider;
  readonly #takeEffect: TakeEffect;

  /** @param parts what the acts of the class need besides, such as their store */
  constructor({ takeEffect, by }: ActParts, parts: Parts) {
    this.parts = parts;
    this.by = by;
    this.#takeEffect = takeEffect;
  }

  protected get instance(): ActInstance {
    return this.by.instance;
  }

  /** Builds the audit entry of an act that happens now. */
  protected entry<Event extends AuditEvent>(event: Event, detail: AuditDetails[Event]): AuditEntry<Event> {
    return { instanceId: this.instance.id, at: epochSeconds(), actor: this.by.actor, event, detail };
  }

  /** Ends an act: if it changed something, the change takes effect. @returns `changed` */
  protected async concluded(changed: boolean): Promise<boolean> {
    if (changed) await this.#takeEffect(this.instance);
    return changed;
  }
}
