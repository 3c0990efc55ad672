import { isObject } from "#protocol/json-object.ts";
import { hashToken } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { SecurityEventError } from "#protocol/errors.ts";
import { effectOf, nameOf, timeOf, VERIFICATION } from "./event-effects.ts";
import { applySignal, once, type Signal } from "./sign-outs.ts";
import type { SignalServices } from "./signal-services.ts";
import { type Refuse, SECURITY_EVENT_TOKEN, verifyMessage } from "./signed-message.ts";
import { parseSubject } from "./subject.ts";
import { senderOf } from "./transmitter.ts";

/**
 * Maximum events of a token. A security event token has one event (Shared Signals Framework 1.0 §4.1.6); older transmitters send a
 * few about one subject.
 */
const EVENTS_MAX = 10;

const refuse: Refuse = (problem, reason, description) => new SecurityEventError(problem, { reason, description });

/**
 * Verifies a security event token that a transmitter pushes (RFC 8935, Shared Signals Framework 1.0) and carries out its events. A repeated token is accepted and changes nothing, because its
 * transmitter may not have received the first response (RFC 8935 §2).
 *
 * @param authorization the request's Authorization header, for transmitters that send a secret
 * @throws {SecurityEventError} for anything other than a security event token of a transmitter of this instance
 */
export async function receiveEvents(
  services: SignalServices,
  { policy, issuer: here }: RequestInstance,
  token: string,
  authorization: string | undefined,
  waitUntil: WaitUntil,
): Promise<void> {
  const message = await verifyMessage(services, token, {
    senderOf: async (issuer) => {
      const transmitter = await services.transmitters.find(policy.instanceId, issuer);
      if (!transmitter) return undefined;
      const { authorizationHash: wanted } = transmitter;
      if (wanted !== null && (await hashToken(authorization ?? "")) !== wanted) {
        const description = "The Authorization header is not the one that was entered for this transmitter";
        throw refuse("authentication_failed", "signal_authorization_wrong", description);
      }
      return { ...senderOf(transmitter, policy), audience: transmitter.configuration.audience };
    },
    audienceOf: ({ audience }) => audience,
    kind: SECURITY_EVENT_TOKEN,
    refuse,
    waitUntil,
  });
  const { sender, claims } = message;
  const events = eventsOf(claims["events"]);
  const signals = events.map(([type, event]): Signal => {
    const subject = parseSubject(claims["sub_id"] ?? event["subject"], { sender: sender.issuer, here });
    const effect = effectOf(type, event);
    if (effect !== "none" && !subject) {
      throw refuse("invalid_request", "signal_subject_missing", "The subject is missing, or of an unknown format");
    }
    const until = timeOf(event, claims, epochSeconds());
    return { sender, event: nameOf(type), subject, effect, withOffline: true, until };
  });
  await once(services, policy, "security_event", message, async () => {
    for (const signal of withoutRepetitions(signals)) await applySignal(services, policy, signal);
    if (!events.some(([type]) => type === VERIFICATION)) return;
    await services.transmitters.noteVerified(policy.instanceId, sender.issuer, epochSeconds());
  });
}

/**
 * Joins signals with the same effect on the same subject at the same time into one that names all their events, because access has to end only once.
 */
function withoutRepetitions(signals: readonly Signal[]): Signal[] {
  const alike = Map.groupBy(signals, ({ subject, effect, until }) => JSON.stringify([effect, subject, until]));
  return [...alike.values()].flatMap(([signal, ...others]) =>
    signal ? [{ ...signal, event: [signal, ...others].map(({ event }) => event).join(", ") }] : [],
  );
}

function eventsOf(events: unknown): [type: string, event: Readonly<Record<string, unknown>>][] {
  const all = isObject(events) ? Object.entries(events) : [];
  const known = all.flatMap(([type, event]): [string, Readonly<Record<string, unknown>>][] =>
    isObject(event) ? [[type, event]] : [],
  );
  if (known.length === 0 || known.length !== all.length || all.length > EVENTS_MAX) {
    throw refuse(
      "invalid_request",
      "signal_event_missing",
      `The token must have 1 to ${EVENTS_MAX} events, each an object`,
    );
  }
  return known;
}
