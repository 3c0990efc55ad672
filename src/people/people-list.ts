import type { ListSpec } from "#platform/listing.ts";
import { ROLE_LABELS, ROLES } from "./role.ts";

export const PEOPLE_LIST = {
  filters: { state: ["active", "deactivated"], role: [...ROLES, "none"] },
  sorts: ["email", "name", "lastSignInAt"],
  words: {
    one: "person",
    many: "people",
    search: "Name or email contains",
    filters: {
      state: ["State", { active: "Active", deactivated: "Deactivated" }],
      role: ["Role", { ...ROLE_LABELS, none: "No role" }],
    },
    sorts: { email: "Email", name: "Name", "-lastSignInAt": "Last sign-in" },
  },
} as const satisfies ListSpec;
