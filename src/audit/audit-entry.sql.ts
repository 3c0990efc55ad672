import type { AuditEntry } from "./audit.ts";
import type { AuditDetails, AuditEvent } from "./audit-events.ts";

/**
 * Returns the statement that records an act. In the act's batch, put it directly after the act's own statement: D1 runs a batch as
 * one transaction, so neither is written without the other, and an act that changed nothing leaves no entry.
 *
 * `changes()` is the number of rows that the previous statement changed; a `SELECT` between the two doesn't change it.
 */
export function recordIfChanged<Event extends AuditEvent>(
  database: D1Database,
  entry: AuditEntry<Event>,
): D1PreparedStatement {
  return recordAs(database, entry, "?2", "WHERE changes() > 0");
}

/**
 * Does the same as {@link recordIfChanged}, and adds the number of rows that the act changed as a member of the details.
 */
export function recordCount<Event extends AuditEvent>(
  database: D1Database,
  entry: AuditEntry<Event>,
  member: keyof AuditDetails[Event] & string,
): D1PreparedStatement {
  return recordAs(database, entry, `json_set(?2, '$.${member}', changes())`, "WHERE changes() > 0");
}

/** Records an entry whether or not the previous statement changed anything. */
export function record<Event extends AuditEvent>(database: D1Database, entry: AuditEntry<Event>): D1PreparedStatement {
  return recordAs(database, entry, "?2", "");
}

/**
 * Records an entry for each row that an act will change, in one statement for all of them. In the act's batch, put it directly
 * before the act's own statement.
 *
 * @param details a `SELECT` of one column `detail` under the condition of the act's statement, its parameters numbered from ?1
 */
export function recordEach<Event extends AuditEvent>(
  database: D1Database,
  { instanceId, at, actor, event }: Omit<AuditEntry<Event>, "detail">,
  details: { readonly sql: string; readonly values: readonly (string | number)[] },
): D1PreparedStatement {
  const [instance, time, name, kind] = [1, 2, 3, 4].map((place) => `?${details.values.length + place}`);
  return database
    .prepare(
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail)
       SELECT ${instance}, (SELECT coalesce(max(sequence), 0) FROM audit WHERE instance_id = ${instance}) + row_number() OVER (),
         ${time}, ${name}, ${kind}, detail FROM (${details.sql})`,
    )
    .bind(...details.values, instanceId, at, actor, event);
}

/**
 * Records the first entry of an instance that the previous statement created; if it created none, there is no entry.
 */
export function recordCreation(
  database: D1Database,
  entry: Omit<AuditEntry<"instance_created">, "instanceId">,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail)
       SELECT id, 1, ?2, ?3, ?4, ?5 FROM instances WHERE name = ?1 AND changes() > 0`,
    )
    .bind(entry.detail.name, entry.at, entry.actor, entry.event, JSON.stringify(entry.detail));
}

/**
 * Records an entry with a condition or details in the act's own SQL, for entries that come before the act's statement.
 *
 * The statement that takes the next sequence number also reads it, and D1 runs one writing transaction at a time, so there are no gaps.
 *
 * @param detail SQL of the details: ?1 is the instance, ?2 the entry's details, ?3 its time
 * @param condition SQL, which may begin with FROM, of at most one row
 * @param actor SQL of the actor, if a row has it
 * @param bound the values of ?6 and up
 */
export function recordAs<Event extends AuditEvent>(
  database: D1Database,
  entry: AuditEntry<Event>,
  detail: string,
  condition: string,
  actor = "?4",
  bound: readonly unknown[] = [],
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail)
       SELECT ?1, (SELECT coalesce(max(sequence), 0) + 1 FROM audit WHERE instance_id = ?1), ?3, coalesce(${actor}, ?4), ?5, ${detail}
       ${condition}`,
    )
    .bind(entry.instanceId, JSON.stringify(entry.detail), entry.at, entry.actor, entry.event, ...bound);
}

/** The details with the email address of the actor, if it is a person, so that a receiver needs no list of ids. */
export const WITH_EMAIL = "json_set(?2, '$.email', (SELECT email FROM people WHERE id = ?4 AND instance_id = ?1))";
