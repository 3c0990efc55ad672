/**
 * A document's custom metadata for people: a JSON array of `{ key, isList, values }`, the key being group and key as they were
 * first written. Values of keys and groups that are gone are not told.
 *
 * @param documentId an expression
 */
export function customDataOf(documentId: string): string {
  return `(SELECT json_group_array(json_object('key', g.display_name || k.display_name,
      'isList', json(iif(k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), 'true', 'false')), 'values', json(v.value)))
    FROM document_metadata m CROSS JOIN json_each(m.entries) v
    CROSS JOIN metadata_keys k ON k.id = CAST(v.key AS INTEGER) AND k.group_id = m.group_id
    CROSS JOIN metadata_groups g ON g.id = m.group_id WHERE m.document_id = ${documentId})`;
}
