import { randomId } from "#crypto/random.ts";
import { systemClock } from "#platform/clock.ts";
import { SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";

/** A new id for a form: when it was made, as ids are remembered only for a time, and something that no other form has. */
export function newFormId(): string {
  return `${systemClock().toString(36)}.${randomId()}`;
}

/** Until when a form with this id can be sent, in epoch seconds; `undefined` where that is over. */
export function endOfForm(formId: string, now: number): number | undefined {
  const [madeAt = ""] = formId.split(".");
  const end = Number.parseInt(madeAt, 36) + SPENT_ID_SECONDS_MAX;
  return end > now && end <= now + SPENT_ID_SECONDS_MAX ? end : undefined;
}
