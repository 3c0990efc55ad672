import type { QueryField, SearchClause, TimeRange } from "#documents/engine.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
import { describeIssue } from "#platform/members.ts";
import * as v from "valibot";
import { dayOf } from "./dates.ts";
import { parseQuery, toField } from "./query.ts";

const PAGE_SIZE_MAX = 100;
const BUCKETS_MAX = 100;

/** A shorter excerpt says nothing; a longer one is the document. */
const EXCERPT_CHARACTERS_MIN = 40;
const EXCERPT_CHARACTERS_MAX = 2000;

/** Far more than a person picks, and still a limited expression for the index. */
const VALUES_MAX = 200;

/** Each filter adds a part to that expression; a form with every field of a datasource has fewer. */
const FILTERS_MAX = 20;

/** The name that filters use for the field with a time. */
const UPDATED = "last_updated_at";

const text = v.pipe(v.string(), v.maxLength(2000));

const facetFilterSchema = v.object({
  fieldName: text,
  values: v.array(
    v.object({
      value: text,
      relationType: v.optional(v.picklist(["EQUALS", "NOT_EQUALS", "GT", "LT"]), "EQUALS"),
    }),
  ),
});

/** A number of something. Nothing and parts of one are mistakes, so they are refused rather than replaced. */
const size = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Enough for the positions of 64 shards, and for a correction of each word. */
export const CURSOR_LENGTH_MAX = 8000;

/** A search request (wire contract, POST /search). Other members are ignored. */
export const requestSchema = v.object({
  query: text,
  pageSize: v.optional(size, 10),
  cursor: v.optional(v.pipe(v.string(), v.maxLength(CURSOR_LENGTH_MAX))),
  maxSnippetSize: v.optional(size, 200),
  timeoutMillis: v.optional(size),
  similarTo: v.optional(text),
  requestOptions: v.optional(
    v.object({
      datasourceFilter: v.optional(text),
      datasourcesFilter: v.optional(v.array(text)),
      facetFilters: v.optional(v.array(facetFilterSchema)),
      /** Clients have to fill it in, so those that want no facets send 0. */
      facetBucketSize: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
      responseHints: v.optional(v.array(text)),
    }),
    {},
  ),
});

type RequestOptions = v.InferOutput<typeof requestSchema>["requestOptions"];

/** What a request asks for, independent of the person. */
export interface SearchRequest {
  readonly query: string;
  readonly clauses: readonly SearchClause[];
  readonly updated: TimeRange | null;
  readonly pageSize: number;
  readonly cursor: string | undefined;
  /** The id of a document of which copies are listed. */
  readonly similarTo: string | undefined;
  readonly excerptCharacters: number;
  /** Buckets of each facet; 0 for no facets. */
  readonly facetBuckets: number;
  readonly usedSizes: UsedSizes;
}

/** Sizes that were used instead of requested ones that are beyond a limit, by the member of the request. */
export interface UsedSizes {
  readonly pageSize?: number;
  readonly maxSnippetSize?: number;
  readonly facetBucketSize?: number;
}

/**
 * Reads a search request.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong; `unprocessable` for a day that doesn't exist
 */
export function parseRequest(body: Readonly<Record<string, unknown>>): SearchRequest {
  const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
  if (!parsed.success) throw refusedAs(describeIssue(parsed.issues[0], "body"));
  const { query, pageSize, cursor, similarTo, maxSnippetSize, requestOptions } = parsed.output;
  const facetFilters = requestOptions.facetFilters ?? [];
  const values = facetFilters.reduce((sum, filter) => sum + filter.values.length, 0);
  if (values + (requestOptions.datasourcesFilter?.length ?? 0) > VALUES_MAX) {
    throw malformed("requestOptions", `filter by at most ${VALUES_MAX} values`);
  }
  const typed = parseQuery(query);
  const days = [...typed.filter(isAboutTime).flatMap(typedDays), ...facetFilters.flatMap(filteredDays)];
  const filters = distinct(facetFilters.flatMap(filterClauses));
  if (filters.length > FILTERS_MAX) {
    throw malformed("requestOptions.facetFilters", `send at most ${FILTERS_MAX} different filters`);
  }
  const sought = typed.filter((clause) => !isAboutTime(clause));
  const used = {
    pageSize: Math.min(pageSize, PAGE_SIZE_MAX),
    maxSnippetSize: Math.min(Math.max(maxSnippetSize, EXCERPT_CHARACTERS_MIN), EXCERPT_CHARACTERS_MAX),
    facetBucketSize: facetBuckets(requestOptions),
  };
  const { facetBucketSize = 0 } = requestOptions;
  return {
    query,
    clauses: distinct([...sought, ...datasourceClauses(requestOptions), ...filters]),
    updated: days.length === 0 ? null : days.reduce(overlap),
    pageSize: used.pageSize,
    cursor,
    similarTo,
    excerptCharacters: used.maxSnippetSize,
    facetBuckets: used.facetBucketSize,
    usedSizes: {
      ...(used.pageSize === pageSize ? {} : { pageSize: used.pageSize }),
      ...(used.maxSnippetSize === maxSnippetSize ? {} : { maxSnippetSize: used.maxSnippetSize }),
      ...(facetBucketSize <= BUCKETS_MAX || used.facetBucketSize === 0 ? {} : { facetBucketSize: BUCKETS_MAX }),
    },
  };
}

/**
 * Returns the number of buckets. Facets cost reading what was found, so a request with response hints gets facets only if it
 * names them. Without hints, a bucket size alone requests them.
 */
function facetBuckets({ responseHints, facetBucketSize }: RequestOptions): number {
  const isAsked = responseHints === undefined ? facetBucketSize !== undefined : responseHints.includes("FACET_RESULTS");
  return isAsked ? Math.min(facetBucketSize ?? 10, BUCKETS_MAX) : 0;
}

/** Clients send filters that they don't use as empty ones. An empty or absent filter means every datasource. */
function datasourceClauses({ datasourceFilter, datasourcesFilter = [] }: RequestOptions): SearchClause[] {
  const names = datasourcesFilter.length > 0 ? datasourcesFilter : datasourceFilter ? [datasourceFilter] : [];
  return clauseOf("datasource", names, false);
}

function filterClauses({ fieldName, values }: v.InferOutput<typeof facetFilterSchema>, at: number): SearchClause[] {
  if (foldTerm(fieldName) === UPDATED) return [];
  const having = (relation: string) => values.filter((one) => one.relationType === relation).map((one) => one.value);
  if (having("GT").length + having("LT").length > 0) {
    throw malformed(`requestOptions.facetFilters[${at}].values`, `GT and LT compare ${UPDATED} and no other field`);
  }
  return [...clauseOf(fieldName, having("EQUALS"), false), ...clauseOf(fieldName, having("NOT_EQUALS"), true)];
}

function clauseOf(field: string, values: readonly string[], isUnwanted: boolean): SearchClause[] {
  if (values.length === 0) return [];
  return [{ isUnwanted, text: null, filter: toField(field, values) }];
}

/** Removes repeated filters. Repeated words stay: how often a question has a word tells what it is about. */
function distinct(clauses: readonly SearchClause[]): SearchClause[] {
  if (clauses.length < 2) return [...clauses];
  return [
    ...new Map(clauses.map((clause, at) => [clause.filter === null ? at : JSON.stringify(clause), clause])).values(),
  ];
}

function isAboutTime({ filter }: SearchClause): boolean {
  return filter?.field === UPDATED;
}

function typedDays({ filter, isUnwanted }: SearchClause): TimeRange[] {
  if (isUnwanted) throw malformed("query", `${UPDATED} cannot be left out: filter by GT or LT`);
  return (filter as QueryField).values.map((value) => dayOf(value.whole));
}

function filteredDays({ fieldName, values }: v.InferOutput<typeof facetFilterSchema>, at: number): TimeRange[] {
  if (foldTerm(fieldName) !== UPDATED) return [];
  return values.map(({ value, relationType }) => {
    const day = dayOf(value);
    if (relationType === "GT") return { from: day.until, until: null };
    if (relationType === "LT") return { from: null, until: day.from };
    if (relationType === "EQUALS") return day;
    throw malformed(`requestOptions.facetFilters[${at}].values`, `${UPDATED} takes EQUALS, GT and LT`);
  });
}

/** Returns the intersection of two ranges, so that all limits of a time apply. */
function overlap(left: TimeRange, right: TimeRange): TimeRange {
  const starts = [left.from, right.from].filter((one) => one !== null);
  const ends = [left.until, right.until].filter((one) => one !== null);
  return {
    from: starts.length === 0 ? null : Math.max(...starts),
    until: ends.length === 0 ? null : Math.min(...ends),
  };
}

export function malformed(member: string, what: string): ApiError {
  return refusedAs(`${member} is not acceptable: ${what}`);
}

function refusedAs(description: string): ApiError {
  return new ApiError("bad_request", { reason: "search_request_malformed", description });
}
