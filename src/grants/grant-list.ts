import type { ListSpec } from "#platform/listing.ts";

/** What the list of running grants can be filtered and sorted by: persons and clients by id. */
export const GRANT_LIST = {
  filters: { person: null, client: null },
  sorts: ["createdAt", "lastTokensAt", "expiresAt"],
  isNewestFirst: true,
} as const satisfies ListSpec;
