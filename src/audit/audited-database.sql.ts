import type { Keyring } from "#crypto/keyring.ts";

/** The database as stores use it that record acts: with the keys that prove the entries which they write. */
export interface AuditedDatabase extends D1Database {
  readonly keyring: Keyring;
}

/** Returns the database with the keys, for stores that record acts. */
export function auditedDatabase(database: D1Database, keyring: Keyring): AuditedDatabase {
  return {
    keyring,
    prepare: (sql) => database.prepare(sql),
    batch: (statements) => database.batch(statements),
    exec: (sql) => database.exec(sql),
    withSession: (constraint) => database.withSession(constraint),
    dump: () => database.dump(),
  };
}
