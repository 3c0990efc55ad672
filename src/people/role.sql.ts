import { ROLE_SCOPES, ROLES } from "./role.ts";

const SCOPES_BY_ROLE = ROLES.map((role) => `WHEN '${role}' THEN '${JSON.stringify(ROLE_SCOPES[role])}'`).join(" ");

/** A condition: of a JSON array of scopes, a role lacks one. Whoever has no role lacks every one. */
export function exceeds(scopes: string, role: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${scopes}) s
    WHERE s.value NOT IN (SELECT value FROM json_each(CASE ${role} ${SCOPES_BY_ROLE} ELSE '[]' END)))`;
}
