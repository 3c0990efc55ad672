import { ApiError } from "#protocol/errors.ts";
import { asMembers } from "#platform/columns.sql.ts";
import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, runBatch, type Statement } from "#platform/d1.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import { textsById } from "#platform/texts-by-id.sql.ts";
import type { PEOPLE_LIST } from "./people-list.ts";
import { endEverythingOf } from "./endings.sql.ts";
import { endSupersededSecrets, endTokens, isAdminTokenBeyondRole } from "./issued-tokens.sql.ts";
import type { PersonRecord, RoleReach } from "./person.ts";
import type { Role } from "./role.ts";
import { forgetUserOfReleased } from "./released-user.sql.ts";
import { IS_MACHINE } from "./machine.sql.ts";
import { addPerson, hasRoom } from "./new-person.sql.ts";

const COLUMNS = asMembers("id, email, name, role, last_sign_in_at, deactivated_at");

/** Excludes service accounts, which have no address. Administrators decide about them elsewhere. */
const NO_MACHINE = `NOT ${IS_MACHINE}`;

/** A person of this instance who was not released: ?1 is the person, ?2 the instance. */
const THIS_PERSON = `id = ?1 AND instance_id = ?2 AND released_at IS NULL AND ${NO_MACHINE}`;

/**
 * Which people a decision may affect. This is part of the decision's statement, so that one owner stays if two remove each other at
 * once. ?2 is the instance.
 */
const WITHIN_REACH: Readonly<Record<RoleReach, string>> = {
  none: "people.role IS NULL",
  "all-but-owners": "people.role IS NOT 'owner'",
  "all-but-last-owner": `(people.role IS NOT 'owner' OR EXISTS (
    SELECT 1 FROM people other WHERE other.instance_id = ?2 AND other.role = 'owner' AND other.id <> people.id))`,
  all: "TRUE",
};

/**
 * Whether a person still has the role that was read, so that a newer decision is not undone.
 *
 * @param seen a parameter with {@link wordOf}
 */
function hasRole(seen: string): string {
  return `${seen} IN ('any', coalesce(people.role, 'none'))`;
}

function wordOf(seen: Role | null | undefined): string {
  return seen === undefined ? "any" : (seen ?? "none");
}

/** Deactivated by a directory, which may reactivate the person unless an administrator deactivates them too. */
const IS_DIRECTORYS = "deactivated_by GLOB 'directory:*'";

const LISTING: Listing<typeof PEOPLE_LIST> = {
  columns: COLUMNS,
  from: "people",
  where: `instance_id = ?1 AND released_at IS NULL AND ${NO_MACHINE}`,
  id: "id",
  search: holds("email", "name"),
  filters: {
    state: equals("iif(deactivated_at IS NULL, 'active', 'deactivated')"),
    role: equals("coalesce(role, 'none')"),
  },
  sorts: { email: "email", name: "lower(name)", lastSignInAt: "COALESCE(last_sign_in_at, 0)" },
};

/** Tables that may still refer to a person. Their linked accounts are deleted with them. */
const REFERRING = ["grants", "service_tokens", "sessions"];

const UNREFERRED = REFERRING.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.person_id = people.id)`);

const GONE = `SELECT id FROM people WHERE released_email IS NOT NULL AND released_at < ?1
  AND ${UNREFERRED.join(" AND ")} ORDER BY id LIMIT ?2`;

/** People as administrators see them, and administrators' decisions about them. */
export class D1PeopleStandings extends AuditedStore {
  find(instanceId: number, personId: string): Promise<PersonRecord | null> {
    return this.first(`SELECT ${COLUMNS} FROM people WHERE ${THIS_PERSON}`, [personId, instanceId]);
  }

  /** Returns the person with an id. @throws {ApiError} `not_found` if nobody in this instance has it */
  async require(instanceId: number, personId: string): Promise<PersonRecord> {
    const person = await this.find(instanceId, personId);
    if (person) return person;
    throw new ApiError("not_found", { reason: "person_unknown", description: "There is no such person" });
  }

  findByEmail(instanceId: number, email: string): Promise<PersonRecord | null> {
    return this.first(`SELECT ${COLUMNS} FROM people WHERE instance_id = ?1 AND email = ?2`, [instanceId, email]);
  }

  /** Returns what a person's own apps may get of them; `null` if there is no such person. */
  profileOf(instanceId: number, personId: string): Promise<{ email: string; name: string | null } | null> {
    return this.first("SELECT email, name FROM people WHERE instance_id = ?1 AND id = ?2", [instanceId, personId]);
  }

  /** Lists people; `PEOPLE_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<PersonRecord>> {
    return readListing(this.database, LISTING, [instanceId], query, (row: PersonRecord) => row);
  }

  /** Returns the email addresses of people by id, to show in place of their ids. */
  emailsOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return textsById(this.database, { table: "people", column: "email" }, instanceId, ids);
  }

  /** Returns the issuers of the SSOs where people sign in, by their ids. */
  issuersOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    return textsById(this.database, { table: "people", column: "sso_issuer" }, instanceId, ids);
  }

  /**
   * Counts the people who sign in with an account of this issuer. With another issuer, each of them would be a new person.
   */
  async countOf(instanceId: number, issuer: string): Promise<number> {
    const row = await this.first<{ people: number }>(
      "SELECT count(*) AS people FROM people WHERE instance_id = ?1 AND sso_issuer = ?2",
      [instanceId, issuer],
    );
    return row?.people ?? 0;
  }

  /**
   * Gives a person a role in place of their current one, creating the person if necessary. Their admin tokens that exceed the role end.
   *
   * If the row with this email address has another id, it must be of somebody without a role, because only the tokens of `id` are ended.
   *
   * @param seen the role that the person must still have; `undefined`: any
   */
  nameRole(
    { id, email }: Pick<PersonRecord, "id" | "email">,
    role: Role,
    reach: RoleReach,
    seen: Role | null | undefined,
    entry: AuditEntry<"role_changed">,
  ): Promise<boolean> {
    const naming = this.statement(
      `INSERT INTO people (id, instance_id, email, name, created_at, role) SELECT ?1, ?2, ?3, ?3, ?4, ?5
       WHERE EXISTS (SELECT 1 FROM people WHERE instance_id = ?2 AND email = ?3) OR (?6 IN ('any', 'none') AND ${hasRoom("?2")})
       ON CONFLICT (instance_id, email) DO UPDATE SET role = ?5
         WHERE (people.id = ?1 OR people.role IS NULL) AND people.role IS NOT ?5 AND people.deactivated_at IS NULL
           AND ${WITHIN_REACH[reach]} AND ${hasRole("?6")}
       ON CONFLICT DO NOTHING`,
      [id, entry.instanceId, email, entry.at, role, wordOf(seen)],
    );
    return this.decide(naming, entry, this.#endTokensBeyondRole(id, entry));
  }

  /** Removes a person's role, and ends the admin tokens that they issued. */
  removeRole(
    personId: string,
    reach: RoleReach,
    seen: Role | null | undefined,
    entry: AuditEntry<"role_changed">,
  ): Promise<boolean> {
    const removal = this.statement(
      `UPDATE people SET role = NULL
       WHERE ${THIS_PERSON} AND role IS NOT NULL AND ${WITHIN_REACH[reach]} AND ${hasRole("?3")}`,
      [personId, entry.instanceId, wordOf(seen)],
    );
    return this.decide(removal, entry, this.#endTokensBeyondRole(personId, entry));
  }

  /** Ends all access of a person, who cannot sign in again until they are reactivated. */
  deactivate(personId: string, reach: RoleReach, entry: AuditEntry<"person_standing_changed">): Promise<boolean> {
    const deactivation = this.statement(
      `UPDATE people SET deactivated_at = coalesce(deactivated_at, ?3), deactivated_by = ?4, role = NULL
       WHERE ${THIS_PERSON} AND (deactivated_at IS NULL OR (${IS_DIRECTORYS} AND ?4 NOT GLOB 'directory:*'))
         AND ${WITHIN_REACH[reach]}`,
      [personId, entry.instanceId, entry.at, entry.actor],
    );
    const ending = { ...entry, personId, reason: "person_deactivated" } as const;
    return this.decide(deactivation, entry, endEverythingOf(this.database, ending));
  }

  /** Adds a deactivated person with this email address, unless somebody has it already. */
  addDeactivated(email: string, newId: string, entry: AuditEntry<"person_standing_changed">): Promise<boolean> {
    const addition = this.statement(
      addPerson({ id: "?1", instance_id: "?2", email: "?3", name: "?3", created_at: "?4", deactivated_at: "?4" }),
      [newId, entry.instanceId, email, entry.at],
    );
    return this.decide(addition, entry);
  }

  /**
   * A directory reactivates only people that it deactivated itself, and only while its user is active: it can't undo an
   * administrator's decision, and a later request of the same directory may have deactivated the user again.
   */
  reactivate(personId: string, entry: AuditEntry<"person_standing_changed">): Promise<boolean> {
    const reactivation = this.statement(
      `UPDATE people SET deactivated_at = NULL, deactivated_by = NULL
       WHERE ${THIS_PERSON} AND deactivated_at IS NOT NULL AND (?3 NOT GLOB 'directory:*' OR (deactivated_by = ?3
           AND EXISTS (SELECT 1 FROM directory_users u WHERE u.person_id = people.id AND u.is_active)))`,
      [personId, entry.instanceId, entry.actor],
    );
    return this.decide(reactivation, entry);
  }

  /**
   * Ends all access of a person, for good, and frees their email address for somebody new.
   *
   * The row stays, deactivated, and gives up its email address. Whatever still names this person, including an isolate's memory, is
   * refused and never means the next person with that address. The space in the replacement text keeps it from ever being an
   * address. The account of the sign-ins stays linked to the row, and the row keeps the released address in another column:
   * otherwise a token issued before the release, for whichever account, would act as a new person with that address.
   */
  async release(personId: string, reach: RoleReach, entry: AuditEntry<"person_released">): Promise<boolean> {
    const link = this.statement(
      `INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at, signed_in)
       SELECT instance_id, sso_issuer, sso_subject, id, ?3, 1 FROM people
       WHERE ${THIS_PERSON} AND sso_subject IS NOT NULL AND ${WITHIN_REACH[reach]}
       ON CONFLICT DO NOTHING`,
      [personId, entry.instanceId, entry.at],
    );
    const release = this.statement(
      `UPDATE people SET email = 'released ' || id, released_email = email, sso_issuer = NULL, sso_subject = NULL, directory_groups = '[]',
         role = NULL, released_at = ?3, deactivated_at = coalesce(deactivated_at, ?3)
       WHERE ${THIS_PERSON} AND ${WITHIN_REACH[reach]}`,
      [personId, entry.instanceId, entry.at],
    );
    const results = await runBatch(this.database, [
      link,
      release,
      recordIfChanged(this.database, entry),
      ...forgetUserOfReleased(this.database, personId),
      ...endEverythingOf(this.database, { ...entry, personId, reason: "person_released" }),
    ]);
    return changesOf(results, 1) > 0;
  }

  /** Deletes people who were released before this time and are no longer referenced, up to a limit. Returns how many. */
  async sweepReleased(releasedBefore: number, rowsMax: number): Promise<number> {
    const results = await runBatch(this.database, [
      this.statement(`DELETE FROM linked_accounts WHERE person_id IN (${GONE})`, [releasedBefore, rowsMax]),
      this.statement(`DELETE FROM people WHERE id IN (${GONE})`, [releasedBefore, rowsMax]),
    ]);
    return changesOf(results, 1);
  }

  #endTokensBeyondRole(subject: string, entry: AuditEntry<"role_changed">): Statement[] {
    const ending = { ...entry, subject };
    return [
      ...endTokens(this.database, isAdminTokenBeyondRole, ending),
      ...endSupersededSecrets(this.database, ending),
    ];
  }
}
