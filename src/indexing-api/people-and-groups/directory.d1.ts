import { runBatch, runStatement } from "#platform/d1.ts";
import type { Datasource, DatasourceUser, DirectoryStore, Membership } from "./people-and-groups.ts";

/** Users, groups and memberships of datasources, for `search-index/held-principals.sql.ts` to read. */
export class D1Directory implements DirectoryStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async describeUser({ instanceId, datasource }: Datasource, user: DatasourceUser): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO datasource_users (instance_id, datasource, user_id, email, name, is_active)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6)
           ON CONFLICT (instance_id, datasource, user_id) DO UPDATE SET
             email = excluded.email, name = excluded.name, is_active = excluded.is_active`,
        )
        .bind(instanceId, datasource, user.userId, user.email, user.name, user.isActive ? 1 : 0),
    );
  }

  /**
   * Memberships go in the same transaction: one of an id that looks like an email would otherwise be that email's from then on.
   * So do those that name the email itself: by id, where no other user of the datasource has it.
   */
  async removeUser(
    { instanceId, datasource }: Datasource,
    user: { readonly userId: string } | { readonly email: string },
  ): Promise<void> {
    const isById = "userId" in user;
    const [column, value] = isById ? (["user_id", user.userId] as const) : (["email", user.email] as const);
    const emailOfNobodyElse = `UNION SELECT u.email FROM datasource_users u
             WHERE u.instance_id = ?1 AND u.datasource = ?2 AND u.user_id = ?3 AND NOT EXISTS (
               SELECT 1 FROM datasource_users o WHERE o.instance_id = ?1 AND o.datasource = ?2
                 AND o.user_id <> ?3 AND (o.email = u.email OR o.user_id = u.email))`;
    const about = [instanceId, datasource, value] as const;
    await runBatch(this.#database, [
      this.#database
        .prepare(
          `DELETE FROM memberships WHERE instance_id = ?1 AND datasource = ?2 AND member_kind = 'user' AND member IN (
             SELECT ?3 UNION SELECT user_id FROM datasource_users
             WHERE instance_id = ?1 AND datasource = ?2 AND ${column} = ?3
             ${isById ? emailOfNobodyElse : ""})`,
        )
        .bind(...about),
      this.#database
        .prepare(`DELETE FROM datasource_users WHERE instance_id = ?1 AND datasource = ?2 AND ${column} = ?3`)
        .bind(...about),
    ]);
  }

  async describeGroup({ instanceId, datasource }: Datasource, name: string): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO datasource_groups (instance_id, datasource, name) VALUES (?1, ?2, ?3)
           ON CONFLICT (instance_id, datasource, name) DO UPDATE SET is_deleted = 0 WHERE is_deleted = 1`,
        )
        .bind(instanceId, datasource, name),
    );
  }

  /**
   * The row stays, marked, until neither a document nor a membership names the group: without it the directory's group of that
   * name would see what the datasource's group saw. A group that was never described is the directory's, and stays so.
   */
  async removeGroup({ instanceId, datasource }: Datasource, name: string): Promise<void> {
    const about = [instanceId, datasource, name] as const;
    await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE datasource_groups SET is_deleted = 1
           WHERE instance_id = ?1 AND datasource = ?2 AND name = ?3 AND is_deleted = 0`,
        )
        .bind(...about),
      this.#database
        .prepare("DELETE FROM memberships WHERE instance_id = ?1 AND datasource = ?2 AND group_name = ?3")
        .bind(...about),
      this.#database
        .prepare(
          `DELETE FROM memberships
           WHERE instance_id = ?1 AND member_kind = 'group' AND member = ?3 AND datasource = ?2 AND EXISTS (
             SELECT 1 FROM datasource_groups WHERE instance_id = ?1 AND datasource = ?2 AND name = ?3)`,
        )
        .bind(...about),
    ]);
  }

  /** Looks for the group and adds the member in one statement, so that no group that is being deleted gains one. */
  async addMember(
    { instanceId, datasource }: Datasource,
    { groupName, memberKind, member }: Membership,
  ): Promise<boolean> {
    const changes = await runStatement(
      this.#database
        .prepare(
          `INSERT INTO memberships (instance_id, datasource, member_kind, member, group_name)
           SELECT ?1, ?2, ?3, ?4, ?5 FROM datasource_groups
           WHERE instance_id = ?1 AND datasource = ?2 AND name = ?5 AND is_deleted = 0
           ON CONFLICT DO UPDATE SET member = excluded.member`,
        )
        .bind(instanceId, datasource, memberKind, member, groupName),
    );
    return changes > 0;
  }

  async removeMember(
    { instanceId, datasource }: Datasource,
    { groupName, memberKind, member }: Membership,
  ): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `DELETE FROM memberships
           WHERE instance_id = ?1 AND datasource = ?2 AND member_kind = ?3 AND member = ?4 AND group_name = ?5`,
        )
        .bind(instanceId, datasource, memberKind, member, groupName),
    );
  }
}
