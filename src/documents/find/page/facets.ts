import type { Facet } from "#documents/engine.ts";
import type { Store } from "#documents/store.ts";

/** The longest value of a facet: values are chosen from a list, and longer texts are for reading. */
const VALUE_LENGTH_MAX = 100;

/**
 * The most bytes of values that count in each group of custom metadata, from the first documents. Otherwise, somebody who may write one
 * group to every document could make each search with facets take seconds.
 */
const GROUP_BYTES_MAX = 300_000;

/** A value of a field, and how many documents have it. */
interface BucketRow {
  readonly field: string;
  readonly is_multiple: number;
  readonly value: string;
  readonly count: number;
}

/** Counts what documents have in common, most frequent values first. Shows an author by name, never by address. */
export function facetsOf(store: Store, rows: readonly number[], buckets: number): Facet[] {
  const found = store.exec<BucketRow>(
    `WITH document (id, datasource, object_type, author_name) AS MATERIALIZED (
       SELECT d.id, d.datasource, d.object_type, d.author_name FROM json_each(?1) f CROSS JOIN documents d ON d.id = f.value),
     counted (document_id, group_id, upto) AS MATERIALIZED (
       SELECT m.document_id, m.group_id, sum(octet_length(m.entries)) OVER (PARTITION BY m.group_id ORDER BY f.key)
       FROM json_each(?1) f CROSS JOIN document_metadata m ON m.document_id = f.value),
     value (document_id, rank, field, is_multiple, value) AS (
       SELECT id, 0, 'datasource', 0, datasource FROM document
       UNION ALL SELECT id, 1, 'type', 0, object_type FROM document
       UNION ALL SELECT id, 2, 'from', 0, author_name FROM document WHERE author_name <> ''
       UNION ALL
       SELECT m.document_id, 2 + k.id, g.display_name || k.display_name, k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), v.value
       FROM counted c CROSS JOIN document_metadata m ON m.document_id = c.document_id AND m.group_id = c.group_id
         AND c.upto <= ${GROUP_BYTES_MAX}
       CROSS JOIN json_each(m.entries) e CROSS JOIN metadata_keys k ON k.id = CAST(e.key AS INTEGER) AND k.group_id = m.group_id
       CROSS JOIN metadata_groups g ON g.id = k.group_id CROSS JOIN json_each(e.value) v
       WHERE length(v.value) <= ${VALUE_LENGTH_MAX}),
     bucket (rank, field, is_multiple, value, count) AS (
       SELECT rank, min(field), min(is_multiple), min(value), count(DISTINCT document_id) FROM value GROUP BY rank, lower(value))
     SELECT field, is_multiple, value, count FROM (
       SELECT rank, field, is_multiple, value, count,
         row_number() OVER (PARTITION BY rank ORDER BY count DESC, value) AS nth FROM bucket)
     WHERE nth <= ?2 + 1
     ORDER BY rank, nth`,
    JSON.stringify(rows),
    buckets,
  );
  // Each field has at most one bucket more than a facet shows.
  return [...Map.groupBy(found, (row) => row.field)].map(([field, values]) => ({
    field,
    isMultiple: values[0]?.is_multiple === 1,
    buckets: values.slice(0, buckets).map(({ value, count }) => ({ value, count })),
    hasMoreBuckets: values.length > buckets,
  }));
}
