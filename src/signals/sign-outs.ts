import type { AuditEntry, AuditTrail } from "#audit/audit.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { NamedPeople } from "#people/named-people.ts";
import type { Clock, MillisecondClock } from "#platform/clock.ts";
import { ssoSessionOf } from "#single-sign-on/sign-in.ts";
import type { SpentIdPurpose, SpentIds } from "#spent-ids/spent-ids.ts";
import { type SignalSender, speaksFor, withinReach } from "./sender.ts";
import type { SignedMessage } from "./signed-message.ts";
import { describeSubject, type SignalSubject } from "./subject.ts";

/**
 * The scope of a sign-out. `session`: what was opened in one session at the SSO. `person`: all access of the person.
 */
export type Effect = "person" | "session" | "none";

/** A sender's report of one event. */
export interface Signal {
  readonly sender: SignalSender;
  /** The event's name in the audit. */
  readonly event: string;
  readonly subject: SignalSubject | undefined;
  readonly effect: Effect;
  /** Whether a session's end also ends access that people asked to keep while they are away. */
  readonly withOffline: boolean;
}

/** Writes a signal's effect with its audit entry, in one transaction. */
export interface SignOutStore {
  /** Ends the person's grants, sessions, service-issued tokens and requests under way, and refuses external tokens from before. */
  signOutPerson(personId: string, atMilliseconds: number, entry: AuditEntry<"signal_received">): Promise<void>;
  /**
   * Ends the sessions and grants that were opened in a session at the SSO, and the requests that are under way in it.
   *
   * @param personId the person, if the signal names one: two people may share a browser, and so a session
   */
  endSsoSession(
    session: { readonly ssoSession: string; readonly personId: string | undefined; readonly withOffline: boolean },
    entry: AuditEntry<"signal_received">,
  ): Promise<void>;
  /** Checks whether a person has a session or grant that was opened in a session at the SSO. */
  knowsSsoSession(instanceId: number, ssoSession: string, personId: string): Promise<boolean>;
  record(entry: AuditEntry<"signal_received">): Promise<void>;
}

/** Signs people out when a trusted sender reports it. */
export class SignOuts {
  readonly #store: SignOutStore;
  readonly #people: NamedPeople;
  readonly #spentIds: SpentIds;
  readonly #snapshots: Pick<PolicySnapshots, "expire">;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;
  readonly #millisecondClock: MillisecondClock;

  constructor(
    store: SignOutStore,
    people: NamedPeople,
    spentIds: SpentIds,
    snapshots: Pick<PolicySnapshots, "expire">,
    audit: AuditTrail,
    clock: Clock,
    millisecondClock: MillisecondClock,
  ) {
    this.#store = store;
    this.#people = people;
    this.#spentIds = spentIds;
    this.#snapshots = snapshots;
    this.#audit = audit;
    this.#clock = clock;
    this.#millisecondClock = millisecondClock;
  }

  /**
   * Does what a message asks for, and then spends its id: if a delivery fails anywhere, the next one can still act. Two concurrent
   * deliveries may both act, which ends no more than one of them would.
   *
   * @returns what the act returned; `null` if the message was used before
   */
  async once<Done>(
    { instanceId }: Pick<PolicySnapshot, "instanceId">,
    purpose: SpentIdPurpose,
    { sender, id, goodUntil }: SignedMessage<SignalSender>,
    act: () => Promise<Done>,
  ): Promise<Done | null> {
    const used = { instanceId, purpose, sender: sender.issuer, id };
    if (await this.#spentIds.isSpent(used)) return null;
    const done = await act();
    await this.#spentIds.spend({ ...used, expiresAt: goodUntil });
    return done;
  }

  /**
   * Records a signal and carries it out, everywhere within the age of a policy snapshot. The person may sign in again.
   *
   * @returns what was ended; `unknown` if the subject is nobody here, or somebody for whom the sender may not speak
   */
  async apply(policy: Pick<PolicySnapshot, "instanceId" | "name">, signal: Signal): Promise<Effect | "unknown"> {
    const { instanceId, name } = policy;
    const reach = await this.#reachOf(instanceId, signal);
    const { sender, event, subject, withOffline } = signal;
    const { personId, ssoSession } = reach;
    const entry: AuditEntry<"signal_received"> = {
      instanceId,
      at: this.#clock(),
      actor: `signal:${sender.issuer}`,
      event: "signal_received",
      detail: {
        event,
        effect: reach.effect === "unknown" ? "none" : reach.effect,
        ...(personId === undefined ? {} : { personId }),
        ...(reach.effect === "unknown" && subject ? { subject: describeSubject(subject) } : {}),
      },
    };
    if (ssoSession !== undefined) await this.#store.endSsoSession({ ssoSession, personId, withOffline }, entry);
    else if (reach.effect === "person" && personId !== undefined) {
      await this.#store.signOutPerson(personId, this.#millisecondClock(), entry);
    } else await this.#store.record(entry);
    if (reach.effect !== "none" && reach.effect !== "unknown") this.#snapshots.expire(name);
    await this.#audit.seal(instanceId);
    return reach.effect;
  }

  async #reachOf(instanceId: number, { sender, subject, effect, withOffline }: Signal): Promise<Reach> {
    if (effect === "none" || !subject) return { effect: "none" };
    const named = await this.#people.named(instanceId, withinReach(sender, subject.person));
    const person = named && speaksFor(sender, named.email) ? { personId: named.id } : undefined;
    // A session without a named person may belong to somebody for whom the sender may not speak.
    const isWhole = subject.person.length === 0 && sender.emailDomains.length === 0;
    if (effect === "session" && subject.session !== undefined && (person || isWhole)) {
      const ssoSession = await ssoSessionOf(sender.issuer, subject.session);
      // If a transmitter revokes a session that is unknown here, all access of its person ends. If the SSO ends an unknown session,
      // nothing changes.
      const isMeant =
        !withOffline || !person || (await this.#store.knowsSsoSession(instanceId, ssoSession, person.personId));
      if (isMeant) return { effect, ssoSession, ...person };
    }
    return person ? { effect: "person", ...person } : { effect: "unknown" };
  }
}

/** What a signal ends here. */
interface Reach {
  readonly effect: Effect | "unknown";
  readonly personId?: string;
  readonly ssoSession?: string;
}
