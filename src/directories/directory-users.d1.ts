import { asMembers, readerOf } from "#platform/columns.sql.ts";
import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import { addPerson } from "#people/new-person.sql.ts";
import { changesOf, rowsOf, runBatch, type Statement } from "#platform/d1.ts";
import { foldName } from "#protocol/folding.ts";
import {
  type Directory,
  directoryActor,
  type Part,
  type PartAsked,
  type StoredUser,
  type UserDraft,
  type UserOutcome,
} from "./directory.ts";
import { readPart } from "./part.sql.ts";
import { FILTERABLE_USERS } from "./user-filter.sql.ts";

const readUser = readerOf<StoredUser>()(["attributes", "groups"], ["isActive", "isShutOut"]);

/** What only {@link D1DirectoryUsers.find} reads. */
const UNREAD = { groups: null, isShutOut: 0, email: "" };

const COLUMNS = asMembers("id, person_id, is_active, attributes, revision, created_at, changed_at", "u.");

const GROUPS = `(SELECT json_group_array(json_object('id', g.id, 'display', g.display_name))
  FROM directory_members m JOIN directory_groups g ON g.id = m.group_id WHERE m.user_id = u.id)`;

/** ?1 is the instance, ?2 the directory, ?3 the user. */
const THIS_USER = "id = ?3 AND instance_id = ?1 AND directory = ?2";

/** The same condition, for the join with the person. */
const THIS_USER_OF_PERSON = "u.id = ?3 AND u.instance_id = ?1 AND u.directory = ?2";

/**
 * The condition for writing a user as inactive, or for removing one: somebody else may have reactivated the person in the meantime.
 */
const PERSON_IS_OUT = "EXISTS (SELECT 1 FROM people WHERE id = person_id AND deactivated_at IS NOT NULL)";

/** Users of directories, each linked to a person. */
export class D1DirectoryUsers extends AuditedStore {
  /**
   * Creates a user, and a person if nobody has their email address. If the person is active, the user is active too: the caller
   * deactivates both.
   */
  async add(
    { instanceId, name: directory }: Directory,
    user: UserDraft & { readonly id: string; readonly newPersonId: string; readonly revision: string },
    now: number,
  ): Promise<UserOutcome> {
    const userName = foldName(user.userName);
    const isTaken =
      "EXISTS (SELECT 1 FROM directory_users WHERE instance_id = ?1 AND directory = ?2 AND user_name = ?3)";
    const results = await runBatch(this.database, [
      this.statement(
        addPerson({ id: "?4", instance_id: "?1", email: "?5", name: "?6", created_at: "?7" }, `NOT ${isTaken}`),
        [instanceId, directory, userName, user.newPersonId, user.email, user.name, now],
      ),
      this.statement(
        `INSERT INTO directory_users
           (id, instance_id, directory, person_id, user_name, external_id, is_active, attributes, revision, created_at, changed_at)
         SELECT ?4, ?1, ?2, id, ?3, ?6, ?7 OR deactivated_at IS NULL, ?8, ?9, ?10, ?10 FROM people
         WHERE instance_id = ?1 AND email = ?5 AND (?7 OR role IS NOT 'owner')
         ON CONFLICT DO NOTHING`,
        [
          instanceId,
          directory,
          userName,
          user.id,
          user.email,
          user.externalId,
          user.isActive ? 1 : 0,
          JSON.stringify(user.attributes),
          user.revision,
          now,
        ],
      ),
      this.#record("directory_user_added", instanceId, directory, user.id, user.email, now),
      this.statement(
        `SELECT ${isTaken} AS is_taken, EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?4) AS is_person,
         EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?4 AND role = 'owner' AND NOT ?5) AS is_owner`,
        [instanceId, directory, userName, user.email, user.isActive ? 1 : 0],
      ),
    ]);
    if (changesOf(results, 1) > 0) return "done";
    const [why] = rowsOf<{ is_taken: number; is_person: number; is_owner: number }>(results, 3);
    if (why?.is_taken === 1) return "user-name-taken";
    if (why?.is_owner === 1) return "owner";
    return why?.is_person === 1 ? "email-taken" : "full";
  }

  async find({ instanceId, name }: Directory, id: string): Promise<StoredUser | null> {
    return this.first(
      `SELECT ${COLUMNS}, ${GROUPS} AS groups, p.email, p.deactivated_by IS 'directory:' || u.directory AS isShutOut
       FROM directory_users u JOIN people p ON p.id = u.person_id WHERE ${THIS_USER_OF_PERSON}`,
      [instanceId, name, id],
      toUser,
    );
  }

  /** Lists users, without their groups. */
  async list(directory: Directory, part: PartAsked): Promise<Part<StoredUser>> {
    const from = part.filter ? "directory_users u JOIN people p ON p.id = u.person_id" : "directory_users u";
    const source = { columns: COLUMNS, from, alias: "u", order: "u.user_name", filterable: FILTERABLE_USERS };
    const { items, total } = await readPart<Parameters<typeof toUser>[0]>(this.database, source, directory, part);
    return { items: items.map(toUser), total };
  }

  /**
   * Writes a user, and the person's name and email address, with its audit entry.
   *
   * @param before the values that were read
   */
  async replace(
    { instanceId, name: directory }: Directory,
    id: string,
    user: UserDraft,
    { revision: before, email }: Pick<StoredUser, "revision" | "email">,
    revision: string,
    now: number,
  ): Promise<UserOutcome> {
    const userName = foldName(user.userName);
    const isTaken = `EXISTS (SELECT 1 FROM directory_users
      WHERE instance_id = ?1 AND directory = ?2 AND user_name = ?4 AND id <> ?3)`;
    const bound = [instanceId, directory, id, userName, before, user.email, user.isActive ? 1 : 0] as const;
    const detail = { before: email, after: user.email };
    const actor = directoryActor(directory);
    const results = await runBatch(this.database, [
      this.statement(
        `UPDATE OR IGNORE people SET email = ?6, email_verified = iif(email = ?6, email_verified, 0), name = ?8
         WHERE id = (SELECT person_id FROM directory_users WHERE ${THIS_USER} AND revision = ?5)
           AND email = ?9 AND (email = ?6 OR role IS NULL) AND NOT ${isTaken} AND (?7 OR deactivated_at IS NOT NULL)`,
        [...bound, user.name, email],
      ),
      ...(email === user.email
        ? []
        : [recordIfChanged(this.database, { instanceId, at: now, actor, event: "person_email_changed", detail })]),
      this.statement(
        `UPDATE directory_users SET user_name = ?4, external_id = ?8, is_active = ?7, attributes = ?9, revision = ?10, changed_at = ?11
         WHERE ${THIS_USER} AND revision = ?5 AND NOT ${isTaken}
           AND EXISTS (SELECT 1 FROM people WHERE id = person_id AND email = ?6) AND (?7 OR ${PERSON_IS_OUT})`,
        [...bound, user.externalId, JSON.stringify(user.attributes), revision, now],
      ),
      this.#record("directory_user_changed", instanceId, directory, id, user.email, now),
      this.statement(
        `SELECT ${isTaken} AS is_taken, p.role IS NOT NULL AS holds_role
         FROM directory_users u JOIN people p ON p.id = u.person_id
         WHERE ${THIS_USER_OF_PERSON} AND u.revision = ?5 AND p.email = ?8
           AND (?7 OR p.deactivated_at IS NOT NULL)`,
        [...bound, email],
      ),
    ]);
    if (changesOf(results, results.length - 3) > 0) return "done";
    const [why] = rowsOf<{ is_taken: number; holds_role: number }>(results, results.length - 1);
    if (!why) return "changed-meanwhile";
    return why.is_taken === 1 ? "user-name-taken" : why.holds_role === 1 ? "has-role" : "email-taken";
  }

  /**
   * Deletes a user, and removes them from their groups. The person stays.
   *
   * Also changes the revisions of the user's groups, because they lose a member.
   *
   * @param revision the revision that the user must have; `null`: any
   * @returns `false` if the user has another revision, the person is not deactivated, or there is no such user
   */
  async remove(
    { instanceId, name }: Directory,
    { id, email }: Pick<StoredUser, "id" | "email">,
    revision: string | null,
    now: number,
  ): Promise<boolean> {
    const bound = [instanceId, name, id, revision] as const;
    const gone = `${THIS_USER} AND ${PERSON_IS_OUT} AND (?4 IS NULL OR revision = ?4)`;
    const ofUser = `FROM directory_members WHERE user_id = (SELECT id FROM directory_users WHERE ${gone})`;
    const results = await runBatch(this.database, [
      this.statement(
        `UPDATE directory_groups SET revision = hex(randomblob(16)), changed_at = ?5 WHERE id IN (SELECT group_id ${ofUser})`,
        [...bound, now],
      ),
      this.statement(`DELETE ${ofUser}`, [...bound]),
      this.statement(`DELETE FROM directory_users WHERE ${gone}`, [...bound]),
      this.#record("directory_user_removed", instanceId, name, id, email, now),
    ]);
    return changesOf(results, 2) > 0;
  }

  #record(
    event: "directory_user_added" | "directory_user_changed" | "directory_user_removed",
    instanceId: number,
    directory: string,
    userId: string,
    email: string,
    at: number,
  ): Statement {
    const entry = { instanceId, at, actor: directoryActor(directory), event, detail: { userId, email } };
    return recordIfChanged(this.database, entry);
  }
}

function toUser(row: Omit<Parameters<typeof readUser>[0], keyof typeof UNREAD>): StoredUser {
  return readUser({ ...UNREAD, ...row });
}
