import { rowsOf, runBatch } from "#platform/d1.ts";
import type { CustomValue } from "#client-api/document-answer.ts";
import { facetsSql } from "./facets.sql.ts";
import { pageSql } from "./page.sql.ts";
import { SEARCH_LIMITS, type SearchLimits } from "./plan.sql.ts";
import {
  type Facet,
  type FoundDocument,
  type FoundPage,
  MARK_END,
  MARK_START,
  type SearchIndex,
  type SearchPlan,
} from "./search.ts";

interface PlanRow {
  readonly mode: FoundPage["mode"];
  readonly snapshot: number;
  readonly low: number;
  readonly high: number;
}

interface DocumentRow {
  readonly id: number;
  readonly place: number;
  readonly phase: FoundDocument["phase"];
  readonly datasource: string;
  readonly external_id: string;
  readonly object_type: string;
  readonly title: string;
  readonly url: string;
  readonly author_name: string | null;
  readonly author_email: string | null;
  readonly created_at: number | null;
  readonly updated_at: number | null;
  readonly custom_data: string;
  readonly snippet: string;
}

interface BucketRow {
  readonly field: string;
  readonly is_multiple: number;
  readonly value: string;
  readonly count: number;
}

/** Search in one round trip: the page, and the facets where they are asked for. */
export class D1SearchIndex implements SearchIndex {
  readonly #database: D1Database;
  readonly #pageSql: string;
  readonly #facetsSql: string;

  constructor(database: D1Database, limits: SearchLimits = SEARCH_LIMITS) {
    this.#database = database;
    this.#pageSql = pageSql(limits);
    this.#facetsSql = facetsSql(limits);
  }

  async find(plan: SearchPlan): Promise<FoundPage> {
    const results = await runBatch(this.#database, [
      this.#page(plan),
      ...(plan.facetBuckets === 0 ? [] : [this.#facets(plan)]),
    ]);
    const [chosen, ...documents] = rowsOf<unknown>(results, 0) as [PlanRow, ...DocumentRow[]];
    return {
      mode: chosen.mode,
      snapshot: chosen.snapshot,
      low: chosen.low,
      high: chosen.high,
      documents: documents.map(toDocument),
      facets: toFacets(rowsOf<BucketRow>(results, 1), plan.facetBuckets),
    };
  }

  #page(plan: SearchPlan): D1PreparedStatement {
    const page = JSON.stringify({ limit: plan.pageSize + 1, snippetTokens: plan.snippetTokens });
    return this.#database.prepare(this.#pageSql).bind(...planParameters(plan), page, MARK_START, MARK_END);
  }

  #facets(plan: SearchPlan): D1PreparedStatement {
    return this.#database
      .prepare(this.#facetsSql)
      .bind(...planParameters(plan), JSON.stringify({ buckets: plan.facetBuckets }));
  }
}

function planParameters({ instanceId, personId, clauses, updated, position }: SearchPlan) {
  const beginning = clauses.find((clause) => clause.text?.beginning)?.text?.beginning ?? null;
  return [instanceId, personId, JSON.stringify({ clauses, beginning, updated }), JSON.stringify(position ?? {})];
}

function toDocument(row: DocumentRow): FoundDocument {
  return {
    row: row.id,
    place: row.place,
    phase: row.phase,
    datasource: row.datasource,
    externalId: row.external_id,
    objectType: row.object_type,
    title: row.title,
    url: row.url,
    authorName: row.author_name,
    authorEmail: row.author_email,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    customData: JSON.parse(row.custom_data) as CustomValue[],
    snippet: row.snippet,
  };
}

function toFacets(rows: readonly BucketRow[], buckets: number): Facet[] {
  return [...Map.groupBy(rows, (row) => row.field)].map(([field, values]) => ({
    field,
    isMultiple: values[0]?.is_multiple === 1,
    buckets: values.slice(0, buckets).map(({ value, count }) => ({ value, count })),
    hasMoreBuckets: values.length > buckets,
  }));
}
