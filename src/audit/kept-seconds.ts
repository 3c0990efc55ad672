import type { D1Audit } from "#audit/audit.d1.ts";
import type { RecordedEntry } from "./audit.ts";

const DAY_SECONDS = 86_400;

/** The least that entries are kept, whatever anybody decided or stored: some laws require it of logs. */
export const KEPT_SECONDS_LEAST = 30 * DAY_SECONDS;

/** How long entries are kept if nobody decided about it: a year. */
export const KEPT_SECONDS_DEFAULT = 365 * DAY_SECONDS;

/** The event that records removed entries. Only retention writes it. */
export const AUDIT_TRIMMED = "audit_trimmed";

/** How long entries have to be kept, and the entry that says so; `null` if nobody has decided about it. */
interface Kept {
  readonly seconds: number;
  readonly decision: RecordedEntry | null;
}

/**
 * Returns how long entries have to be kept at a place in the log. The log itself says so, with the last decision before that place,
 * and not the stored settings: somebody who can write only to the database could set those to a minute for an hour, and have the log
 * removed and sealed by us.
 */
export async function keptBefore(
  store: Pick<D1Audit, "retentionBefore">,
  instanceId: number,
  sequence: number,
): Promise<Kept> {
  const decision = await store.retentionBefore(instanceId, sequence);
  const decided = decision === null ? KEPT_SECONDS_DEFAULT : keptSecondsIn(decision);
  return { seconds: Math.max(KEPT_SECONDS_LEAST, decided), decision };
}

function keptSecondsIn({ event, detail }: RecordedEntry): number {
  const { after } = detail as { readonly after?: { readonly auditKeptSeconds?: unknown } };
  const seconds = Number(event === AUDIT_TRIMMED ? detail["keptSeconds"] : after?.auditKeptSeconds);
  return Number.isNaN(seconds) ? Infinity : seconds;
}
