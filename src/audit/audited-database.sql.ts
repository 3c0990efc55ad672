import type { EntryProofs } from "./entry-proof.ts";

/** The database as stores use it that record acts: with the proofs of the entries that they write. */
export interface AuditedDatabase extends D1Database {
  readonly proofs: EntryProofs;
}

/** Returns the database with proofs, for stores that record acts. */
export function auditedDatabase(database: D1Database, proofs: EntryProofs): AuditedDatabase {
  return {
    proofs,
    prepare: (sql) => database.prepare(sql),
    batch: (statements) => database.batch(statements),
    exec: (sql) => database.exec(sql),
    withSession: (constraint) => database.withSession(constraint),
    dump: () => database.dump(),
  };
}
