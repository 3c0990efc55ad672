import type { Anchors } from "./anchors.ts";
import type { Language } from "./languages.ts";

/**
 * Stores an instance's documents and searches them. No instance can read, measure or slow down another. Every value that crosses
 * this port is plain data that can be cloned.
 *
 * The next search sees every change that has been acknowledged.
 */
export interface DocumentEngine {
  /** Makes changes, a large number in steps that take effect by themselves. Returns one outcome per change, in order. */
  apply(instanceId: number, changes: readonly DocumentChange[]): Promise<readonly ChangeOutcome[]>;
  /** Returns a page of the documents that match and that the seer may see, best first. */
  find(instanceId: number, search: DocumentSearch, seer: Seer): Promise<FoundPage>;
  /** Returns those of the named documents that the seer may see, each with its position among the names. */
  read(
    instanceId: number,
    names: readonly DocumentName[],
    seer: Seer,
    wanted: WantedParts,
  ): Promise<readonly NamedDocument[]>;
  /** Checks whether the seer may see a document; `undefined`: there is no such document. */
  maySee(instanceId: number, datasource: string, externalId: string, seer: Seer): Promise<boolean | undefined>;
  /** Returns how many documents a datasource has. */
  count(instanceId: number, datasource: string): Promise<number>;
}

/** The person who asks: their email and directory groups, and what their app may search. The engine itself knows the groups of datasources. */
export interface Seer {
  readonly email: string;
  /** Folded by `foldName`. */
  readonly directoryGroups: readonly string[];
  /** What the app may search that asks for them. Documents must meet all conditions; absent: all documents. */
  readonly content?: readonly ContentCondition[];
  /** What datasources say about them, for a shard that doesn't have this itself. */
  readonly rights?: PersonRights;
}

/** A condition for what an app may search: documents with one of the values in a field, or all others. */
export interface ContentCondition {
  /** `datasource`, `type`, or the name of a metadata key, as in queries. */
  readonly field: string;
  /** Whole values, folded by `foldTerm`. */
  readonly values: readonly string[];
  readonly isExcluded: boolean;
}

/** What the pipelines of datasources say about a person. */
export interface PersonRights {
  /** Differs whenever the rest may. */
  readonly version: string;
  /** The datasources where they are an active user. */
  readonly datasources: readonly string[];
  /** By datasource. */
  readonly memberships: ReadonlyMap<string, DatasourceMemberships>;
}

export interface DatasourceMemberships {
  /** The groups that they are in. */
  readonly groups: readonly string[];
  /** Their directory groups whose members the datasource names itself. */
  readonly described: readonly string[];
}

/** An entry of a document's permissions. An intersection's name is the JSON array of its groups' names, in order. */
export interface Principal {
  readonly kind: "everyone" | "datasource" | "person" | "group" | "intersection";
  readonly datasource: string;
  readonly name: string;
}

/**
 * A value that documents can be filtered by: a metadata key's field (`k<id>` whole, `w<id>` by word) and the folded value. `h<id>` says
 * that a document has a value for the key.
 */
export type FilterTerm = readonly [field: string, value: string];

/** A document from a pipeline, validated, with its texts in the form that the index takes. Times are epoch seconds. */
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
  /** Words that find the document, in addition to its title and body. */
  readonly keywords: string;
  /** The pipeline's own mark of what it sent, by which it recognizes what hasn't changed. */
  readonly contentHash?: string | null;
  /** Where sections of the source's URL begin in the body, as JSON (`anchors.ts`). */
  readonly anchors?: string | null;
  /** Who may see it. Empty: nobody. */
  readonly principals: readonly Principal[];
}

/** What a document's custom metadata adds to the index: text that words find, and values that filters find. */
export interface DocumentDescription {
  readonly words: string;
  readonly terms: readonly FilterTerm[];
}

/** A document's name: its datasource and id, or its URL. */
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

/** The fields of a document that responses show. */
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
  /** Group and key, as first written. */
  readonly key: string;
  readonly isList: boolean;
  readonly values: readonly string[];
}

export interface WantedParts {
  readonly customData: boolean;
  readonly content: boolean;
  /** If the contents are larger than this together, none is returned. */
  readonly contentBytesMax: number;
}

export interface NamedDocument extends DescribedDocument {
  /** The position of the name that this document has in the request. */
  readonly position: number;
  readonly content: string | null;
  /** The sections of the content. */
  readonly anchors?: Anchors;
}

/** Epoch seconds, including the start and excluding the end; `null`: no limit. */
export interface TimeRange {
  readonly from: number | null;
  readonly until: number | null;
}

/** A search: words and phrases, values of fields, and a time range. */
export interface DocumentSearch {
  readonly clauses: readonly SearchClause[];
  /** When documents were last updated; `null`: at any time. */
  readonly updated: TimeRange | null;
  readonly pageSize: number;
  /** Approximate length of an excerpt. */
  readonly excerptCharacters: number;
  /** The most characters of each document's text that come with it, around the best passage; by default none. */
  readonly textCharacters?: number;
  /** Buckets per facet; 0: no facets. */
  readonly facetBuckets: number;
  /** Where an earlier page ended, from its `next`; `null`: the first page. Only the engine interprets it. */
  readonly position: string | null;
  readonly preferences: SearchPreferences;
  /**
   * Whether documents that are nearly the same, and have the same passage, are one result. `apart`: they are several, which say what makes
   * them the same. Absent: nothing is said about it.
   */
  readonly copies?: "together" | "apart";
  /** What else typed words are called. */
  readonly synonyms?: readonly QuerySynonyms[];
}

/** What else documents may call one or several typed words. All are folded, with single spaces between words in a row. */
export interface QuerySynonyms {
  readonly words: readonly string[];
  readonly synonyms: readonly string[];
}

export interface SearchPreferences {
  /**
   * The languages whose stems find other forms of a word. Words as written come first in any case. A language that is new to the
   * instance is learnt gradually.
   */
  readonly languages: readonly Language[];
  /**
   * The current time in epoch seconds, if recently updated documents come first among those that match equally well; `null`: no
   * preference.
   */
  readonly recentAt: number | null;
  /** The language of the person's app or browser, for words that don't tell theirs. */
  readonly language?: Language | null;
}

/** One part of a search. Documents must match all filters and quoted texts, and should contain all other words. */
export interface SearchClause {
  /** Whether documents that match it are left out. */
  readonly isUnwanted: boolean;
  readonly text: QueryText | null;
  /** Replaces the text if the engine knows the field. */
  readonly filter: QueryField | null;
}

/** A word, or several consecutive words, folded by `wordsIn`. */
export interface QueryText {
  readonly words: readonly string[];
  /** Whether it was in quotes and is found only as written. */
  readonly isQuoted: boolean;
  /** Whether the last word may be the beginning of a longer one. */
  readonly isUnfinished: boolean;
  /**
   * Which of the words were typed as one name (the first, and the one after the last), and the word that stands for it in documents that have
   * that one: `queuerunmax` for `queue_run_max`; the sign of a word in capitals that would be a stop word; an option with its dashes.
   */
  readonly names?: readonly (readonly [from: number, until: number, asIndexed: string])[];
}

export interface QueryField {
  /** Folded. */
  readonly field: string;
  /** Documents need any one of these: the whole folded value, or all of its words. The field decides which. */
  readonly values: readonly { readonly whole: string; readonly words: readonly string[] }[];
  /** Whether it was typed without quotes, so that words of a person's name are enough. */
  readonly isPart?: boolean;
}

export interface FoundDocument extends DescribedDocument {
  /** A passage with as many of the words as possible close together. */
  readonly excerpt: Excerpt;
  /** The fragment of the URL that opens the section in which the excerpt begins. */
  readonly section?: string | null;
  /** The text that {@link DocumentSearch.textCharacters} asks for, or as much of it. */
  readonly text?: string;
  /** The sections of this text. */
  readonly anchors?: Anchors;
  /** How many other documents are left out because they are nearly the same. */
  readonly copies?: number;
  readonly likeness?: Likeness;
}

/** By what documents of a search are recognized as copies. */
export interface Likeness {
  readonly datasource: string;
  /** A hash of the passage, and of the words in the title that were searched for. */
  readonly passage: number;
  /** The document's sketch; empty: it has no copies. */
  readonly sketch: readonly number[];
}

export interface Excerpt {
  readonly text: string;
  /** Where the text contains what was searched for, in UTF-16 units: start, and exclusive end. */
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

/** How many documents a search finds. */
export interface DocumentTotal {
  readonly documents: number;
  /** Whether each was counted. Otherwise it is estimated from some of those that the seer may see. */
  readonly isExact: boolean;
}

export interface FoundPage {
  readonly documents: readonly FoundDocument[];
  readonly facets: readonly Facet[];
  /** How many documents have all words or, if these don't fill a page, some of them. Facets count the same documents. */
  readonly total?: DocumentTotal | undefined;
  /** The words of the search, folded, that at least one document of the page doesn't contain. */
  readonly missingWords: readonly string[];
  /** Words that no visible document contains, and the spelling that was also searched for, both folded. */
  readonly correctedWords: readonly CorrectedWord[];
  /** How much each word of the search says, folded: the rarer among what the seer may see, the more. */
  readonly wordWeights?: ReadonlyMap<string, number>;
  /**
   * The position of the next page; `null`: this is the last one. It reveals something about hidden documents, so callers must
   * seal it.
   */
  readonly next: string | null;
}
