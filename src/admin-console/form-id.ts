import { randomId } from "#crypto/secrets.ts";
import { epochSeconds } from "#platform/clock.ts";
import { SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";

/** Creates an id for a form: the current time, because used ids are remembered only for a while, and a random part. */
export function newFormId(): string {
  return `${epochSeconds().toString(36)}.${randomId()}`;
}

/** Returns until when a form with this id can be sent, in epoch seconds; `undefined` if that time has passed. */
export function endOfForm(formId: string, now: number): number | undefined {
  const [madeAt = ""] = formId.split(".");
  const end = Number.parseInt(madeAt, 36) + SPENT_ID_SECONDS_MAX;
  return end > now && end <= now + SPENT_ID_SECONDS_MAX ? end : undefined;
}
