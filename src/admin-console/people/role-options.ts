import { type Role, ROLES } from "#people/role.ts";

const WORDS: Readonly<Record<Role, { readonly label: string; readonly hint: string }>> = {
  owner: { label: "Owner", hint: "Can change everything, including who is an owner." },
  administrator: { label: "Administrator", hint: "Can change everything except who is an owner." },
  "app-manager": { label: "App manager", hint: "Can see everything and change apps." },
  auditor: { label: "Auditor", hint: "Can see everything and change nothing." },
};

/** Returns a role's name on pages. */
export function roleLabel(role: Role | null): string | undefined {
  return role === null ? undefined : WORDS[role].label;
}

/** The roles that a list of people can be filtered by, with their labels. */
export const ROLE_LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ROLES.map((role) => [role, WORDS[role].label])),
  none: "No role",
};

/** Returns the roles that a person can give: only owners can make somebody an owner. */
export function rolesGivenBy({ role: own }: { readonly role: Role | null }) {
  return ROLES.filter((role) => role !== "owner" || own === "owner").map((role) => ({ value: role, ...WORDS[role] }));
}
