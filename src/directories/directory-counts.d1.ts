import { D1Store } from "#platform/d1-store.ts";

/** A directory, with the number of its users and groups. */
export interface DirectoryCounts {
  readonly name: string;
  readonly users: number;
  readonly groups: number;
}

/**
 * Counts what directories provision. Users are counted by an index, without reading their rows, because there may be 100,000.
 */
export class D1DirectoryCounter extends D1Store {
  /** Returns the directories of an instance that have users or groups, by name. */
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
}
