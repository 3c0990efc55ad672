import { changesOf, D1Store, runBatch, type Statement } from "#platform/d1.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditDetails, AuditEvent } from "./audit-events.ts";
import { ACTOR, makeProof } from "./audit-chain.ts";
import type { Keyring } from "#crypto/keyring.ts";

/** Statements over the database that record acts. */
export abstract class AuditedStore extends D1Store<AuditedDatabase> {
  /**
   * Runs a decision of one conditional statement, with its entry and what follows from it, in one transaction.
   *
   * @param consequences run whether or not the decision changed anything, so each needs a condition of its own
   * @returns whether the decision changed anything; if not, there is no entry
   */
  protected async decide<Event extends AuditEvent>(
    decision: D1PreparedStatement,
    entry: AuditEntry<Event>,
    consequences: readonly Statement[] = [],
  ): Promise<boolean> {
    const results = await runBatch(this.database, [decision, recordIfChanged(this.database, entry), ...consequences]);
    return changesOf(results, 0) > 0;
  }
}

/** The parts of an entry's statement that are in the act's own SQL. ?1 is the instance, ?2 the entry's details, ?3 its time. */
interface Recording {
  /** SQL of the members that the database adds to the details. */
  readonly adds?: Readonly<Record<string, string>>;
  /** SQL, which may begin with FROM, of at most one row. */
  readonly condition?: string;
  /** SQL of the actor, if a row has it. The entry's own actor, ?4, takes its place if this is NULL. */
  readonly actor?: string;
  /** The values of ?6 and up. */
  readonly bound?: readonly unknown[];
}

const IF_CHANGED = "WHERE changes() > 0";

/**
 * Returns the statement that records an act. In the act's batch, put it directly after the act's own statement: D1 runs a batch as
 * one transaction, so neither is written without the other, and an act that changed nothing leaves no entry.
 *
 * `changes()` is the number of rows that the previous statement changed; a `SELECT` between the two doesn't change it.
 */
export function recordIfChanged<Event extends AuditEvent>(
  database: AuditedDatabase,
  entry: AuditEntry<Event>,
): Promise<D1PreparedStatement> {
  return recordAs(database, entry, { condition: IF_CHANGED });
}

/**
 * Does the same as {@link recordIfChanged}, and adds the number of rows that the act changed as a member of the details.
 */
export function recordCount<Event extends AuditEvent>(
  database: AuditedDatabase,
  entry: AuditEntry<Event>,
  member: keyof AuditDetails[Event] & string,
): Promise<D1PreparedStatement> {
  return recordAs(database, entry, { adds: { [member]: "changes()" }, condition: IF_CHANGED });
}

/** Records an entry for a change, with the email address of the actor, so that a receiver needs no list of ids. */
export function recordWithEmail<Event extends AuditEvent>(
  database: AuditedDatabase,
  entry: AuditEntry<Event>,
): Promise<D1PreparedStatement> {
  const email = "(SELECT email FROM people WHERE id = ?4 AND instance_id = ?1)";
  return recordAs(database, entry, { adds: { email }, condition: IF_CHANGED });
}

/** Records an entry whether or not the previous statement changed anything. */
export function record<Event extends AuditEvent>(
  database: AuditedDatabase,
  entry: AuditEntry<Event>,
): Promise<D1PreparedStatement> {
  return recordAs(database, entry, {});
}

/**
 * Records an entry with a condition, members or an actor in the act's own SQL.
 *
 * The statement that takes the next sequence number also reads it, and D1 runs one writing transaction at a time, so there are no gaps.
 */
export async function recordAs<Event extends AuditEvent>(
  database: AuditedDatabase,
  entry: AuditEntry<Event>,
  { adds = {}, condition = "", actor, bound = [] }: Recording,
): Promise<D1PreparedStatement> {
  const added = [...Object.keys(adds), ...(actor === undefined ? [] : [ACTOR])];
  const proof = await makeProof(database.keyring, entry, added);
  return database
    .prepare(
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail, proof)
       SELECT ?1, (SELECT coalesce(max(sequence), 0) + 1 FROM audit WHERE instance_id = ?1), ?3,
         ${actor === undefined ? "?4" : `coalesce(${actor}, ?4)`}, ?5, ${withMembers("?2", adds)}, ?${6 + bound.length}
       ${condition}`,
    )
    .bind(entry.instanceId, JSON.stringify(entry.detail), entry.at, entry.actor, entry.event, ...bound, proof);
}

function withMembers(detail: string, adds: Readonly<Record<string, string>>): string {
  const members = Object.entries(adds).map(([name, sql]) => `, '$.${name}', ${sql}`);
  return members.length === 0 ? detail : `json_set(${detail}${members.join("")})`;
}

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
