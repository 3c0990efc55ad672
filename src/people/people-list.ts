import type { ListSpec } from "#platform/listing.ts";

/** What the list of people can be filtered and sorted by. */
export const PEOPLE_LIST = {
  filters: { state: ["active", "deactivated"], administrator: ["true", "false"] },
  sorts: ["email", "name", "lastSignInAt"],
} as const satisfies ListSpec;
