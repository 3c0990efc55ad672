import type { DescribedDocument } from "#client-api/document-answer.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { identityOf, parseCursor, type Position, toCursor } from "./cursor.ts";
import { type Asked, parseRequest } from "./d1-request.ts";

/** One page to read from the index. */
export interface SearchPlan extends Asked {
  readonly instanceId: number;
  readonly personId: string;
  /** `null`: the first page. */
  readonly position: Position | null;
}

export interface FoundDocument extends DescribedDocument {
  /** Its row in the index. */
  readonly row: number;
  /** How many stand before it, where all are ranked. */
  readonly place: number;
  /** The part of its window that it stands in, where the newest come first. */
  readonly phase: "titles" | "rest" | "all" | null;
  /** An excerpt with {@link MARK_START} and {@link MARK_END} around what matched. */
  readonly snippet: string;
}

export interface Facet {
  readonly field: string;
  readonly isMultiple: boolean;
  readonly buckets: readonly { readonly value: string; readonly count: number }[];
  readonly hasMoreBuckets: boolean;
}

/** Control characters, which no indexed text holds. */
export const MARK_START = "\u0002";
export const MARK_END = "\u0003";

/** What the index read, and from where: see {@link Position}. */
export interface FoundPage {
  readonly mode: Position["mode"];
  readonly snapshot: number;
  readonly low: number;
  readonly high: number;
  /** One more than the page holds, where there are more. */
  readonly documents: readonly FoundDocument[];
  readonly facets: readonly Facet[];
}

export interface SearchIndex {
  /** Reads a page of what matches and the person may see, best first, in one round trip. */
  find(plan: SearchPlan): Promise<FoundPage>;
}

export interface SearchPage {
  readonly searchedQuery: string;
  readonly documents: readonly FoundDocument[];
  /** `undefined`: not asked for. */
  readonly facets: readonly Facet[] | undefined;
  readonly cursor: string | undefined;
}

/** Search as one person: what they may not see does not exist for them. */
export class Search {
  readonly #index: SearchIndex;
  readonly #keyring: Keyring;

  constructor(index: SearchIndex, keyring: Keyring) {
    this.#index = index;
    this.#keyring = keyring;
  }

  /**
   * @param body the JSON of the request
   * @throws {ApiError} `bad_request`, naming the member that is wrong; `unprocessable` for a day that no calendar has
   */
  async search(instanceId: number, personId: string, body: Readonly<Record<string, unknown>>): Promise<SearchPage> {
    const asked = parseRequest(body);
    const { query, pageSize, facetBuckets } = asked;
    const identity = await identityOf(instanceId, personId, asked);
    const position = asked.cursor === undefined ? null : await parseCursor(this.#keyring, identity, asked.cursor);
    const facetsOf = (facets: readonly Facet[]) => (facetBuckets === 0 ? undefined : facets);
    // What is left out alone would be everything else, which nobody asked for.
    if (asked.updated === null && asked.clauses.every((clause) => clause.isUnwanted)) {
      return { searchedQuery: query, documents: [], facets: facetsOf([]), cursor: undefined };
    }
    const found = await this.#index.find({ ...asked, instanceId, personId, position });
    const next = nextPosition(found, pageSize);
    return {
      searchedQuery: query,
      documents: found.documents.slice(0, pageSize),
      facets: facetsOf(found.facets),
      cursor: next && (await toCursor(this.#keyring, identity, next)),
    };
  }
}

/** Where the next page begins, if there may be one: behind the page's last document, or in the window of older rows. */
function nextPosition(found: FoundPage, pageSize: number): Position | undefined {
  const { mode, snapshot, low, high, documents } = found;
  const last = documents.length > pageSize ? documents[pageSize - 1] : undefined;
  if (mode === "ranked") return last && { mode, snapshot, last: last.row, place: last.place };
  if (last) return { mode, snapshot, high, low, phase: last.phase, before: last.row };
  if (low === 0) return undefined;
  return { mode, snapshot, high: low, low: null, phase: null, before: null };
}
