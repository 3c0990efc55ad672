/** Statements over the database. A store that records acts extends `AuditedStore` instead. */
export abstract class D1Store {
  protected readonly database: D1Database;

  constructor(database: D1Database) {
    this.database = database;
  }
}
