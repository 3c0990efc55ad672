import { asMembers } from "#platform/columns.sql.ts";
import { AuditedStore, recordCount, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, rowsOf, runBatch, type Statement } from "#platform/d1.ts";
import { foldName } from "#protocol/folding.ts";
import {
  type Directory,
  directoryActor,
  type GroupDraft,
  GROUPS_MAX,
  GROUPS_PER_USER_MAX,
  type MemberStep,
  type Named,
  type Part,
  type PartAsked,
  type StoredGroup,
} from "./directory.ts";
import { FILTERABLE_GROUPS } from "./group-filter.sql.ts";
import { readPart } from "./part.sql.ts";

const COLUMNS = asMembers("id, display_name, external_id, revision, created_at, changed_at", "g.");

/** ?1 is the instance, ?2 the directory, ?3 the group. */
const THIS_GROUP = "id = ?3 AND instance_id = ?1 AND directory = ?2";

const MEMBERS_PER_STATEMENT = 1000;

const MEMBERS_NAMED = 20;

type Change = AuditEntry<"directory_group_changed">;

/** A directory, with the number of its users and groups. */
interface DirectoryCounts {
  readonly name: string;
  readonly users: number;
  readonly groups: number;
}

export class D1DirectoryGroups extends AuditedStore {
  /** Creates a group with its members. @returns `full` if there are {@link GROUPS_MAX} */
  async add(
    { instanceId, name: directory }: Directory,
    { id, displayName, externalId, revision }: GroupDraft & { readonly id: string; readonly revision: string },
    steps: readonly MemberStep[],
    now: number,
  ): Promise<"done" | "name-taken" | "full"> {
    const bound = [instanceId, directory, id] as const;
    const name = foldName(displayName);
    const entry = changeOf(bound, displayName, now);
    const results = await runBatch(this.database, [
      this.statement(
        `INSERT INTO directory_groups
           (id, instance_id, directory, name, display_name, external_id, revision, created_at, changed_at)
         SELECT ?3, ?1, ?2, ?4, ?5, ?6, ?7, ?8, ?8
         WHERE NOT EXISTS (SELECT 1 FROM directory_groups WHERE instance_id = ?1 LIMIT 1 OFFSET ${GROUPS_MAX - 1})
         ON CONFLICT DO NOTHING`,
        [...bound, name, displayName, externalId, revision, now],
      ),
      recordIfChanged(this.database, { ...entry, event: "directory_group_created" }),
      ...steps.flatMap((step) => this.#stepping(bound, step, revision, entry)),
      this.#nameOfOther(instanceId, name, id),
    ]);
    if (changesOf(results, 0) > 0) return "done";
    return rowsOf(results, results.length - 1).length > 0 ? "name-taken" : "full";
  }

  find({ instanceId, name }: Directory, id: string): Promise<StoredGroup | null> {
    return this.first(`SELECT ${COLUMNS} FROM directory_groups g WHERE ${THIS_GROUP}`, [instanceId, name, id]);
  }

  /** Returns which of some names directories' groups have, and whether there are any groups. */
  async named(
    instanceId: number,
    names: readonly string[],
  ): Promise<{ readonly names: string[]; readonly hasAny: boolean }> {
    const rows = await this.all<{ name: string | null }>(
      `SELECT g.name FROM json_each(?2) n JOIN directory_groups g ON g.instance_id = ?1 AND g.name = n.value
       UNION ALL SELECT NULL WHERE EXISTS (SELECT 1 FROM directory_groups WHERE instance_id = ?1)`,
      [instanceId, JSON.stringify(names)],
    );
    return { names: rows.flatMap(({ name }) => name ?? []), hasAny: rows.length > 0 };
  }

  /**
   * Returns the directories of an instance that have users or groups, by name. Users are counted by an index, without reading their rows,
   * because there may be 100,000.
   */
  counts(instanceId: number): Promise<DirectoryCounts[]> {
    return this.all<DirectoryCounts>(
      `SELECT name, sum(users) AS users, sum(groups) AS groups FROM (
         SELECT directory AS name, count(*) AS users, 0 AS groups FROM directory_users WHERE instance_id = ?1 GROUP BY 1
         UNION ALL
         SELECT directory, 0, count(*) FROM directory_groups WHERE instance_id = ?1 GROUP BY 1
       ) GROUP BY name ORDER BY name`,
      [instanceId],
    );
  }

  list(directory: Directory, part: PartAsked): Promise<Part<StoredGroup>> {
    const source = {
      columns: COLUMNS,
      from: "directory_groups g",
      alias: "g",
      order: "g.name",
      filterable: FILTERABLE_GROUPS,
    };
    return readPart(this.database, source, directory, part);
  }

  /** Returns a group's members after a user's id, ordered by id. */
  members({ instanceId }: Directory, id: string, after: string, limit: number): Promise<readonly Named[]> {
    return this.all<Named>(
      `SELECT u.id, u.attributes ->> '$.userName' AS display FROM directory_members m JOIN directory_users u ON u.id = m.user_id
       WHERE m.group_id = ?2 AND m.instance_id = ?1 AND m.user_id > ?3 ORDER BY m.user_id LIMIT ?4`,
      [instanceId, id, after, limit],
    );
  }

  /**
   * Returns the first id that belongs to no user of the directory, or to a user who is already in the maximum number of other groups.
   */
  refusedMember(
    { instanceId, name }: Directory,
    id: string,
    users: readonly string[],
  ): Promise<{ id: string; why: "unknown" | "full" } | null> {
    return this.first<{ id: string; why: "unknown" | "full" }>(
      `SELECT j.value AS id, iif(u.id IS NULL, 'unknown', 'full') AS why
       FROM json_each(?3) j LEFT JOIN directory_users u ON u.id = j.value AND u.instance_id = ?1 AND u.directory = ?2
       WHERE u.id IS NULL OR NOT EXISTS (SELECT 1 FROM directory_members WHERE group_id = ?4 AND user_id = u.id) AND EXISTS (
         SELECT 1 FROM directory_members WHERE user_id = u.id LIMIT 1 OFFSET ${GROUPS_PER_USER_MAX - 1}) LIMIT 1`,
      [instanceId, name, JSON.stringify(users), id],
    );
  }

  /**
   * Changes a group and its members completely or not at all, with audit entries.
   *
   * @param read the group; its name is recorded as the old one
   * @param before the revision that the group must have; `null`: any
   */
  async change(
    { instanceId, name: directory }: Directory,
    { id, displayName: known }: Pick<StoredGroup, "id" | "displayName">,
    { displayName, externalId }: Partial<GroupDraft>,
    steps: readonly MemberStep[],
    before: string | null,
    revision: string,
    now: number,
  ): Promise<"done" | "changed-meanwhile" | "name-taken"> {
    const bound = [instanceId, directory, id] as const;
    const name = displayName === undefined ? null : foldName(displayName);
    const entry = changeOf(bound, displayName ?? known, now);
    const isRenamed = displayName !== undefined && displayName !== known;
    const results = await runBatch(this.database, [
      this.statement(
        `UPDATE OR IGNORE directory_groups SET revision = ?4, changed_at = ?5, name = coalesce(?6, name),
           display_name = coalesce(?7, display_name), external_id = iif(?8, ?9, external_id)
         WHERE ${THIS_GROUP} AND (?10 IS NULL OR revision = ?10) AND (?11 IS NULL OR display_name = ?11)`,
        [
          ...bound,
          revision,
          now,
          name,
          displayName ?? null,
          externalId === undefined ? 0 : 1,
          externalId ?? null,
          before,
          isRenamed ? known : null,
        ],
      ),
      ...(isRenamed ? [recordIfChanged(this.database, { ...entry, detail: { ...entry.detail, before: known } })] : []),
      ...steps.flatMap((step) => this.#stepping(bound, step, revision, entry)),
      this.#nameOfOther(instanceId, name, id),
    ]);
    if (changesOf(results, 0) > 0) return "done";
    return rowsOf(results, results.length - 1).length > 0 ? "name-taken" : "changed-meanwhile";
  }

  /** Deletes a group. @param revision the revision that it must have; `null`: any */
  async remove(
    { instanceId, name }: Directory,
    { id, displayName }: Pick<StoredGroup, "id" | "displayName">,
    revision: string | null,
    now: number,
  ): Promise<boolean> {
    const bound = [instanceId, name, id] as const;
    const entry = changeOf(bound, displayName, now);
    const gone = `${THIS_GROUP} AND (?4 IS NULL OR revision = ?4)`;
    const results = await runBatch(this.database, [
      this.statement(`DELETE FROM directory_members WHERE group_id = (SELECT id FROM directory_groups WHERE ${gone})`, [
        ...bound,
        revision,
      ]),
      recordCount(this.database, entry, "removed"),
      this.statement(`DELETE FROM directory_groups WHERE ${gone}`, [...bound, revision]),
      recordIfChanged(this.database, { ...entry, event: "directory_group_removed" }),
    ]);
    return changesOf(results, 2) > 0;
  }

  #nameOfOther(instanceId: number, name: string | null, id: string): D1PreparedStatement {
    return this.statement("SELECT id FROM directory_groups WHERE instance_id = ?1 AND name = ?2 AND id <> ?3", [
      instanceId,
      name,
      id,
    ]);
  }

  /**
   * Returns the statements of a step. Each requires the revision that the first statement of the batch wrote, and changes nothing without
   * it. `CROSS JOIN` fixes the order of the join: otherwise the list of members would be read again for every user of the directory.
   */
  #stepping(
    bound: readonly [number, string, string],
    { kind, users }: MemberStep,
    revision: string,
    entry: Change,
  ): Statement[] {
    const isOurs = `EXISTS (SELECT 1 FROM directory_groups WHERE ${THIS_GROUP} AND revision = ?4)`;
    const sql = {
      add: `INSERT INTO directory_members (instance_id, group_id, user_id)
        SELECT ?1, ?3, u.id FROM json_each(?5) j CROSS JOIN directory_users u ON u.id = j.value
        WHERE u.instance_id = ?1 AND u.directory = ?2 AND ${isOurs}
          AND NOT EXISTS (SELECT 1 FROM directory_members WHERE user_id = u.id LIMIT 1 OFFSET ${GROUPS_PER_USER_MAX - 1})
        ON CONFLICT DO NOTHING`,
      remove: `DELETE FROM directory_members WHERE group_id = ?3 AND instance_id = ?1
        AND user_id IN (SELECT value FROM json_each(?5)) AND ${isOurs}`,
      keep: `DELETE FROM directory_members WHERE group_id = ?3 AND instance_id = ?1
        AND user_id NOT IN (SELECT value FROM json_each(?5)) AND ${isOurs}`,
    }[kind];
    const parts = kind === "keep" ? [users] : inParts(users, MEMBERS_PER_STATEMENT);
    return parts.flatMap((part) => {
      const named = kind === "keep" ? {} : { users: part.slice(0, MEMBERS_NAMED) };
      return [
        this.statement(sql, [...bound, revision, JSON.stringify(part)]),
        recordCount(
          this.database,
          { ...entry, detail: { ...entry.detail, ...named } },
          kind === "add" ? "added" : "removed",
        ),
      ];
    });
  }
}

function changeOf([instanceId, directory, id]: readonly [number, string, string], group: string, at: number): Change {
  const actor = directoryActor(directory);
  return { instanceId, at, actor, event: "directory_group_changed", detail: { group, groupId: id } };
}

function inParts(users: readonly string[], most: number): (readonly string[])[] {
  return Array.from({ length: Math.ceil(users.length / most) }, (_, at) => users.slice(at * most, (at + 1) * most));
}
