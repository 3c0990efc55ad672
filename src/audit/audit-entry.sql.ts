import type { AuditEntry } from "./audit.ts";
import type { AuditDetails, AuditEvent } from "./audit-events.ts";

/**
 * The statement that records an act, for the batch of the act's own statement and right behind it: D1 runs a batch as one
 * transaction, so that neither is ever there without the other, and an act that changed nothing leaves no entry.
 *
 * `changes()` is the number of rows that the statement before changed; a `SELECT` between the two leaves it as it is.
 */
export function recordIfChanged<Event extends AuditEvent>(
  database: D1Database,
  entry: AuditEntry<Event>,
): D1PreparedStatement {
  return recordAs(database, entry, "?2", "WHERE changes() > 0");
}

/** As {@link recordIfChanged}, with the number of rows that the act changed as this member of the details. */
export function recordCount<Event extends AuditEvent>(
  database: D1Database,
  entry: AuditEntry<Event>,
  member: keyof AuditDetails[Event] & string,
): D1PreparedStatement {
  return recordAs(database, entry, `json_set(?2, '$.${member}', changes())`, "WHERE changes() > 0");
}

/** Records what holds whatever the statements around it change. */
export function record<Event extends AuditEvent>(database: D1Database, entry: AuditEntry<Event>): D1PreparedStatement {
  return recordAs(database, entry, "?2", "");
}

/**
 * An entry for each row that an act will change, in one statement for all of them. It goes into the act's batch, right before the act's
 * own statement.
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

/** The first entry of an instance that the statement before made; where it made none, there is no entry. */
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
 * Records under a condition, or with details, of the act's own SQL, where the entry stands before the act's statement.
 *
 * The next place is read by the statement that takes it, so there are no gaps, and D1 lets one transaction write at a time.
 *
 * @param detail ?1 is the instance, ?2 the entry's details, ?3 its time
 * @param condition may begin with FROM, of at most one row
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

/** The details with the email address of the person who is the actor, so that a receiver needs no list of ids. */
export const WITH_EMAIL = "json_set(?2, '$.email', (SELECT email FROM people WHERE id = ?4 AND instance_id = ?1))";
