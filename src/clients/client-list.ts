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
  words: {
    one: "app",
    search: "Name, address or id",
    filters: {
      state: ["State", { waiting: "Waiting for approval", enabled: "Enabled", disabled: "Disabled" }],
      kind: ["Kind", { static: "Created here", dynamic: "Registered itself", document: "Metadata document" }],
    },
    sorts: { "-createdAt": "Newest", name: "Name", "-lastUsedAt": "Last used" },
  },
} as const satisfies ListSpec;
