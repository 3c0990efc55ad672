import { readerOf } from "#platform/columns.sql.ts";
import { D1Store } from "#platform/d1-store.ts";
import type { MetadataKey } from "#documents/metadata/metadata.ts";
import { rowsOf, runBatch } from "#platform/d1.ts";

/** A number of documents, as far as they were counted. */
export interface DocumentCount {
  readonly count: number;
  /** Whether there are, or may be, more. */
  readonly isCapped: boolean;
}

/** A group in the list. */
export interface GroupLine {
  readonly id: number;
  readonly name: string;
  readonly display: string;
  readonly keys: number;
  readonly createdAt: number;
}

/** A group with its keys. */
export interface GroupWithKeys extends Omit<GroupLine, "keys"> {
  readonly keys: readonly MetadataKey[];
}

export class D1GroupDirectory extends D1Store {
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
   * Returns a group, by its folded name.
   *
   * Reads group and keys in one round trip, as of the same moment.
   */
  async find(instanceId: number, name: string): Promise<GroupWithKeys | null> {
    const results = await runBatch(this.database, [
      this.statement(
        `SELECT id, name, display_name AS display, created_at AS createdAt
         FROM metadata_groups WHERE instance_id = ?1 AND name = ?2`,
        [instanceId, name],
      ),
      this.statement(
        `SELECT id, name, display_name AS display, facet_name AS facetName, property_type AS propertyType,
           skip_indexing AS skipIndexing
         FROM metadata_keys
         WHERE group_id = (SELECT id FROM metadata_groups WHERE instance_id = ?1 AND name = ?2) ORDER BY position`,
        [instanceId, name],
      ),
    ]);
    const [group] = rowsOf<Omit<GroupWithKeys, "keys">>(results, 0);
    if (!group) return null;
    const readKey = readerOf<MetadataKey>()([], ["skipIndexing"]);
    return { ...group, keys: rowsOf<Parameters<typeof readKey>[0]>(results, 1).map(readKey) };
  }
}
