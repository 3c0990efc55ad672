/**
 * How often a person was signed out everywhere, and a session at the SSO was: a number that only grows, and changes with each of these. What
 * a sign-in opens is written on condition that it is still what it was when the SSO's answer was taken: otherwise something that was opened
 * in the instant of a sign-out would survive it.
 *
 * @param person SQL of their id, as the others
 * @param ssoSession NULL where the SSO names none
 */
export function signOutsOf(person: string, instance: string, ssoSession: string): string {
  return `(coalesce((SELECT p.sign_outs FROM people p WHERE p.id = ${person} AND p.instance_id = ${instance}), 0)
    + coalesce((SELECT expires_at FROM spent_ids
        WHERE instance_id = ${instance} AND purpose = 'sso_session' AND id_hash = ${ssoSession}), 0))`;
}
