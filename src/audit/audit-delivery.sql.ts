/** Replaces the seal ?2 of the Authorization header for a receiver (?4) of an instance (?1) by ?3. */
export const RESEAL_AUTHORIZATION = `UPDATE audit_deliveries SET sealed_authorization = ?3
  WHERE instance_id = ?1 AND authorization_for = ?4 AND sealed_authorization = ?2`;
