import { laterThanBefore } from "./client-rows.sql.ts";

/** Adds the client of a machine (?1) at an instance (?2), at ?3: its name, scopes, keys and proof are ?4 to ?7. */
export const addMachineClient = (condition: string): string =>
  `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, is_public, keys, proof,
     created_at, changed_at)
   SELECT ?1, ?2, 'static', ?1, ?4, '[]', ?5, 'private_key_jwt', 0, ?6, ?7, ?3, ?3 WHERE ${condition}`;

/** Changes the client of a machine (?1) at ?7: scopes ?4, keys ?5, proof ?6. */
export const changeMachineClient = (condition: string): string =>
  `UPDATE clients SET scopes = ?4, keys = ?5, proof = ?6, ${laterThanBefore("?7")}
   WHERE id = ?1 AND instance_id = ?2 AND ${condition}`;

/** Disables the client of a machine (?1) at ?3, if it is enabled. */
export const disableMachineClient = (condition: string): string =>
  `UPDATE clients SET disabled_at = ?3, ${laterThanBefore("?3")}
   WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL AND ${condition}`;

/** Enables the client of a machine (?1) at ?3, if it is disabled. */
export const enableMachineClient = (condition: string): string =>
  `UPDATE clients SET disabled_at = NULL, ${laterThanBefore("?3")}
   WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NOT NULL AND ${condition}`;

/** Removes the client of a machine (?1). */
export const removeMachineClient = (condition: string): string =>
  `DELETE FROM clients WHERE id = ?1 AND instance_id = ?2 AND ${condition}`;
