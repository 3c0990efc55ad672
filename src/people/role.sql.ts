import { ROLE_SCOPES, ROLES } from "./role.ts";

const SCOPES_BY_ROLE = ROLES.map((role) => `WHEN '${role}' THEN '${JSON.stringify(ROLE_SCOPES[role])}'`).join(" ");

/**
 * Returns the condition that a role lacks one of the scopes in a JSON array. Without a role, every scope is lacking.
 */
export function exceeds(scopes: string, role: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${scopes}) s
    WHERE s.value NOT IN (SELECT value FROM json_each(CASE ${role} ${SCOPES_BY_ROLE} ELSE '[]' END)))`;
}
