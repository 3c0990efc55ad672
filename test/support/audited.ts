import { type AuditedDatabase, auditedDatabase } from "#audit/audited-store.sql.ts";
import { Keyring } from "#crypto/keyring.ts";
import { env } from "./isolate.ts";

/** Returns the database as stores use it that record acts, with the Worker's own master keys. */
export function audited(database: D1Database = env.DB, masterKeys = env.MASTER_KEYS): AuditedDatabase {
  return auditedDatabase(database, new Keyring(masterKeys));
}
