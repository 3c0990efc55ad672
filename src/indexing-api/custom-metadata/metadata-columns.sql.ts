/**
 * Makes a document's two columns of the index what its values are, by the keys that there are now: values of a key or group that
 * is gone add nothing, and those of a key with skip_indexing are found by filters only. The document's triggers do the rest.
 *
 * A statement appends which documents.
 */
export const REFRESH_METADATA_COLUMNS = `
  UPDATE documents SET
    metadata = COALESCE((
      SELECT group_concat(w.value, char(10) ORDER BY m.group_id, k.position)
      FROM document_metadata m CROSS JOIN json_each(m.words) w
      CROSS JOIN metadata_keys k ON k.id = CAST(w.key AS INTEGER) AND k.skip_indexing = 0
      WHERE m.document_id = documents.id), ''),
    metadata_filters = COALESCE((
      SELECT group_concat(f.value, ' ' ORDER BY m.group_id, k.position)
      FROM document_metadata m CROSS JOIN json_each(m.filters) f
      CROSS JOIN metadata_keys k ON k.id = CAST(f.key AS INTEGER)
      WHERE m.document_id = documents.id), '')`;
