import type { ListSpec } from "#platform/listing.ts";
import { ROLES } from "./role.ts";

/** The filters and sort orders of the list of people. */
export const PEOPLE_LIST = {
  filters: { state: ["active", "deactivated"], role: [...ROLES, "none"] },
  sorts: ["email", "name", "lastSignInAt"],
} as const satisfies ListSpec;
