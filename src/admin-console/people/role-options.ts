import { type Role, ROLE_LABELS, ROLES } from "#people/role.ts";

const HINTS: Readonly<Record<Role, string>> = {
  owner: "Can change everything, including who is an owner.",
  administrator: "Can change everything except who is an owner.",
  "app-manager": "Can see everything and change apps.",
  auditor: "Can see everything and change nothing.",
};

/** Returns the roles that a person can give: only owners can make somebody an owner. */
export function rolesGivenBy({ role: own }: { readonly role: Role | null }) {
  const given = ROLES.filter((role) => role !== "owner" || own === "owner");
  return given.map((role) => ({ value: role, label: ROLE_LABELS[role], hint: HINTS[role] }));
}
