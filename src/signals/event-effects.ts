import type { Effect } from "./sign-outs.ts";

const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
const RISC = "https://schemas.openid.net/secevent/risc/event-type/";

/** By which a transmitter shows that its stream works (Shared Signals Framework 1.0 §8.1.4.1). */
export const VERIFICATION = "https://schemas.openid.net/secevent/ssf/event-type/verification";

type Event = Readonly<Record<string, unknown>>;

/**
 * What each event ends. A session is named by the subject; where the subject names none, or none that is known, everything of the person ends.
 * All other events change nothing here.
 */
const EFFECTS: Readonly<Record<string, Effect | ((event: Event) => Effect)>> = {
  [`${CAEP}session-revoked`]: "session",
  // Another credential beside the others is no loss of trust; one that was changed or withdrawn may be.
  [`${CAEP}credential-change`]: ({ change_type: change }) => (change === "create" ? "none" : "person"),
  [`${CAEP}device-compliance-change`]: ({ current_status: status }) => (status === "compliant" ? "none" : "person"),
  [`${RISC}account-disabled`]: "person",
  [`${RISC}account-purged`]: "person",
  [`${RISC}account-credential-change-required`]: "person",
  [`${RISC}credential-compromise`]: "person",
  [`${RISC}sessions-revoked`]: "person",
};

/** What an event ends. */
export function effectOf(type: string, event: Event): Effect {
  const effect = Object.hasOwn(EFFECTS, type) ? EFFECTS[type] : undefined;
  return (typeof effect === "function" ? effect(event) : effect) ?? "none";
}

/** What the audit calls an event: its last word, where the standards name it. */
export function nameOf(type: string): string {
  const standard = /^https:\/\/schemas\.openid\.net\/secevent\/(?:caep|risc|ssf)\/event-type\/([a-z-]{1,100})$/.exec(
    type,
  );
  return standard?.[1] ?? type.slice(0, 200);
}
