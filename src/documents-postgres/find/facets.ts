import type { Facet } from "#documents/engine.ts";
import { type Bucket, facetsIn, GROUP_BYTES_MAX, VALUE_LENGTH_MAX } from "#documents/find/facets.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";

/**
 * Counts documents by the values of their fields, the most frequent values first. Authors appear by name and never by address.
 */
export async function facetsOf(rows: Rows, ids: readonly number[], buckets: number): Promise<Facet[]> {
  const found = await rows.byKey<Bucket>(
    `WITH document AS MATERIALIZED (
       SELECT d.id, d.datasource, d.object_type, d.author_name FROM documents d
       WHERE d.instance_id = $1 AND d.id = ANY ($2::int[])),
     counted AS MATERIALIZED (
       SELECT m.document_id, m.group_id, sum(pg_column_size(m.entries)) OVER (PARTITION BY m.group_id ORDER BY p.at) AS upto
       FROM unnest($2::int[]) WITH ORDINALITY AS p (id, at)
       JOIN document_metadata m ON m.instance_id = $1 AND m.document_id = p.id),
     value (document_id, rank, field, is_multiple, value) AS (
       SELECT id, 0, 'datasource', false, datasource::text FROM document
       UNION ALL SELECT id, 1, 'type', false, object_type FROM document
       UNION ALL SELECT id, 2, 'from', false, author_name FROM document WHERE author_name <> ''
       UNION ALL
       SELECT m.document_id, 2 + k.id, g.display_name || k.display_name, k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), v.value
       FROM counted c JOIN document_metadata m ON m.instance_id = $1 AND m.document_id = c.document_id AND m.group_id = c.group_id
         AND c.upto <= ${GROUP_BYTES_MAX}
       CROSS JOIN json_each(m.entries) e
       JOIN metadata_keys k ON k.instance_id = $1 AND k.id = e.key::int AND k.group_id = m.group_id
       JOIN metadata_groups g ON g.instance_id = $1 AND g.id = k.group_id
       CROSS JOIN json_array_elements_text(e.value) AS v (value)
       WHERE length(v.value) <= ${VALUE_LENGTH_MAX}),
     bucket AS (
       SELECT rank, min(field COLLATE "C") AS field, bool_or(is_multiple) AS is_multiple, min(value COLLATE "C") AS value,
         count(DISTINCT document_id) AS count
       FROM value GROUP BY rank, translate(value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
     SELECT field, is_multiple AS "isMultiple", value, count FROM (
       SELECT *, row_number() OVER (PARTITION BY rank ORDER BY count DESC, value COLLATE "C") AS nth FROM bucket) b
     WHERE nth <= $3::int + 1 ORDER BY rank, nth`,
    numberList(ids),
    buckets,
  );
  return facetsIn(found, buckets);
}
