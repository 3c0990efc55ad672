/**
 * Returns the condition that a row of clients is an app. A service account has a row there too, but only its own acts may decide
 * about it: whoever manages apps must not end machines.
 *
 * @param clients the name of the table in the statement
 */
export function isApp(clients = "clients"): string {
  return `NOT EXISTS (SELECT 1 FROM service_accounts s WHERE s.id = ${clients}.id AND s.instance_id = ${clients}.instance_id)`;
}
