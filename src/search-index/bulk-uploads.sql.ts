/** The columns of `bulk_uploads` under the names of their type, `Upload`. */
export const UPLOAD_COLUMNS = `id, upload_id AS uploadId, stage, first_page AS firstPage, latest_page AS latestPage, documents,
  bytes, stored, removed, instance_id AS instanceId, datasource, position`;
