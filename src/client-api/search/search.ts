import { ApiError } from "#protocol/errors.ts";
import { base64url } from "jose";
import * as v from "valibot";
import { parseQuery, toMatchExpression } from "./query.ts";

/** Deeper than anybody turns pages; what is beyond is found by a better query. */
const OFFSET_MAX = 1000;

const PAGE_SIZE_MAX = 100;

/** The part of a search request (wire contract, POST /search) that is understood. Other members are ignored. */
const requestSchema = v.object({
  query: v.pipe(v.string(), v.maxLength(2000)),
  pageSize: v.optional(v.pipe(v.number(), v.integer()), 10),
  cursor: v.optional(v.string()),
  maxSnippetSize: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 200),
  requestOptions: v.optional(
    v.object({ datasourceFilter: v.optional(v.string()), datasourcesFilter: v.optional(v.array(v.string())) }),
  ),
});

/** One page to read from the index. */
export interface SearchPlan {
  readonly instanceId: number;
  readonly personId: string;
  /** The person's words, as {@link toMatchExpression} gives them; the store adds what the person may see. */
  readonly match: string;
  readonly datasources: readonly string[] | null;
  readonly snippetTokens: number;
  readonly offset: number;
  readonly limit: number;
}

export interface FoundDocument {
  readonly datasource: string;
  readonly externalId: string;
  readonly objectType: string;
  readonly title: string;
  readonly url: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  /** An excerpt with {@link MARK_START} and {@link MARK_END} around what matched. */
  readonly snippet: string;
}

/** Control characters, which no indexed text holds. */
export const MARK_START = "\u0002";
export const MARK_END = "\u0003";

export interface SearchIndex {
  /** Reads a page of what matches and the person may see, best first: one statement. */
  find(plan: SearchPlan): Promise<FoundDocument[]>;
}

export interface SearchPage {
  readonly searchedQuery: string;
  readonly documents: readonly FoundDocument[];
  readonly cursor: string | undefined;
}

/** Search as one person: what they may not see does not exist for them. */
export class Search {
  readonly #index: SearchIndex;

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  /**
   * @param body the JSON of the request
   * @throws {ApiError} `bad_request`, naming the member that is wrong
   */
  async search(instanceId: number, personId: string, body: Readonly<Record<string, unknown>>): Promise<SearchPage> {
    const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
    if (!parsed.success) throw malformed(v.getDotPath(parsed.issues[0]) ?? "body", parsed.issues[0].message);
    const { query, pageSize, cursor, maxSnippetSize, requestOptions } = parsed.output;
    const match = toMatchExpression(parseQuery(query));
    if (match === undefined) return { searchedQuery: query, documents: [], cursor: undefined };
    const offset = cursor === undefined ? 0 : parseCursor(cursor);
    const limit = Math.min(Math.max(pageSize, 1), PAGE_SIZE_MAX);
    const documents = await this.#index.find({
      instanceId,
      personId,
      match,
      datasources: datasourcesOf(requestOptions),
      snippetTokens: Math.min(Math.max(Math.round(maxSnippetSize / 6), 8), 64),
      offset,
      limit: limit + 1,
    });
    const next = offset + limit;
    const hasMore = documents.length > limit && next < OFFSET_MAX;
    return {
      searchedQuery: query,
      documents: documents.slice(0, limit),
      cursor: hasMore ? base64url.encode(`${next}`) : undefined,
    };
  }
}

/** Clients write filters that they do not use as empty ones: both mean every datasource. */
function datasourcesOf(options: v.InferOutput<typeof requestSchema>["requestOptions"]): readonly string[] | null {
  const { datasourceFilter, datasourcesFilter = [] } = options ?? {};
  if (datasourcesFilter.length > 0) return datasourcesFilter;
  return datasourceFilter ? [datasourceFilter] : null;
}

function parseCursor(cursor: string): number {
  let offset = Number.NaN;
  try {
    const text = new TextDecoder().decode(base64url.decode(cursor));
    offset = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  } catch {
    // Not base64url: no cursor of ours.
  }
  if (Number.isNaN(offset) || offset > OFFSET_MAX)
    throw malformed("cursor", "send back the cursor of an earlier answer");
  return offset;
}

function malformed(member: string, what: string): ApiError {
  return new ApiError("bad_request", {
    reason: "search_request_malformed",
    description: `${member} is not acceptable: ${what}`,
  });
}
