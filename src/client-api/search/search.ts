import type { AppAccess, Reader } from "#app-access/app-access.ts";
import { documentId } from "#client-api/document-answer.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type {
  CorrectedWord,
  DocumentEngine,
  DocumentSearch,
  DocumentTotal,
  Facet,
  FoundDocument,
  FoundPage,
  QuerySynonyms,
  SearchPreferences,
} from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { areCopies } from "#documents/find/page/likeness.ts";
import { Synonyms } from "#glossary/synonyms.ts";
import type { UnfoundWords } from "#glossary/unfound-words.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { epochSeconds } from "#platform/clock.ts";
import { identityOf, parseCursor, toCursor } from "./cursor.ts";
import { type MissingFilter, missingFilters } from "./missing-filters.ts";
import { findPage } from "./quotes.ts";
import { parseRequest, type UsedSizes } from "./request.ts";

/** The instance to search, with its search settings, and what apps may search. */
export type Searched = Pick<PolicySnapshot, "instanceId" | "settings" | "appContent" | "glossary">;

export interface SearchPage {
  readonly searchedQuery: string;
  readonly documents: readonly FoundDocument[];
  /** `undefined` if they were not requested. */
  readonly facets: readonly Facet[] | undefined;
  /** How many documents there are on all pages. */
  readonly total?: DocumentTotal | undefined;
  /** Words that some documents of the page don't contain, folded; with {@link missingFilters} that are part of the query. */
  readonly missingWords: readonly string[];
  /** If nothing was found: what no document has that the person may see. */
  readonly missingFilters?: readonly MissingFilter[];
  /** Words that no document contains, with the spelling that was also searched for, folded. */
  readonly correctedWords: readonly CorrectedWord[];
  /** How much each word of the query says, folded. */
  readonly wordWeights?: FoundPage["wordWeights"];
  /** What else words of the query are called, which was also searched for. */
  readonly synonyms?: readonly QuerySynonyms[];
  readonly cursor: string | undefined;
  readonly usedSizes: UsedSizes;
}

/** Returns the words of a search that has nothing but words. An address is somebody's own. */
function wordsAlone(query: string, { clauses, updated }: Pick<DocumentSearch, "clauses" | "updated">): string[] {
  if (query.includes("@") || updated !== null || clauses.some(({ filter }) => filter !== null)) return [];
  return clauses.flatMap(({ text, isUnwanted }) => (isUnwanted || text?.words.length !== 1 ? [] : text.words));
}

/** As many of the first results are compared with each other. */
const SIMILAR_AMONG = FIND_LIMITS.compared;

/** Returns those results of a page that are copies of another. */
function similarIn(page: FoundPage, id: string): FoundPage {
  const one = page.documents.find((document) => documentId(document) === id);
  const documents = page.documents.filter((other) => other !== one && areCopies(one?.likeness, other.likeness));
  return { ...page, documents, total: { documents: documents.length, isExact: true }, next: null };
}

/** Searches as one person: what they may not see, or their app may not search, does not exist for them. */
export class Search {
  readonly #documents: Pick<DocumentEngine, "find">;
  readonly #people: Pick<AppAccess, "seerOf">;
  readonly #keyring: Keyring;
  readonly #unfound: Pick<UnfoundWords, "note"> | null;
  readonly #synonyms = new Synonyms();

  constructor(
    documents: Pick<DocumentEngine, "find">,
    people: Pick<AppAccess, "seerOf">,
    keyring: Keyring,
    unfound: Pick<UnfoundWords, "note"> | null = null,
  ) {
    this.#documents = documents;
    this.#people = people;
    this.#keyring = keyring;
    this.#unfound = unfound;
  }

  /**
   * @param body the JSON of the request
   * @param more which parts of the documents' texts come with them, the language of the person's app, and whether the person still
   *   types, so that the last word may be unfinished
   * @throws {ApiError} `bad_request`, naming the member that is wrong; `unprocessable` for a day that doesn't exist;
   *   `search_unavailable`
   */
  async search(
    searched: Searched,
    reader: Reader,
    body: Readonly<Record<string, unknown>>,
    {
      language = null,
      isTyping = false,
      ...texts
    }: Pick<DocumentSearch, "textCharacters"> &
      Pick<SearchPreferences, "language"> & { readonly isTyping?: boolean } = {},
  ): Promise<SearchPage> {
    const { instanceId, settings, glossary } = searched;
    const { query, cursor, usedSizes, similarTo, ...requested } = parseRequest(body);
    const asked =
      similarTo === undefined
        ? { ...requested, copies: "together" as const }
        : { ...requested, copies: "apart" as const, pageSize: SIMILAR_AMONG, facetBuckets: 0 };
    const identity = () => identityOf(instanceId, reader, asked);
    const position = cursor === undefined ? null : await parseCursor(this.#keyring, await identity(), cursor);
    const answer = { searchedQuery: query, usedSizes };
    const total = { documents: 0, isExact: true };
    const nothing = { ...answer, documents: [], total, missingWords: [], correctedWords: [], cursor: undefined };
    const facetsOf = (facets: readonly Facet[]) => (asked.facetBuckets === 0 ? undefined : facets);
    // With unwanted words alone, a query would find everything else, which nobody asked for.
    if (asked.updated === null && asked.clauses.every((clause) => clause.isUnwanted)) {
      return { ...nothing, facets: facetsOf([]) };
    }
    const seer = await this.#people.seerOf(searched, reader);
    if (!seer) return { ...nothing, facets: facetsOf([]) };
    const preferences = {
      languages: settings.searchLanguages,
      recentAt: settings.searchPrefersRecent ? epochSeconds() : null,
      language,
    };
    const synonyms = this.#synonyms.in(asked.clauses, glossary, settings);
    const page = await findPage(asked.clauses, position, (clauses, at) =>
      this.#documents.find(instanceId, { ...asked, ...texts, clauses, position: at, preferences, synonyms }, seer),
    );
    const found = similarTo === undefined ? page : similarIn(page, similarTo);
    const isNothing = found.documents.length === 0 && position === null;
    if (isNothing && !isTyping) this.#unfound?.note(instanceId, reader.personId, wordsAlone(query, asked));
    const alone = { ...requested, updated: null, pageSize: 1, facetBuckets: 0, position: null, preferences };
    const missing = await missingFilters(isNothing ? asked.clauses : [], async (filter) => {
      const clauses = [{ isUnwanted: false, text: null, filter }];
      return (await this.#documents.find(instanceId, { ...alone, clauses }, seer)).documents.length > 0;
    });
    const typed = missing.filter(({ isTyped }) => isTyped).map(({ field, values }) => `${field}:${values.join()}`);
    return {
      ...answer,
      documents: found.documents,
      facets: facetsOf(found.facets),
      total: found.total,
      missingWords: [...found.missingWords, ...typed],
      missingFilters: missing,
      correctedWords: found.correctedWords,
      wordWeights: found.wordWeights,
      synonyms,
      cursor: found.next === null ? undefined : await toCursor(this.#keyring, await identity(), found.next),
    };
  }
}
