import { AuditedStore, recordAs, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { MetadataGroup, MetadataKey as StoredKey, PropertyType } from "#documents/metadata/metadata.ts";
import { asMembers, readerOf } from "#platform/columns.sql.ts";
import { changesOf, rowsOf, runBatch, StorageUnavailable } from "#platform/d1.ts";
import { type GroupDescription, GROUPS_MAX } from "./group-schema.ts";
import type { GroupName } from "./names.ts";

/** A group as it is stored. */
export interface StoredGroup extends MetadataGroup {
  readonly createdAt: number;
}

/** A group in the list. */
export interface GroupLine extends Omit<StoredGroup, "version" | "keys"> {
  readonly keys: number;
}

/** The group as of the transaction that described it. */
export interface DescribedGroup {
  readonly kind: "described";
  /** Whether it differs from before. */
  readonly isChanged: boolean;
  readonly group: MetadataGroup;
}

/**
 * The audit entries of a description: one of them is recorded, with what was stored before, or none if nothing changes.
 */
export interface DescriptionEntries {
  readonly created: AuditEntry<"metadata_group_created">;
  readonly changed: AuditEntry<"metadata_group_changed">;
}

/** What a description may replace: nothing, whatever is stored, or only this version of the group. */
export type Replaced = "nothing" | "anything" | Pick<MetadataGroup, "id" | "version">;

/** Why the store changed nothing. */
export type SchemaRefusal =
  | { readonly kind: "group_changed" }
  | { readonly kind: "groups_full" | "group_exists" }
  | { readonly kind: "type_changed"; readonly key: string; readonly from: PropertyType }
  | { readonly kind: "field_taken"; readonly key: string };

/** Whether the group existed, and the highest id that any group had then. */
export interface SchemaRemoval {
  readonly isRemoved: boolean;
  readonly upTo: number;
}

interface Verdict {
  readonly is_full: number;
  readonly is_there: number;
  readonly is_changed: number;
  readonly changed_key: string | null;
  readonly changed_from: PropertyType | null;
  readonly taken_key: string | null;
}

const readKey = readerOf<StoredKey>()([], ["skipIndexing"]);

/** A key with its group. */
type KeyRow = Parameters<typeof readKey>[0] & {
  readonly groupId: number;
  readonly groupName: string;
  readonly groupDisplay: string;
  readonly version: number;
  readonly createdAt: number;
};

/**
 * Decides whether the group may become what is requested, in the batch that writes it. Every statement of the batch checks again,
 * and none of them changes the result, so each of two racing requests sees all of the other's work or nothing of it.
 *
 * Takes ?1, the instance's id, ?2, the group's folded name, ?3, the keys, ?4, how many groups there may be, ?5, whether the group
 * must be new, and ?6 and ?7, the id and version of the group to replace, if only that one may be. Defines the tables `given`,
 * `own`, `changed`, `taken` and `allowed`, which has a row if nothing prevents the change. A group that existed before has keys;
 * one that the batch itself has just created has none yet. A version below zero is one that the batch itself has just increased.
 */
const JUDGEMENT = `
  given AS (
    SELECT key AS position, value ->> 'name' AS name, value ->> 'display' AS display, value ->> 'facetName' AS facet_name,
      value ->> 'propertyType' AS property_type, value ->> 'skipIndexing' AS skip_indexing FROM json_each(?3)),
  own AS (SELECT id, version FROM metadata_groups WHERE instance_id = ?1 AND name = ?2),
  crowded AS (
    SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM own)
      AND (SELECT count(*) FROM metadata_groups WHERE instance_id = ?1) >= ?4),
  existing AS (SELECT 1 FROM own CROSS JOIN metadata_keys k ON k.group_id = own.id WHERE ?5),
  stale AS (
    SELECT 1 WHERE ?6 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM own WHERE id = ?6 AND version IN (?7, -1 - ?7))),
  changed AS (
    SELECT k.display_name, k.property_type FROM own CROSS JOIN given g
    CROSS JOIN metadata_keys k ON k.group_id = own.id AND k.name = g.name AND k.property_type <> g.property_type),
  taken AS (
    SELECT g.display FROM given g CROSS JOIN metadata_keys k ON k.instance_id = ?1 AND k.facet_name = g.facet_name
    WHERE k.group_id NOT IN (SELECT id FROM own)),
  allowed AS (
    SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM crowded) AND NOT EXISTS (SELECT 1 FROM existing) AND NOT EXISTS (SELECT 1 FROM stale)
      AND NOT EXISTS (SELECT 1 FROM changed) AND NOT EXISTS (SELECT 1 FROM taken))`;

const KEYS = `
  SELECT g.id AS groupId, g.name AS groupName, g.display_name AS groupDisplay, g.version, g.created_at AS createdAt, k.display_name AS display,
    ${asMembers("id, name, facet_name, property_type, skip_indexing", "k.")}
  FROM metadata_groups g JOIN metadata_keys k ON k.group_id = g.id
  WHERE g.instance_id = ?1 AND g.name = ?2 ORDER BY k.position`;

/** The stored keys of the group that an audit entry (?2) of an instance (?1) is about. */
const KEYS_OF_GROUP = `FROM metadata_keys k JOIN metadata_groups g ON g.id = k.group_id
  WHERE g.instance_id = ?1 AND g.name = ?2 ->> '$.group'`;

/** These keys as in the wire contract (`toGroupSchema`). */
const STORED = `(
  SELECT json_group_array(
    json_patch(
      json_object('name', k.display_name, 'propertyType', k.property_type),
      CASE k.skip_indexing WHEN 1 THEN '{"skipIndexing":true}' ELSE '{}' END
    ) ORDER BY k.position) ${KEYS_OF_GROUP})`;

/** The keys that an audit entry describes, each in its first spelling. Names are ASCII, so `lower` folds them. */
const AS_SPELT = `(
  SELECT json_group_array(
    json_set(described.value, '$.name', coalesce(
      (SELECT k.display_name ${KEYS_OF_GROUP} AND k.name = lower(described.value ->> '$.name')),
      described.value ->> '$.name')) ORDER BY described.key)
  FROM json_each(?2, '$.after') AS described)`;

export class D1GroupSchemas extends AuditedStore {
  /**
   * Replaces the group's keys, creates the group, or changes nothing, and records that, in one transaction.
   *
   * @param replaced what may be stored now; if it is something else, the description is refused
   */
  async describe(
    { group, keys }: GroupDescription,
    replaced: Replaced,
    { created, changed }: DescriptionEntries,
  ): Promise<DescribedGroup | SchemaRefusal> {
    const { instanceId, at } = created;
    const { id = null, version = null } = typeof replaced === "string" ? {} : replaced;
    const mustBeNew = replaced === "nothing" ? 1 : 0;
    const given = [instanceId, group.folded, JSON.stringify(keys), GROUPS_MAX, mustBeNew, id, version] as const;
    const judged = (statement: string) => this.statement(`WITH ${JUDGEMENT} ${statement}`);
    const results = await runBatch(this.database, [
      judged(
        `SELECT EXISTS (SELECT 1 FROM crowded) AS is_full, EXISTS (SELECT 1 FROM existing) AS is_there,
         EXISTS (SELECT 1 FROM stale) AS is_changed, (SELECT display_name FROM changed LIMIT 1) AS changed_key,
         (SELECT property_type FROM changed LIMIT 1) AS changed_from, (SELECT display FROM taken LIMIT 1) AS taken_key`,
      ).bind(...given),
      judged(
        `INSERT INTO metadata_groups (instance_id, name, display_name, created_at)
         SELECT ?1, ?2, ?8, ?9 FROM allowed WHERE true ON CONFLICT DO NOTHING`,
      ).bind(...given, group.display, at),
      recordIfChanged(this.database, created),
      // Documents tell by the version which of several schemas is the newest.
      judged(
        `UPDATE metadata_groups SET version = -1 - version
         WHERE id IN (SELECT id FROM own) AND EXISTS (SELECT 1 FROM allowed) AND (
           EXISTS (SELECT 1 FROM metadata_keys k LEFT JOIN given g ON g.name = k.name
             WHERE k.group_id = metadata_groups.id
               AND (k.skip_indexing IS NOT g.skip_indexing OR k.position IS NOT g.position))
           OR EXISTS (SELECT 1 FROM given g
             WHERE NOT EXISTS (SELECT 1 FROM metadata_keys k WHERE k.group_id = metadata_groups.id AND k.name = g.name)))`,
      ).bind(...given),
      // A group that this batch created has no keys yet, and already has its audit entry.
      recordAs(this.database, changed, {
        adds: { before: STORED, after: AS_SPELT },
        condition: `WHERE changes() > 0 AND EXISTS (SELECT 1 ${KEYS_OF_GROUP})`,
      }),
      judged(
        `DELETE FROM metadata_keys
         WHERE group_id IN (SELECT id FROM own) AND EXISTS (SELECT 1 FROM allowed)
           AND name NOT IN (SELECT name FROM given)`,
      ).bind(...given),
      // A key keeps its id and so its values, and its first spelling.
      judged(
        `INSERT INTO metadata_keys (instance_id, group_id, name, display_name, facet_name, property_type, skip_indexing, position)
         SELECT ?1, own.id, g.name, g.display, g.facet_name, g.property_type, g.skip_indexing, g.position
         FROM own JOIN given g WHERE EXISTS (SELECT 1 FROM allowed)
         ON CONFLICT (group_id, name) DO UPDATE SET skip_indexing = excluded.skip_indexing, position = excluded.position`,
      ).bind(...given),
      this.statement(
        "UPDATE metadata_groups SET version = -version WHERE instance_id = ?1 AND name = ?2 AND version < 0",
        [instanceId, group.folded],
      ),
      this.statement(KEYS, [instanceId, group.folded]),
    ]);
    const refusal = refusalOf(rowsOf<Verdict>(results, 0)[0]);
    if (refusal) return refusal;
    const stored = toGroup(rowsOf<KeyRow>(results, results.length - 1));
    if (!stored) throw new StorageUnavailable("a group that was written is not there");
    return { kind: "described", isChanged: changesOf(results, 2) + changesOf(results, 4) > 0, group: stored };
  }

  /** Returns the group with its keys, in their order. @param name folded */
  async read(instanceId: number, name: string): Promise<StoredGroup | undefined> {
    return toGroup(await this.all<KeyRow>(KEYS, [instanceId, name]));
  }

  /** Returns all groups, by name. */
  list(instanceId: number): Promise<GroupLine[]> {
    return this.all(
      `SELECT g.id, g.name, g.display_name AS display, g.created_at AS createdAt,
         (SELECT count(*) FROM metadata_keys k WHERE k.group_id = g.id) AS keys
       FROM metadata_groups g WHERE g.instance_id = ?1 ORDER BY g.name`,
      [instanceId],
    );
  }

  /** Returns the names of all keys as queries write them: group and key in one word. */
  fieldsOf(instanceId: number): Promise<string[]> {
    return this.all(
      "SELECT facet_name FROM metadata_keys WHERE instance_id = ?1 ORDER BY facet_name",
      [instanceId],
      ({ facet_name }: { facet_name: string }) => facet_name,
    );
  }

  /**
   * Removes the group and its keys, which are added to the audit entry. Ids are never reused, so from this transaction on, the name has no group with an id up to the returned one.
   */
  async remove(group: GroupName, entry: AuditEntry<"metadata_group_removed">): Promise<SchemaRemoval> {
    const ofGroup = (statement: string) => this.statement(statement, [entry.instanceId, group.folded]);
    const isThere = "EXISTS (SELECT 1 FROM metadata_groups WHERE instance_id = ?1 AND name = ?2 ->> '$.group')";
    const results = await runBatch(this.database, [
      recordAs(this.database, entry, { adds: { before: STORED }, condition: `WHERE ${isThere}` }),
      ofGroup(
        `DELETE FROM metadata_keys
         WHERE group_id IN (SELECT id FROM metadata_groups WHERE instance_id = ?1 AND name = ?2)`,
      ),
      ofGroup("DELETE FROM metadata_groups WHERE instance_id = ?1 AND name = ?2"),
      this.statement("SELECT seq FROM sqlite_sequence WHERE name = 'metadata_groups'"),
    ]);
    const [sequence] = rowsOf<{ seq: number }>(results, 3);
    return { isRemoved: changesOf(results, 0) > 0, upTo: sequence?.seq ?? 0 };
  }
}

function toGroup(rows: readonly KeyRow[]): StoredGroup | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { groupId: id, groupName: name, groupDisplay: display, version, createdAt } = first;
  const keys = rows.map(
    ({ groupId: _id, groupName: _name, groupDisplay: _display, version: _version, createdAt: _createdAt, ...key }) =>
      key,
  );
  return { id, name, display, version, createdAt, keys: keys.map(readKey) };
}

function refusalOf(verdict: Verdict | undefined): SchemaRefusal | undefined {
  if (!verdict) return undefined;
  if (verdict.is_there === 1) return { kind: "group_exists" };
  if (verdict.is_changed === 1) return { kind: "group_changed" };
  if (verdict.is_full === 1) return { kind: "groups_full" };
  if (verdict.changed_key !== null && verdict.changed_from !== null) {
    return { kind: "type_changed", key: verdict.changed_key, from: verdict.changed_from };
  }
  return verdict.taken_key === null ? undefined : { kind: "field_taken", key: verdict.taken_key };
}
