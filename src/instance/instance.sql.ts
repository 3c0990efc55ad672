/** Sets one setting of an instance (?1) to a value, both of them SQL. */
export const setSetting = (name: string, value: string): string =>
  `UPDATE instances SET settings = json_set(settings, '$.${name}', ${value}) WHERE id = ?1`;

/** Returns one setting of an instance (?1) to its default. */
export const unsetSetting = (name: string): string =>
  `UPDATE instances SET settings = json_remove(settings, '$.${name}') WHERE id = ?1`;

/**
 * The connections of `instances` to SSOs, each as the `value` of a row, to join with them. The first versions stored one object
 * instead of a list.
 */
export const SINGLE_SIGN_ONS =
  "json_each(iif(json_type(single_sign_on) = 'object', json_array(json(single_sign_on)), single_sign_on))";

/**
 * Replaces the seal ?2 of a client secret at an SSO of an instance (?1) by ?3. No two seals are equal, so the secret needs no id: ?4
 * is empty.
 */
export const RESEAL_CLIENT_SECRET = `UPDATE instances SET single_sign_on = replace(single_sign_on, ?2, ?3)
  WHERE id = ?1 AND instr(single_sign_on, ?2) > 0 AND ?4 = ''`;
