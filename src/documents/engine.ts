import type { Language } from "./languages.ts";

/**
 * Keeps an instance's documents and finds them. Nothing of one instance can be read, measured or slowed by another. Every value
 * that crosses this port is plain data that can be cloned.
 *
 * A change that was answered is seen by the next search.
 */
export interface DocumentEngine {
  /** Makes all changes or none of them. Answers one outcome a change, in order. */
  apply(instanceId: number, changes: readonly DocumentChange[]): Promise<readonly ChangeOutcome[]>;
  /** A page of what matches and the seer may see, best first. */
  find(instanceId: number, search: DocumentSearch, seer: Seer): Promise<FoundPage>;
  /** Those of the named documents that the seer may see, each with its place among the names. */
  read(
    instanceId: number,
    names: readonly DocumentName[],
    seer: Seer,
    wanted: WantedParts,
  ): Promise<readonly NamedDocument[]>;
  /** Whether the seer may see a document; `undefined`: there is none. */
  maySee(instanceId: number, datasource: string, externalId: string, seer: Seer): Promise<boolean | undefined>;
  /** How many documents a datasource has. */
  count(instanceId: number, datasource: string): Promise<number>;
}

/** The person who is asking, by email, and their directory groups. The engine knows the groups of datasources. */
export interface Seer {
  readonly email: string;
  /** Folded, as `foldName` does. */
  readonly directoryGroups: readonly string[];
}

/** An entry of a document's permissions. An intersection's name is the JSON array of its groups' names, in order. */
export interface Principal {
  readonly kind: "everyone" | "datasource" | "person" | "group" | "intersection";
  readonly datasource: string;
  readonly name: string;
}

/** A value that documents can be filtered by: a metadata key's field (`k<id>` whole, `w<id>` by word) and the folded value. */
export type FilterTerm = readonly [field: string, value: string];

/** A document as a pipeline sends it, checked, its texts as the index takes them. Times are epoch seconds. */
export interface IndexableDocument {
  readonly datasource: string;
  readonly externalId: string;
  readonly objectType: string;
  readonly title: string;
  readonly body: string;
  readonly summary: string | null;
  readonly url: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly tags: readonly string[];
  /** What it is found by beside title and body. */
  readonly keywords: string;
  /** Who may see it. Empty: nobody. */
  readonly principals: readonly Principal[];
}

/** What a document's custom metadata adds to the index: text that words find, and values that filters find. */
export interface DocumentDescription {
  readonly words: string;
  readonly terms: readonly FilterTerm[];
}

/** Which document is meant. */
export type DocumentName = { readonly datasource: string; readonly externalId: string } | { readonly url: string };

export type DocumentChange =
  | { readonly act: "put"; readonly document: IndexableDocument }
  | {
      readonly act: "permit";
      readonly datasource: string;
      readonly externalId: string;
      readonly principals: readonly Principal[];
    }
  | { readonly act: "remove"; readonly datasource: string; readonly externalId: string };

export type ChangeOutcome = "done" | "no_document" | "full";

/** The fields of a document that answers show. */
export interface DescribedDocument {
  readonly datasource: string;
  readonly externalId: string;
  readonly objectType: string;
  readonly title: string;
  readonly url: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly customData: readonly CustomValue[];
}

/** The values of a key of custom metadata. */
export interface CustomValue {
  /** Group and key, as they were first written. */
  readonly key: string;
  readonly isList: boolean;
  readonly values: readonly string[];
}

export interface WantedParts {
  readonly customData: boolean;
  readonly content: boolean;
  /** Beyond so many bytes of texts together, no content is read. */
  readonly contentBytesMax: number;
}

export interface NamedDocument extends DescribedDocument {
  /** Which of the names it answers. */
  readonly position: number;
  readonly content: string | null;
}

/** Epoch seconds, the start included and the end not; `null` is open. */
export interface TimeRange {
  readonly from: number | null;
  readonly until: number | null;
}

/** What somebody looks for: words and phrases, values of fields, a time. */
export interface DocumentSearch {
  readonly clauses: readonly SearchClause[];
  /** When documents were last updated; `null`: at any time. */
  readonly updated: TimeRange | null;
  readonly pageSize: number;
  /** About how long an excerpt is. */
  readonly excerptCharacters: number;
  /** Buckets of each facet; 0: no facets. */
  readonly facetBuckets: number;
  /** Where an earlier page ended, as its `next` said; `null`: the first page. Only the engine reads it. */
  readonly position: string | null;
  readonly preferences: SearchPreferences;
}

export interface SearchPreferences {
  /** Whose stems words share. Words as written come first in any case; a language that is new here is learnt by and by. */
  readonly languages: readonly Language[];
  /** Of documents that match alike, those that were updated recently come first. `now` in epoch seconds; `null`: no preference. */
  readonly recentAt: number | null;
}

/** One part of a search. Documents have to have all filters and quoted texts, and should have all other words. */
export interface SearchClause {
  /** Documents that it finds are left out. */
  readonly isUnwanted: boolean;
  readonly text: QueryText | null;
  /** Where the engine knows the field, it takes the text's place. */
  readonly filter: QueryField | null;
}

/** A word, or several that stand in a row, folded as `wordsIn` does. */
export interface QueryText {
  readonly words: readonly string[];
  /** In quotes: as written and nothing else. */
  readonly isQuoted: boolean;
  /** The last word may be the beginning of a longer one. */
  readonly isUnfinished: boolean;
}

export interface QueryField {
  /** Folded. */
  readonly field: string;
  /** Any of these: whole, folded; or all of the words. Which of both, the field decides. */
  readonly values: readonly { readonly whole: string; readonly words: readonly string[] }[];
}

export interface FoundDocument extends DescribedDocument {
  /** A passage with as many of the words as there are near each other. */
  readonly excerpt: Excerpt;
}

export interface Excerpt {
  readonly text: string;
  /** What was looked for, in UTF-16 units of the text: start, and end exclusive. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

export interface Facet {
  readonly field: string;
  readonly isMultiple: boolean;
  readonly buckets: readonly { readonly value: string; readonly count: number }[];
  readonly hasMoreBuckets: boolean;
}

export interface CorrectedWord {
  readonly typed: string;
  readonly found: string;
}

export interface FoundPage {
  readonly documents: readonly FoundDocument[];
  readonly facets: readonly Facet[];
  /** The words of the search that not every document of the page holds, folded. */
  readonly missingWords: readonly string[];
  /** Words that no document has, and the spelling that was looked for as well, folded. */
  readonly correctedWords: readonly CorrectedWord[];
  /** For the next page; `null`: this is the last. It tells of hidden documents, so it is to be sealed. */
  readonly next: string | null;
}
