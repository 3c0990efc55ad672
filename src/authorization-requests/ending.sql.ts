/** Ends the requests of a person (?1) at an instance (?2) that are under way. A condition may follow. */
export const END_REQUESTS_OF_PERSON = "DELETE FROM authorization_requests WHERE person_id = ?1 AND instance_id = ?2";

/** Ends requests that are under way. A condition follows. */
export const END_REQUESTS = "DELETE FROM authorization_requests WHERE";

/** The condition that a request waits for its person's decision (?1 the handle, ?2 the instance, ?3 the browser, ?4 now). */
export const AT_CONSENT =
  "handle_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND stage = 'consent' AND expires_at > ?4";

/** Ends a request that waits for its person's decision. A condition may follow. */
export const END_AT_CONSENT = `DELETE FROM authorization_requests WHERE ${AT_CONSENT}`;
