import type { QueryField, SearchClause } from "#documents/engine.ts";

/** A field that every document has, and the values, folded, that no document has which the person may see. */
export interface MissingFilter {
  readonly field: (typeof FIELDS)[number];
  readonly values: readonly string[];
  /** Whether it is part of the query, and not of the request's filters. */
  readonly isTyped: boolean;
}

const FIELDS = ["datasource", "type", "from"] as const;

/** The most filters that are looked at: each is a search. */
const CHECKED_MAX = 3;

/**
 * Returns the filters that are the reason why a search found nothing, whatever else it asked for.
 *
 * @param isFound whether the same person's search for a filter alone finds a document, so that hidden ones change nothing
 */
export async function missingFilters(
  clauses: readonly SearchClause[],
  isFound: (filter: QueryField) => Promise<boolean>,
): Promise<MissingFilter[]> {
  const wanted = clauses.flatMap(({ isUnwanted, text, filter }) => {
    const field = FIELDS.find((one) => one === filter?.field);
    return isUnwanted || !filter || !field ? [] : [{ field, filter, isTyped: text !== null }];
  });
  const checked = await Promise.all(
    wanted.slice(0, CHECKED_MAX).map(async ({ field, filter, isTyped }) => {
      const values = filter.values.map(({ whole }) => whole);
      return (await isFound(filter)) ? [] : [{ field, values, isTyped }];
    }),
  );
  return checked.flat();
}
