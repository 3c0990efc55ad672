import { CLOCK_TOLERANCE_SECONDS, isNumericDate } from "#protocol/numeric-date.ts";
import type { Effect } from "./sign-outs.ts";

const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
const RISC = "https://schemas.openid.net/secevent/risc/event-type/";

/** The event that a transmitter sends to show that its stream works (Shared Signals Framework 1.0 §8.1.4.1). */
export const VERIFICATION = "https://schemas.openid.net/secevent/ssf/event-type/verification";

type Event = Readonly<Record<string, unknown>>;

/**
 * What each event ends. The subject names the session. If it names none, or an unknown one, all access of the person ends. All
 * other events change nothing here.
 */
const EFFECTS: Readonly<Record<string, Effect | ((event: Event) => Effect)>> = {
  [`${CAEP}session-revoked`]: "session",
  // A new credential is no reason to distrust the person. A changed or revoked one may be.
  [`${CAEP}credential-change`]: ({ change_type: change }) => (change === "create" ? "none" : "person"),
  [`${CAEP}device-compliance-change`]: ({ current_status: status }) => (status === "compliant" ? "none" : "person"),
  [`${RISC}account-disabled`]: "person",
  [`${RISC}account-purged`]: "person",
  [`${RISC}account-credential-change-required`]: "person",
  [`${RISC}credential-compromise`]: "person",
  [`${RISC}sessions-revoked`]: "person",
};

/** Returns what an event ends. */
export function effectOf(type: string, event: Event): Effect {
  const effect = Object.hasOwn(EFFECTS, type) ? EFFECTS[type] : undefined;
  return (typeof effect === "function" ? effect(event) : effect) ?? "none";
}

/**
 * Returns the time of an event, in seconds of our clock, if access may have been given since: what the event says, or else its
 * token (CAEP 1.0 §2, `event_timestamp`; RFC 8417 §2.2, `toe` and `iat`).
 *
 * A message that was made a moment ago shows how far its sender's clock is off. Otherwise, a clock that is a little behind would let
 * access live that was opened just before the event.
 *
 * @returns `undefined` for an event of now, which ends everything that was given
 */
export function timeOf({ event_timestamp: stated }: Event, { toe, iat }: Event, now: number): number | undefined {
  const madeAt = isNumericDate(iat) ? iat : now;
  const said = inSeconds(stated) ?? inSeconds(toe) ?? madeAt;
  const behind = Math.abs(now - madeAt) <= CLOCK_TOLERANCE_SECONDS ? now - madeAt : 0;
  return said + behind >= now ? undefined : said + behind;
}

/** Okta states milliseconds. */
function inSeconds(time: unknown): number | undefined {
  if (isNumericDate(time)) return time;
  return typeof time === "number" && isNumericDate(time / 1000) ? time / 1000 : undefined;
}

/** Returns the name of an event in the audit: the last part of a standard type, or else the type. */
export function nameOf(type: string): string {
  const standard = /^https:\/\/schemas\.openid\.net\/secevent\/(?:caep|risc|ssf)\/event-type\/([a-z-]{1,100})$/.exec(
    type,
  );
  return standard?.[1] ?? type.slice(0, 200);
}
