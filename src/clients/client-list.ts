import type { ListSpec } from "#platform/listing.ts";

/** What the list of all apps can be filtered and sorted by. */
export const CLIENT_LIST = {
  filters: {
    kind: ["static", "dynamic", "document"],
    state: ["enabled", "waiting", "disabled"],
    approved: ["true", "false"],
  },
  sorts: ["createdAt", "name", "lastUsedAt"],
  isNewestFirst: true,
} as const satisfies ListSpec;
