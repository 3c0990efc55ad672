import type { ListSpec } from "#platform/listing.ts";

/** The filters of the audit. `event` is an event or a prefix of one; `from` and `until` are seconds since 1970. */
export const AUDIT_LIST = {
  filters: { actor: null, event: null, from: null, until: null },
  sorts: ["sequence"],
  isNewestFirst: true,
  words: { one: "entry", many: "entries", search: "Details contain", sorts: {} },
} as const satisfies ListSpec;
