import { allRows, rowsOf, runBatch } from "#platform/d1.ts";
import type { GroupLine, GroupRegisterStore, GroupWithKeys, KeyLine } from "./group-register.ts";

/** A document whose last key of a group went keeps an empty row; it holds nothing. */
const HOLDS_VALUES = "entries <> '{}'";

const OF_GROUP = "group_id = (SELECT id FROM metadata_groups WHERE instance_id = ?1 AND name = ?2)";

export class D1GroupRegister implements GroupRegisterStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  list(instanceId: number, documentsMax: number): Promise<GroupLine[]> {
    return allRows(
      this.#database
        .prepare(
          `SELECT g.name, g.display_name AS display, g.created_at AS createdAt,
             (SELECT count(*) FROM metadata_keys k WHERE k.group_id = g.id) AS keys,
             (SELECT count(*) FROM (
                SELECT 1 FROM document_metadata WHERE group_id = g.id AND ${HOLDS_VALUES} LIMIT ?2)) AS documents
           FROM metadata_groups g WHERE g.instance_id = ?1 ORDER BY g.name`,
        )
        .bind(instanceId, documentsMax),
    );
  }

  /** One round trip, as of one moment. */
  async find(instanceId: number, name: string, documentsMax: number): Promise<GroupWithKeys | null> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `SELECT name, display_name AS display, created_at AS createdAt,
             (SELECT count(*) FROM (
                SELECT 1 FROM document_metadata WHERE ${OF_GROUP} AND ${HOLDS_VALUES} LIMIT ?3)) AS documents
           FROM metadata_groups WHERE instance_id = ?1 AND name = ?2`,
        )
        .bind(instanceId, name, documentsMax),
      this.#database
        .prepare(
          `WITH holding AS (
             SELECT entries FROM document_metadata WHERE ${OF_GROUP} AND ${HOLDS_VALUES} LIMIT ?3),
           counted AS (
             SELECT e.key, count(*) AS documents FROM holding CROSS JOIN json_each(holding.entries) e GROUP BY e.key)
           SELECT k.name, k.display_name AS display, k.facet_name AS facetName, k.property_type AS propertyType,
             k.skip_indexing AS skipIndexing, COALESCE(c.documents, 0) AS documents
           FROM metadata_keys k LEFT JOIN counted c ON c.key = CAST(k.id AS TEXT)
           WHERE k.${OF_GROUP} ORDER BY k.position`,
        )
        .bind(instanceId, name, documentsMax),
    ]);
    const [group] = rowsOf<Omit<GroupWithKeys, "keys">>(results, 0);
    if (!group) return null;
    const keys = rowsOf<Omit<KeyLine, "skipIndexing"> & { skipIndexing: number }>(results, 1);
    return { ...group, keys: keys.map((key) => ({ ...key, skipIndexing: key.skipIndexing === 1 })) };
  }
}
