/** The statements that end all grants of a client, for the batch that removes it. */
export type EndGrantsOfClient = (
  instanceId: number,
  clientId: string,
  actor: string,
  now: number,
) => readonly D1PreparedStatement[];

/** Deletes a client; its statement goes behind those that end what people allowed it. */
export function deleteClient(database: D1Database, instanceId: number, clientId: string): D1PreparedStatement {
  return database.prepare("DELETE FROM clients WHERE id = ?1 AND instance_id = ?2").bind(clientId, instanceId);
}
