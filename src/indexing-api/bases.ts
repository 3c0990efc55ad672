/** The base paths of the Indexing API. The first is the one to use; clients know both. */
export const INDEXING_BASES = ["/rest/api/index", "/api/index/v1"] as const;
