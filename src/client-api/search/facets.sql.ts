import { planSql, type SearchLimits } from "./plan.sql.ts";

/** Facets tell of so many of the documents found, the newest: enough to choose by, and no count of all. */
const FOUND_MAX = 1000;

/** A facet's value is chosen from a list; longer texts are read, not chosen. */
const VALUE_LENGTH_MAX = 100;

/**
 * What the documents found have in common: takes what {@link planSql} takes, and ?5, JSON `{ buckets }`. Gives rows of facet, value
 * and count, the most frequent first, one more of each than there are buckets. An author is told by name and never by address.
 */
export function facetsSql(limits: SearchLimits): string {
  return `
  WITH RECURSIVE ${planSql(limits)},
  found (id) AS MATERIALIZED (
    SELECT rowid FROM documents_fts
    WHERE documents_fts MATCH (SELECT everything FROM expression) AND rowid <= (SELECT snapshot FROM plan)
      AND rowid > (SELECT CASE mode WHEN 'ranked' THEN 0 ELSE low END FROM plan)
    ORDER BY rowid DESC LIMIT ${FOUND_MAX}
  ),
  document (id, datasource, object_type, author_name) AS MATERIALIZED (
    SELECT d.id, d.datasource, d.object_type, d.author_name FROM found CROSS JOIN documents d ON d.id = found.id
    WHERE d.instance_id = ?1
      AND (?3 ->> 'updated' IS NULL OR (d.updated_at >= COALESCE(?3 ->> '$.updated.from', 0)
        AND d.updated_at < COALESCE(?3 ->> '$.updated.until', 9e15)))
  ),
  value (document_id, rank, field, is_multiple, value) AS (
    SELECT id, 0, 'datasource', 0, datasource FROM document
    UNION ALL SELECT id, 1, 'type', 0, object_type FROM document
    UNION ALL SELECT id, 2, 'from', 0, author_name FROM document WHERE author_name <> ''
    UNION ALL
    SELECT document.id, 2 + k.id, g.display_name || k.display_name, k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), v.value
    FROM document CROSS JOIN document_metadata m ON m.document_id = document.id
    CROSS JOIN json_each(m.entries) e CROSS JOIN metadata_keys k ON k.id = e.key AND k.group_id = m.group_id
    CROSS JOIN metadata_groups g ON g.id = k.group_id CROSS JOIN json_each(e.value) v
    WHERE length(v.value) <= ${VALUE_LENGTH_MAX}
  ),
  bucket (rank, field, is_multiple, value, count) AS (
    SELECT rank, min(field), min(is_multiple), min(value), count(DISTINCT document_id) FROM value GROUP BY rank, lower(value)
  )
  SELECT field, is_multiple, value, count FROM (
    SELECT rank, field, is_multiple, value, count, row_number() OVER (PARTITION BY rank ORDER BY count DESC, value) AS nth FROM bucket
  )
  WHERE nth <= (?5 ->> 'buckets') + 1
  ORDER BY rank, nth`;
}
