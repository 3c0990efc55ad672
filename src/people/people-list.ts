import type { ListSpec } from "#platform/listing.ts";
import { ROLES } from "./role.ts";

/** What the list of people can be filtered and sorted by. */
export const PEOPLE_LIST = {
  filters: { state: ["active", "deactivated"], role: [...ROLES, "none"] },
  sorts: ["email", "name", "lastSignInAt"],
} as const satisfies ListSpec;
