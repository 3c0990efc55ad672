/**
 * Returns SQL for a number that only grows, and changes each time a person is signed out everywhere or their session at the SSO
 * is signed out. What a sign-in opens is written only if the number is still the same as when the SSO's response was accepted:
 * otherwise, something that was opened at the moment of a sign-out would survive it.
 *
 * @param person SQL for their id; the other parameters are SQL too
 * @param ssoSession NULL if the SSO names no session
 */
export function signOutsOf(person: string, instance: string, ssoSession: string): string {
  return `(coalesce((SELECT p.sign_outs FROM people p WHERE p.id = ${person} AND p.instance_id = ${instance}), 0)
    + coalesce((SELECT expires_at FROM spent_ids
        WHERE instance_id = ${instance} AND purpose = 'sso_session' AND id_hash = ${ssoSession}), 0))`;
}

/** Notes that a session at the SSO has ended, until a time that grows each time. */
export const NOTE_SIGN_OUT = `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at) VALUES (?1, 'sso_session', ?2, ?3)
  ON CONFLICT DO UPDATE SET expires_at = max(expires_at + 1, ?3)`;
