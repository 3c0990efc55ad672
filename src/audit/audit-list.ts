import type { ListSpec } from "#platform/listing.ts";

/** What the audit can be filtered by; `event` is one, or how one begins; `from` and `until` are seconds since 1970. */
export const AUDIT_LIST = {
  filters: { actor: null, event: null, from: null, until: null },
  sorts: ["sequence"],
  isNewestFirst: true,
} as const satisfies ListSpec;
