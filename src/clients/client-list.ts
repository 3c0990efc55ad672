import type { ListSpec } from "#platform/listing.ts";

/** The filters and sort orders of the list of all apps. */
export const CLIENT_LIST = {
  filters: {
    kind: ["static", "dynamic", "document"],
    state: ["enabled", "waiting", "disabled"],
    approved: ["true", "false"],
  },
  sorts: ["createdAt", "name", "lastUsedAt"],
  isNewestFirst: true,
} as const satisfies ListSpec;
