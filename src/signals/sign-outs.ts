import type { SignalServices } from "./signal-services.ts";
import type { SpentIdPurpose } from "#spent-ids/spent-ids.d1.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ssoSessionOf } from "#single-sign-on/sign-in.ts";
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
  /** When it happened, in seconds, if it comes late: what stems from a later sign-in stays. */
  readonly until?: number | undefined;
}

/**
 * Does what a message asks for, and then spends its id: if a delivery fails anywhere, the next one can still act. Two concurrent
 * deliveries may both act, which ends no more than one of them would.
 *
 * @returns what the act returned; `null` if the message was used before
 */
export async function once<Done>(
  { spentIds }: Pick<SignalServices, "spentIds">,
  { instanceId }: Pick<PolicySnapshot, "instanceId">,
  purpose: SpentIdPurpose,
  { sender, id, goodUntil }: SignedMessage<SignalSender>,
  act: () => Promise<Done>,
): Promise<Done | null> {
  const used = { instanceId, purpose, sender: sender.issuer, id };
  if (await spentIds.isSpent(used)) return null;
  const done = await act();
  await spentIds.spend({ ...used, expiresAt: goodUntil });
  return done;
}

/**
 * Records a signal and carries it out, everywhere within the age of a policy snapshot. The person may sign in again.
 *
 * @returns what was ended; `unknown` if the subject is nobody here, or somebody for whom the sender may not speak
 */
export async function applySignal(
  services: SignalServices,
  policy: Pick<PolicySnapshot, "instanceId" | "name">,
  signal: Signal,
): Promise<Effect | "unknown"> {
  const { audit, policySnapshots, signOuts } = services;
  const { instanceId, name } = policy;
  const reach = await reachOf(services, instanceId, signal);
  const { sender, event, subject, withOffline, until } = signal;
  const { personId, ssoSession } = reach;
  const entry: AuditEntry<"signal_received"> = {
    instanceId,
    at: epochSeconds(),
    actor: `signal:${sender.issuer}`,
    event: "signal_received",
    detail: {
      event,
      effect: reach.effect === "unknown" ? "none" : reach.effect,
      ...(personId === undefined ? {} : { personId }),
      ...(until === undefined ? {} : { until: Math.floor(until) }),
      ...(reach.effect === "unknown" && subject ? { subject: describeSubject(subject) } : {}),
    },
  };
  if (ssoSession !== undefined) await signOuts.endSsoSession({ ssoSession, personId, withOffline, until }, entry);
  else if (reach.effect === "person" && personId !== undefined) {
    const atMilliseconds = until === undefined ? Date.now() : Math.ceil(until * 1000);
    await signOuts.signOutPerson(personId, { atMilliseconds, until }, entry);
  } else await signOuts.record(entry);
  if (reach.effect !== "none" && reach.effect !== "unknown") policySnapshots.expire(name);
  await audit.seal(instanceId);
  return reach.effect;
}

async function reachOf(
  { namedPeople, signOuts }: SignalServices,
  instanceId: number,
  { sender, subject, effect, withOffline }: Signal,
): Promise<Reach> {
  if (effect === "none" || !subject) return { effect: "none" };
  const named = await namedPeople.named(instanceId, withinReach(sender, subject.person));
  const person = named && speaksFor(sender, named) ? { personId: named.id } : undefined;
  // If nobody is named, the session's person is unknown. A transmitter with email domains could end a session of somebody outside
  // them, so it needs a name. An SSO can only name sessions of its own.
  const isWhole = subject.person.length === 0 && (!sender.isTransmitter || sender.emailDomains.length === 0);
  if (effect === "session" && subject.session !== undefined && (person || isWhole)) {
    const ssoSession = await ssoSessionOf(sender.issuer, subject.session);
    // If a transmitter revokes a session that is unknown here, all access of its person ends. If the SSO ends an unknown session,
    // nothing changes.
    const isMeant =
      !withOffline || !person || (await signOuts.knowsSsoSession(instanceId, ssoSession, person.personId));
    if (isMeant) return { effect, ssoSession, ...person };
  }
  return person ? { effect: "person", ...person } : { effect: "unknown" };
}

/** What a signal ends here. */
interface Reach {
  readonly effect: Effect | "unknown";
  readonly personId?: string;
  readonly ssoSession?: string;
}
