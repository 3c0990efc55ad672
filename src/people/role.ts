import { ADMIN_SCOPES, type AdminScope } from "#protocol/admin-scopes.ts";

/** The roles that people can have, the most powerful first. */
export const ROLES = ["owner", "administrator", "app-manager", "auditor"] as const;
export type Role = (typeof ROLES)[number];

export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  owner: "Owner",
  administrator: "Administrator",
  "app-manager": "App manager",
  auditor: "Auditor",
};

/** What each role may do. Nothing else defines it. In addition, an owner decides about owners. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly AdminScope[]>> = {
  owner: ADMIN_SCOPES,
  administrator: ADMIN_SCOPES,
  "app-manager": ["admin:read", "admin:apps"],
  auditor: ["admin:read"],
};

/** Explains the limits of a role, for roles that have any. */
export const ROLE_LIMITS: Readonly<Partial<Record<Role, string>>> = {
  "app-manager": "Your role is app manager: you can see everything here and change apps.",
  auditor: "Your role is auditor: you can see everything here and change nothing.",
};

/** Returns a role as it appears in a sentence: `app manager`. */
export function roleName(role: Role): string {
  return role.replace("-", " ");
}

/** Lists the roles that have a scope, for an error message: `owner or administrator`. */
export function rolesWith(scope: string): string {
  const able = ROLES.filter((role) => role === scope || (ROLE_SCOPES[role] as readonly string[]).includes(scope));
  return able
    .map(roleName)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
}
