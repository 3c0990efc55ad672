import type { ReturnedRequest } from "./pending-requests.ts";

/**
 * Returns the statement that moves a request to the consent page, if its person signed in, and returns the person's id. It is part of the transaction of the sign-in:
 * a sign-out comes before both, or after both and ends the request.
 *
 * @param person SQL for a row with the person's id, or for none, whose parameters are the first; with what they are bound to
 */
export function awaitConsent(
  database: D1Database,
  { key, nextHandleHash }: ReturnedRequest,
  person: { readonly sql: string; readonly bound: readonly (string | number)[] },
  { ssoSession, signedInAt }: { readonly ssoSession: string | undefined; readonly signedInAt: number },
): D1PreparedStatement {
  const at = (parameter: number) => `?${person.bound.length + parameter}`;
  return database
    .prepare(
      `UPDATE authorization_requests SET stage = 'consent', handle_hash = ${at(4)}, person_id = (${person.sql}), sso_session = ${at(5)},
         signed_in_at = ${at(6)}
       WHERE handle_hash = ${at(1)} AND instance_id = ${at(2)} AND browser_hash = ${at(3)} AND stage = 'returned'
         AND EXISTS (${person.sql})
       RETURNING person_id`,
    )
    .bind(
      ...person.bound,
      key.handleHash,
      key.instanceId,
      key.browserHash,
      nextHandleHash,
      ssoSession ?? null,
      signedInAt,
    );
}
