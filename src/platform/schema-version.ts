/** The version of the tables of `schema.sql`. Objects with documents have versions of their own. */
export const SCHEMA_VERSION = 1;

/**
 * What a database says about its tables: their version, and the oldest version of code that can serve them. A step that older code can
 * ignore, such as a new table, leaves the second as it is.
 */
export interface TablesVersion {
  readonly version: number;
  readonly oldestReader: number;
}

/** How errors about tables of another version begin. They reach the Worker as an error's message. */
export const STORAGE_BEHIND = "storage_behind_code";
export const STORAGE_AHEAD = "storage_ahead_of_code";

/** What callers read about it. */
export const AHEAD_TEXT = "The stored data belong to a newer version: the operator must deploy that version again";

/** Returns why code that knows a version of the tables can't serve a database; `null` if it can. */
export function versionFault({ version, oldestReader }: TablesVersion, known: number): string | null {
  if (version < known) return `${STORAGE_BEHIND}: the tables are at version ${version}, and this code needs ${known}`;
  if (oldestReader <= known) return null;
  return `${STORAGE_AHEAD}: the tables are at version ${version}, and this code knows ${known}: they need ${oldestReader}`;
}
