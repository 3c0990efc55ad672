/** The base path of the Indexing API. */
export const INDEXING_BASE = "/rest/api/index";

/** All paths under which its calls are mounted. Pipelines that were written for the other one keep it; it is described nowhere else. */
export const INDEXING_BASES = [INDEXING_BASE, "/api/index/v1"] as const;
