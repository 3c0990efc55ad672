import { toDocumentAnswer } from "#client-api/document-answer.ts";
import { CURSOR_LENGTH_MAX } from "#client-api/search/request.ts";
import type { Facet, FoundDocument } from "#documents/engine.ts";
import { defineTool } from "#mcp/tool.ts";
import * as v from "valibot";
import { PASSAGE_CHARACTERS, toFound, toSummary } from "./found.ts";
import { toMetadata } from "./metadata.ts";

const text = v.pipe(v.string(), v.maxLength(2000));

const day = (what: string) =>
  v.optional(v.pipe(v.string(), v.isoDate("write a date as YYYY-MM-DD"), v.description(what)));

const input = v.strictObject({
  query: v.optional(
    v.pipe(text, v.description("What to look for, in words or as a question; can be left out if there are filters")),
  ),
  datasources: v.optional(
    v.pipe(v.array(text), v.maxLength(50), v.description("Only from these sources; facets list the sources")),
  ),
  filters: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          field: v.pipe(
            text,
            v.description("type, from (the author), or a field listed in facets; others are ignored"),
          ),
          values: v.pipe(v.array(text), v.minLength(1), v.maxLength(50), v.description("Any of these")),
          exclude: v.optional(v.pipe(v.boolean(), v.description("Leave these out instead"))),
        }),
      ),
      v.maxLength(20),
      v.description("Documents must match all of these"),
    ),
  ),
  updated_after: day("Only documents updated after this day"),
  updated_before: day("Only documents updated before this day"),
  facets: v.optional(v.pipe(v.boolean(), v.description("Also count the results by source, type, author and field"))),
  similar_to: v.optional(
    v.pipe(text, v.description("id of a result with similar_results, to list these; everything else must be the same")),
  ),
  page_size: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50), v.description("10 by default"))),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(CURSOR_LENGTH_MAX),
      v.description("next_cursor of the previous page; everything else must be the same"),
    ),
  ),
});

/** Search with everything that `searchTool` may not have: filters, facets, pages. */
export const searchDocumentsTool = defineTool({
  name: "search_documents",
  title: "Search with filters",
  description:
    "Searches like search, narrowed by source, type, author, custom field or date, with counts by field (facets) and further pages.",
  scope: "SEARCH",
  input,
  async run(args, { policy, caller, services }) {
    const page = await services.search.search(policy, caller, toRequest(args));
    const { documents, facets, cursor } = page;
    const authorIdOf = services.authorIds.of(policy.instanceId);
    const toResult = async (found: FoundDocument) => ({
      ...toFound(found),
      metadata: toMetadata(await toDocumentAnswer(found, authorIdOf)),
    });
    return {
      results: await Promise.all(documents.map(toResult)),
      ...(facets === undefined ? {} : { facets: facets.map(toFacet) }),
      ...toSummary(page),
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
    };
  },
});

/** Returns the arguments as a request of the Client API. */
function toRequest(args: v.InferOutput<typeof input>) {
  const { query = "", datasources, filters = [], updated_after: after, updated_before: before } = args;
  const bounds = [
    ...(after === undefined ? [] : [{ relationType: "GT", value: after }]),
    ...(before === undefined ? [] : [{ relationType: "LT", value: before }]),
  ];
  const facetFilters = filters.map(({ field, values, exclude = false }) => ({
    fieldName: field,
    values: values.map((value) => ({ value, relationType: exclude ? "NOT_EQUALS" : "EQUALS" })),
  }));
  return {
    query,
    maxSnippetSize: PASSAGE_CHARACTERS,
    ...(args.page_size === undefined ? {} : { pageSize: args.page_size }),
    ...(args.cursor === undefined ? {} : { cursor: args.cursor }),
    ...(args.similar_to === undefined ? {} : { similarTo: args.similar_to }),
    requestOptions: {
      ...(datasources === undefined ? {} : { datasourcesFilter: datasources }),
      facetFilters:
        bounds.length === 0 ? facetFilters : [...facetFilters, { fieldName: "last_updated_at", values: bounds }],
      responseHints: args.facets ? ["RESULTS", "FACET_RESULTS"] : ["RESULTS"],
    },
  };
}

function toFacet({ field, buckets, hasMoreBuckets }: Facet) {
  return { field, values: buckets.map(({ value, count }) => ({ value, count })), has_more: hasMoreBuckets };
}
