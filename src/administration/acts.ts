import type { AuditEntry } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { ActInstance } from "./act-instance.ts";
import type { Authority } from "./authority.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";

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

/** Somebody else may change the same thing between a read and the write, but hardly twenty times in a row. */
const ATTEMPTS_MAX = 20;

/**
 * Throws if the stored value is not what the administrator saw. Called before each attempt; its write depends on the check.
 */
export type RequireSeen<Current> = (current: Current) => Promise<void>;

/**
 * Changes a part of a stored value and keeps what others change in the meantime: the new value is made from the stored one, and
 * written only if that one is still stored. Otherwise it tries again.
 *
 * @param attempt makes and writes the change; returns `undefined` if the stored value has changed in the meantime
 * @throws {AdministrationRefused} if others keep changing it, and whatever `attempt` throws
 */
export async function changeFromCurrent<Current, Outcome>(
  read: () => Promise<Current>,
  attempt: (current: Current) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  for (let count = 1; count <= ATTEMPTS_MAX; count += 1) {
    const outcome = await attempt(await read());
    if (outcome !== undefined) return outcome;
  }
  throw new AdministrationRefused("Somebody else is changing this right now: try again");
}

/**
 * Runs after every act that changed something, so that no caller has to: this isolate reads the policy again at its next request,
 * the others within the age of a snapshot, and the audit entry that the act's batch wrote is sealed.
 */
type TakeEffect = (instance: ActInstance) => Promise<void>;

export function effectOn(snapshots: Pick<PolicySnapshots, "expire">, audit: Pick<AuditLog, "seal">): TakeEffect {
  return async ({ id, name }) => {
    snapshots.expire(name);
    await audit.seal(id);
  };
}
