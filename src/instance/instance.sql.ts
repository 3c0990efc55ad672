/** Sets one setting of an instance (?1) to a value, both of them SQL. */
export const setSetting = (name: string, value: string): string =>
  `UPDATE instances SET settings = json_set(settings, '$.${name}', ${value}) WHERE id = ?1`;

/** Returns one setting of an instance (?1) to its default. */
export const unsetSetting = (name: string): string =>
  `UPDATE instances SET settings = json_remove(settings, '$.${name}') WHERE id = ?1`;

/** The connections of `instances` to SSOs, each as the `value` of a row, to join with them. */
export const SINGLE_SIGN_ONS = "json_each(single_sign_on)";

/** Returns the condition that people sign in at an issuer: SQL of the instance's id and of the issuer. */
export function isSsoOf(instance: string, issuer: string): string {
  return `EXISTS (SELECT 1 FROM instances CROSS JOIN ${SINGLE_SIGN_ONS}
    WHERE instances.id = ${instance} AND value ->> '$.issuer' = ${issuer})`;
}

/**
 * Returns the condition that an issuer is an SSO of the instance, and an email address is of a domain of another one: SQL of the
 * instance's id, of the issuer and of the address.
 */
export function speaksForAnotherSso(instance: string, issuer: string, email: string): string {
  return `(${isSsoOf(instance, issuer)} AND EXISTS (SELECT 1 FROM instances CROSS JOIN ${SINGLE_SIGN_ONS} AS other
    CROSS JOIN json_each(other.value, '$.emailDomains') AS domain WHERE instances.id = ${instance}
      AND other.value ->> '$.issuer' <> ${issuer} AND domain.value = substr(${email}, instr(${email}, '@') + 1)))`;
}

/**
 * Returns the query for the ids of the people who signed in at an issuer, if it is not an SSO of the instance any more: SQL of the
 * instance's id and of the issuer.
 */
export function peopleOfRemovedSso(instance: string, issuer: string): string {
  return `SELECT id FROM people
    WHERE instance_id = ${instance} AND sso_issuer = ${issuer} AND NOT ${isSsoOf(instance, issuer)}`;
}

/**
 * Replaces the seal ?2 of a client secret at an SSO of an instance (?1) by ?3. No two seals are equal, so the secret needs no id: ?4
 * is empty.
 */
export const RESEAL_CLIENT_SECRET = `UPDATE instances SET single_sign_on = replace(single_sign_on, ?2, ?3)
  WHERE id = ?1 AND instr(single_sign_on, ?2) > 0 AND ?4 = ''`;
