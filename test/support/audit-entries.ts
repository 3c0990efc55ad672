import { AUDIT_LIST } from "#audit/audit-list.ts";
import type { RecordedEntry } from "#audit/audit.ts";
import type { ChainReport, ChainVerification } from "#audit/chain-verification.ts";
import { LIST_LIMIT_MOST, readListQuery } from "#platform/listing.ts";
import { servicesOf } from "#services.ts";
import { env } from "./isolate.ts";

/**
 * Returns the audit entries of an instance, newest first.
 *
 * @param event an event, or the beginning of its name; absent: every event
 */
export async function auditEntries(
  { id }: { readonly id: number },
  event?: string,
  limit = LIST_LIMIT_MOST,
): Promise<readonly RecordedEntry[]> {
  const query = readListQuery(AUDIT_LIST, new Map(event === undefined ? [] : [["event", event]]));
  const { items } = await servicesOf(env).audit.list(id, { ...query, limit });
  return items;
}

/** Verifies the whole chain of an instance, part by part. */
export async function verifyWhole(verification: ChainVerification, instanceId: number): Promise<ChainReport> {
  let entries = 0;
  let unsealed = 0;
  for (let after: number | null = 0; after !== null; ) {
    const part = await verification.verifyPart(instanceId, after);
    entries += part.entries;
    unsealed += part.unsealed;
    if (part.broken !== undefined) return { ...part, entries, unsealed };
    after = part.next;
  }
  return { entries, unsealed };
}
