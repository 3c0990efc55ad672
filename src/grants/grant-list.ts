import type { ListSpec } from "#platform/listing.ts";

/** The filters and sort orders of the list of running grants. People and clients are named by id. */
export const GRANT_LIST = {
  filters: { person: null, client: null },
  sorts: ["createdAt", "lastTokensAt", "expiresAt"],
  isNewestFirst: true,
  words: {
    one: "grant",
    search: "Email or app contains",
    sorts: { "-createdAt": "Newest", "-lastTokensAt": "Last used", expiresAt: "Expires first" },
  },
} as const satisfies ListSpec;
