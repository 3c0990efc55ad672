import { SEARCH_LIMITS } from "#client-api/search/plan.sql.ts";
import { parseRequest } from "#client-api/search/d1-request.ts";
import { D1SearchIndex } from "#client-api/search/search.d1.ts";
import { HELD_PRINCIPALS } from "#search-index/held-principals.sql.ts";

/** One measurement: the search, the naive form of it, or the shortest statement. */
export interface Order {
  readonly what: "search" | "naive" | "floor";
  readonly person: string;
  readonly query: string;
  readonly facets: boolean;
  readonly times: number;
}

export interface Measured {
  /** Of one run, the mean. */
  readonly milliseconds: number;
  readonly rowsRead: number;
  readonly mode: string;
  readonly rows: readonly number[];
}

/**
 * What somebody writes first: all that matches, permissions looked up for each row, exact bm25 of the words. Its order is the
 * reference for ours.
 */
const NAIVE = `
  WITH RECURSIVE ${HELD_PRINCIPALS}
  SELECT rowid AS id FROM documents_fts
  WHERE documents_fts MATCH ?3 AND EXISTS (
    SELECT 1 FROM bench_permissions p
    WHERE p.document_id = documents_fts.rowid AND p.principal_id IN (SELECT id FROM held))
  ORDER BY bm25(documents_fts, 10.0, 1.0, 2.0, 0.0, 0.0, 2.0, 0.0), rowid DESC LIMIT 11`;

/** The status filter of the corpus, as the naive form names it: the first of its terms. */
const APPROVED = "SELECT id FROM filter_terms WHERE field = 'k1' AND value = 'approved'";

/** Runs beside the database in workerd, with the store that the product runs. */
export default {
  async fetch(request: Request, env: { DB: D1Database }): Promise<Response> {
    return Response.json(await measure(env.DB, (await request.json()) as Order));
  },
};

async function measure(database: D1Database, order: Order): Promise<Measured> {
  let rowsRead = 0;
  const counted = {
    prepare: (sql: string) => database.prepare(sql),
    async batch(statements: D1PreparedStatement[]) {
      const results = await database.batch(statements);
      rowsRead = results.reduce((sum, result) => sum + result.meta.rows_read, 0);
      return results;
    },
  } as D1Database;
  const run = await actOf(counted, order);
  let last = { mode: "", rows: [] as number[] };
  const begin = performance.now();
  for (let time = 0; time < order.times; time += 1) last = await run();
  return { milliseconds: (performance.now() - begin) / order.times, rowsRead, ...last };
}

async function actOf(
  database: D1Database,
  { what, person, query, facets }: Order,
): Promise<() => Promise<{ mode: string; rows: number[] }>> {
  const asked = parseRequest({ query, requestOptions: facets ? { facetBucketSize: 10 } : {} });
  if (what === "search") {
    const index = new D1SearchIndex(database, SEARCH_LIMITS);
    return async () => {
      const page = await index.find({ ...asked, instanceId: 1, personId: person, position: null });
      return { mode: page.mode, rows: page.documents.map((document) => document.row) };
    };
  }
  const approved = await database.prepare(APPROVED).first<number>("id");
  const parts = asked.clauses.map((clause) =>
    clause.filter === null
      ? `{title body keywords metadata} : ${clause.text?.match}`
      : `metadata_filters : f${approved}`,
  );
  const statement =
    what === "floor"
      ? database.prepare("SELECT 1 AS id")
      : database.prepare(NAIVE).bind(1, person, parts.join(" AND "));
  return async () => {
    const [result] = await database.batch<{ id: number }>([statement]);
    return { mode: what, rows: (result?.results ?? []).map((row) => row.id) };
  };
}
