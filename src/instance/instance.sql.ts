/** Sets one setting of an instance (?1) to a value, both of them SQL. */
export const setSetting = (name: string, value: string): string =>
  `UPDATE instances SET settings = json_set(settings, '$.${name}', ${value}) WHERE id = ?1`;

/** Returns one setting of an instance (?1) to its default. */
export const unsetSetting = (name: string): string =>
  `UPDATE instances SET settings = json_remove(settings, '$.${name}') WHERE id = ?1`;

/** Replaces the seal ?2 of the client secret at the SSO of an instance (?1) by ?3. It has no id: ?4 is empty. */
export const RESEAL_CLIENT_SECRET = `UPDATE instances SET single_sign_on = json_set(single_sign_on, '$.sealedClientSecret', ?3)
  WHERE id = ?1 AND json_extract(single_sign_on, '$.sealedClientSecret') = ?2 AND ?4 = ''`;
