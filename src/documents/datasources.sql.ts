/**
 * Returns SQL that defines a table `source` with the name of every datasource in a table, followed by a NULL. It takes one step
 * along the table's index per datasource, whereas DISTINCT would read every row.
 *
 * @param condition which rows count, in SQL
 */
export function sourcesOf(table: string, condition = "true"): string {
  return `WITH RECURSIVE source (name) AS (
    SELECT min(datasource) FROM ${table} WHERE ${condition}
    UNION ALL
    SELECT (SELECT min(datasource) FROM ${table} WHERE ${condition} AND datasource > s.name) FROM source s
    WHERE s.name IS NOT NULL)`;
}
