import { ADMIN_SCOPES, type AdminScope } from "#protocol/admin-scopes.ts";

/** What people can be beside a person, the greatest first. */
export const ROLES = ["owner", "administrator", "app-manager", "auditor"] as const;
export type Role = (typeof ROLES)[number];

/** What each role may do: the one place that says so. An owner, beyond this, decides about owners. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly AdminScope[]>> = {
  owner: ADMIN_SCOPES,
  administrator: ADMIN_SCOPES,
  "app-manager": ["admin:read", "admin:apps"],
  auditor: ["admin:read"],
};

/** What a role leaves to others, where it leaves anything. */
export const ROLE_LIMITS: Readonly<Partial<Record<Role, string>>> = {
  "app-manager": "Your role is app manager: you can see everything here and change apps.",
  auditor: "Your role is auditor: you can see everything here and change nothing.",
};

/** A role as a sentence calls it: `app manager`. */
export function roleName(role: Role): string {
  return role.replace("-", " ");
}

/** The roles that may do what needs a scope, for a refusal: `owner or administrator`. */
export function rolesWith(scope: string): string {
  const able = ROLES.filter((role) => role === scope || (ROLE_SCOPES[role] as readonly string[]).includes(scope));
  return able
    .map(roleName)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
}
