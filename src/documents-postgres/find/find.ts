import type { DocumentSearch, FoundPage } from "#documents/engine.ts";
import { countedByFacets } from "#documents/find/facets.ts";
import { type SlotWords, soughtIn } from "#documents/find/forms.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import { beginningsToRead, byNearness } from "#documents/find/nearness.ts";
import { Passages } from "#documents/find/passages.ts";
import { PhraseCheck } from "#documents/find/phrases.ts";
import { parsePosition, type Position, positionText } from "#documents/find/position.ts";
import {
  byPassages,
  type Holding,
  placeBehind,
  QUESTION_DOCUMENTS,
  QUESTION_WORDS,
  type Ranked,
  rankWhole,
  SOME_WORDS,
  withPhrases,
} from "#documents/find/rank.ts";
import { correctedPage } from "#documents/find/spelling.ts";
import { COMPLETED, IN_ANY_FORM, tallyOf, wordsOf } from "#documents/find/tally.ts";
import { byTitles, titlesToRead } from "#documents/find/titles.ts";
import { WordTable } from "#documents/find/word-table.ts";
import { dayOfSeconds, LONG_DOCUMENT_WORDS } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { type Instance, wordHashOf } from "#documents-postgres/instance.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { pairTokens } from "#documents-postgres/tokens.ts";
import type { Posting } from "#documents-postgres/upkeep/postings.ts";
import { type Admission, admit } from "./admission.ts";
import { Entries } from "./entries.ts";
import { facetsOf } from "./facets.ts";
import { type FoundWords, type SeenBy, wordsFor } from "./forms.ts";
import { ForwardReader } from "./forwards.ts";
import type { Candidate } from "./found.ts";
import { isComparable, readingOf } from "./gather.ts";
import { holdersOfAll } from "./holders.ts";
import { holdings, raritiesOf } from "./holdings.ts";
import { type KnownForwards, WORD_BYTES } from "./known-forwards.ts";
import { gatherLikely, gatherTogether } from "./likely.ts";
import { Lists } from "./lists.ts";
import { newestWithAny } from "./newest-with-any.ts";
import { newestIn, type Others, othersBefore } from "./others.ts";
import { readPage } from "./page.ts";
import { type Question, readQuestion } from "./question.ts";
import { Scope } from "./scope.ts";
import type { Seen } from "./seen-words.ts";
import { correctedWords } from "./spelling.ts";
import { stretchesOf } from "./stretches.ts";
import { together } from "./together.ts";
import { beginningsOf, textsToCheck } from "./texts.ts";

/**
 * For people who see a smaller share of the documents than this, reading the lists of their principals as well costs less than it
 * saves.
 */
const LISTED_SHARE = 0.25;

/**
 * If all documents with all words are known, this many times as many are scored, because choosing the best by lists costs more.
 */
const ALL_TOGETHER = 2.4;

/**
 * Returns the shortest of documents that all contain the same words, because they score highest: at most `max`, with at most
 * `wordsMax` words together. Most of the cost of documents with a phrase is the entries of long ones.
 */
function shortest(documents: readonly Candidate[], max: number, wordsMax: number): readonly Candidate[] {
  let words = 0;
  return documents
    .toSorted((one, other) => one.length - other.length || other.id - one.id)
    .slice(0, max)
    .filter(({ length }, at) => (words += length) <= wordsMax || at === 0);
}

/** The share of the words checked for phrases that the shortest documents get, because they usually score highest. */
const SHORTEST_WORDS = 1 / 5;

/** How many times as much of the index is read if documents need to have all words, or phrases. */
const TOGETHER_ENTRIES = 2;
const PHRASE_ENTRIES = 50;

/** What a search finds: documents in their order, and those after them that were not scored. */
interface Found {
  readonly ranked: readonly Ranked[];
  /** How to find the documents with all words that are not among the ranked; `null` if there are none. */
  readonly others: Others | null;
  /** Documents that facets count in addition to the ranked. */
  readonly more: readonly Candidate[];
}

/**
 * A token that no word has, with an endless count of documents, so that everything in scope is read: all of it is scored anyway.
 */
const EVERY_WORD_SOUGHT: ReadonlyMap<number, number> = new Map([[0, Number.POSITIVE_INFINITY]]);

const NOTHING_FOUND: FoundPage = { documents: [], facets: [], missingWords: [], correctedWords: [], next: null };

/** A search, in its own transaction. */
export class Find {
  readonly #rows: Rows;
  readonly #instance: Instance;
  readonly #hash: WordHash;
  readonly #search: DocumentSearch;
  readonly #limits: FindLimits;
  readonly #unpostedMax: number;
  readonly #forwards: ForwardReader;
  readonly #seen: Seen;
  /** Everything in scope, if it was read to choose words. */
  #all: Entries | null = null;
  /** All documents that contain one of the words before their correction, as far as they were read. */
  #read: { readonly sought: ReadonlyMap<number, number>; readonly entries: Entries } | null = null;

  constructor(
    rows: Rows,
    instance: Instance,
    search: DocumentSearch,
    limits: FindLimits,
    posting: Posting,
    known: KnownForwards,
    seen: Seen,
  ) {
    this.#rows = rows;
    this.#instance = instance;
    this.#hash = wordHashOf(instance);
    this.#search = search;
    this.#limits = limits;
    this.#unpostedMax = posting.few;
    this.#forwards = new ForwardReader(rows, known);
    this.#seen = seen;
  }

  /**
   * Returns a page of documents that match and that the person may see, best first. Returns the first page for a position that no
   * search returned.
   */
  async page(held: Held): Promise<FoundPage> {
    const { clauses, preferences, updated, pageSize } = this.#search;
    const position = this.#search.position === null ? null : parsePosition(this.#search.position);
    const question = await readQuestion(this.#rows, this.#hash, clauses, preferences.languages);
    if (question.slots.length + question.filters.length === 0 && updated === null) return NOTHING_FOUND;
    const scope = new Scope(held, question.filters, updated, position?.snapshot ?? this.#instance.lastDocument);
    const admission = await admit(this.#rows, this.#instance, scope, this.#limits);
    if (admission.count === 0) return NOTHING_FOUND;
    const before = position?.part === "ranked" ? position.place : position === null ? 0 : Number.POSITIVE_INFINITY;
    const found = await wordsFor(
      this.#rows,
      this.#hash,
      admission.isNarrow ? this.#allSeen(scope, admission) : this.#seenBy(scope, position === null, admission),
      question,
      preferences.languages,
      admission.isNarrow,
      this.#limits,
    );
    const ask = (asked: FoundWords) => {
      const lists = new Lists(this.#rows.instanceId, this.#instance, this.#hash, asked, this.#unpostedMax);
      return this.#found(question, asked.words, lists, scope, admission, before + pageSize);
    };
    const result = await ask(found);
    const corrected = await correctedWords(
      this.#rows,
      this.#forwards,
      this.#hash,
      scope,
      found,
      result.ranked,
      admission,
      this.#limits,
    );
    if (corrected === null) return this.#shown(result, found.words, question, scope, position);
    const { words } = corrected.found;
    const page = await this.#shown(await ask(corrected.found), words, question, scope, position);
    return correctedPage(page, found.words, corrected.corrections);
  }

  /** Chooses words by everything in scope, which is scored anyway. */
  #allSeen(scope: Scope, admission: Admission): SeenBy {
    const table = new WordTable();
    return {
      holding: () => Promise.resolve([]),
      commonestOf: (words, hashOf, max) => table.commonestOf(words, hashOf, max),
      learn: async (isOlderRead) => {
        if (isOlderRead) return false;
        const { weighedBytes } = this.#limits;
        this.#all = await this.#forwards.withAny(scope, EVERY_WORD_SOUGHT, admission, weighedBytes);
        this.#all.each((_, hashes) => table.add(hashes));
        return true;
      },
    };
  }

  /** Chooses words by what was read for the person before, and by what this search may still read. */
  #seenBy(scope: Scope, isFirstPage: boolean, { averageLength }: Admission): SeenBy {
    const { learnt, weighedBytes } = this.#limits;
    const { held } = scope;
    const seen = this.#seen.by(held, this.#instance);
    let left = isFirstPage ? Math.ceil(learnt / Math.max(averageLength, 1)) : 0;
    return {
      holding: async (words, max) => {
        const documents = await newestWithAny(this.#rows, this.#instance, scope, words, this.#unpostedMax);
        const table = new WordTable();
        (await this.#forwards.of(documents, weighedBytes)).each((_, hashes) => table.add(hashes));
        return table.commonestOf(words.hashes, (hash) => hash >>> 0, max);
      },
      commonestOf: (words, hashOf, max) => seen.commonestOf(words, hashOf, max),
      learn: async (isOlderRead) => {
        const asked = { max: left, bytesMax: learnt * WORD_BYTES * 2, isOlderRead };
        const read = await seen.learn(this.#rows, this.#forwards, held, this.#instance.lastDocument, asked);
        left -= read;
        return read > 0;
      },
    };
  }

  /** @param wanted number of documents up to the end of the page */
  async #found(
    question: Question,
    words: readonly SlotWords[],
    lists: Lists,
    scope: Scope,
    admission: Admission,
    wanted: number,
  ): Promise<Found> {
    const limits = this.#limits;
    const rows = this.#rows;
    if (words.length === 0) return { ranked: [], others: { lists: null, isRare: false }, more: [] };
    const share = admission.count / Math.max(this.#instance.documents, 1);
    const listed = share < LISTED_SHARE ? scope.sparse(rows.instanceId) : scope;
    const all = words.reduce((sum, _, slot) => sum + lists.entries(slot, IN_ANY_FORM), 0);
    if (admission.isNarrow || all <= limits.sample) {
      const entries = await this.#withAny(lists, listed, admission);
      return { ranked: await this.#ranked(entries, words, question, admission, null), others: null, more: [] };
    }
    const isAlone = words.length === 1 && question.phrases.length === 0;
    const holding = await holdings(rows, listed, lists, share, isAlone);
    const isRare = lists.rarest <= limits.together;
    const { known, first, isComplete } = await this.#withAll(question, lists, listed, admission, holding, isRare);
    const others: Others | null = isComplete ? null : { lists, isRare };
    const isRequired = words.every((word) => word.isRequired);
    let entries = new Entries();
    // For a question, documents don't come first for having all words.
    const isQuestion =
      words.length >= QUESTION_WORDS && !words.some((word) => word.isRequired) && first.length < QUESTION_DOCUMENTS;
    if (isRequired || (isComplete && first.length > wanted && !isQuestion)) {
      entries = await this.#forwards.of(first, limits.weighedBytes);
      const full = (await this.#ranked(entries, words, question, admission, holding)).filter(
        ({ tier }) => tier !== SOME_WORDS,
      );
      if (isRequired || full.length > wanted) return { ranked: full, others, more: known };
    }
    const likely =
      Math.max(first.length, known.length) < limits.few
        ? await gatherLikely(
            rows,
            listed,
            lists,
            IN_ANY_FORM,
            raritiesOf(words.length, IN_ANY_FORM, admission, holding),
            { all: null, reading: readingOf(limits, words.length, share, listed), max: limits.weighed },
            limits,
            share,
          )
        : null;
    const more = [...new Map([...first, ...(likely?.documents ?? [])].map((one) => [one.id, one])).values()]
      .slice(0, Math.max(limits.weighed, first.length + limits.weighed / 2) + words.length)
      .filter(({ id }) => !entries.has(id));
    entries = entries.with(await this.#forwards.of(more, limits.weighedBytes));
    return {
      ranked: await this.#ranked(entries, words, question, admission, holding),
      others,
      more: known,
    };
  }

  /**
   * Returns every document in scope that contains a word in any form. A corrected word adds documents, and only these are read
   * then.
   */
  async #withAny(lists: Lists, scope: Scope, admission: Admission): Promise<Entries> {
    if (this.#all !== null) return this.#all;
    const known = this.#read;
    const sought = lists.sought(IN_ANY_FORM);
    const fresh = new Map([...sought].filter(([token]) => known?.sought.has(token) !== true));
    const found =
      fresh.size === 0
        ? new Entries()
        : await this.#forwards.withAny(scope, fresh, admission, this.#limits.weighedBytes);
    const entries = known ? known.entries.with(found) : found;
    this.#read = { sought, entries };
    return entries;
  }

  /** Returns the documents with all words that are worth scoring, most promising first. */
  async #withAll(
    question: Question,
    lists: Lists,
    scope: Scope,
    admission: Admission,
    holding: Holding,
    isRare: boolean,
  ): Promise<{
    readonly first: readonly Candidate[];
    /** Documents that contain all words according to the index or to holders. */
    readonly known: readonly Candidate[];
    /** Whether no documents other than `first` contain all words. */
    readonly isComplete: boolean;
  }> {
    const limits = this.#limits;
    const rows = this.#rows;
    const { slots } = lists;
    const isAlone = slots === 1 && question.phrases.length === 0;
    const hasPhrases = question.phrases.some(({ words }) => words.length > 1);
    const listedMax = Math.ceil(limits.weighedTogether * ALL_TOGETHER);
    const share = admission.count / Math.max(this.#instance.documents, 1);
    const held = isAlone || hasPhrases ? null : await holdersOfAll(rows, scope, lists, question);
    const size = held?.likely.size ?? 0;
    // Few of many are in scope. If the index finds just these, it finds all of them.
    const isSparse = size > limits.weighed && size * share <= limits.weighed && (scope.isListed || isRare);
    if (held !== null && !isSparse) {
      const rarities = raritiesOf(slots, COMPLETED, admission, holding);
      const { documents, areAll } = await gatherTogether(rows, scope, lists, rarities, held, limits, share);
      return { first: documents, known: documents, isComplete: areAll };
    }
    const found =
      !isAlone && (isRare || hasPhrases || (scope.isListed && isComparable(lists)))
        ? await together(rows, scope, lists, question, isRare || hasPhrases ? limits.together : listedMax)
        : null;
    const known = found ?? [];
    if (found !== null && (hasPhrases || found.length < listedMax)) {
      const first = hasPhrases ? shortest(found, listedMax, limits.checkedWords * SHORTEST_WORDS) : found;
      return { first, known, isComplete: first.length === found.length };
    }
    if (!hasPhrases && !isComparable(lists))
      return { first: known.slice(0, limits.weighedTogether), known, isComplete: false };
    const reading = readingOf(limits, slots, share, scope);
    const heaviest = await gatherLikely(
      rows,
      scope,
      lists,
      COMPLETED,
      raritiesOf(slots, COMPLETED, admission, holding),
      {
        all: question,
        // Few of a list's documents have all words and almost none have a phrase. Skipping the others costs little.
        reading: {
          ...reading,
          entries: reading.entries * (isAlone ? 1 : hasPhrases ? PHRASE_ENTRIES : TOGETHER_ENTRIES),
        },
        max: limits.weighedTogether + 1,
      },
      limits,
      share,
    );
    const first = [...new Map([...heaviest.documents, ...known].map((one) => [one.id, one])).values()];
    return {
      // No more documents with phrases than are checked.
      first: first.slice(0, hasPhrases ? Math.min(limits.checked, limits.weighedTogether) : limits.weighedTogether),
      known,
      isComplete: heaviest.areAll && first.length <= limits.weighedTogether,
    };
  }

  /** @param holding `null` if the entries include all documents in scope that contain a word */
  async #ranked(
    entries: Entries,
    words: readonly SlotWords[],
    question: Question,
    admission: Admission,
    holding: Holding | null,
  ): Promise<readonly Ranked[]> {
    const limits = this.#limits;
    const { recentAt } = this.#search.preferences;
    const unwanted = question.unwanted.filter((one) => one.length === 1).flat();
    const counted = tallyOf(words, unwanted, this.#hash, (see) => entries.each(see));
    const { ranked, rarities, recencyOf } = rankWhole(
      counted,
      words,
      holding ?? ((slot, way) => counted.holding(slot, way)),
      { cells: entries, admission, today: recentAt === null ? null : dayOfSeconds(recentAt) },
    );
    const lengthOf = (id: number) => entries.lengthOf(id);
    const long =
      words.length === 1
        ? []
        : ranked
            .slice(0, limits.passages)
            .map(({ row }) => row)
            .filter((id) => lengthOf(id) >= LONG_DOCUMENT_WORDS);
    const wanted = [...new Set(words.flatMap((word) => wordsOf(word, IN_ANY_FORM)))].map(this.#hash);
    const stretches = await stretchesOf(this.#rows, entries, long, wanted, limits.passageBytes);
    const passages = new Passages(words, {
      lengthOf,
      averageLength: admission.averageLength,
      documents: limits.passages,
      hash: this.#hash,
      each: (ids, see) => entries.eachWithStretches(stretches, ids, see),
    });
    const weighed = byPassages(ranked, passages, rarities, recencyOf);
    const pairsOf = (phrase: readonly string[]) => pairTokens(this.#rows.instanceId, phrase.map(this.#hash));
    const texts = await textsToCheck(
      this.#rows,
      question,
      holding === null ? pairsOf : null,
      weighed,
      lengthOf,
      limits,
    );
    const found = withPhrases(weighed, new PhraseCheck(question, limits, lengthOf, (id) => texts.get(id)));
    const titled = titlesToRead(found, counted, words, limits.titles);
    const begun = beginningsToRead(found, words, limits.begun);
    const beginnings = await beginningsOf(this.#rows, entries, begun, titled, limits.begunCharacters);
    return byTitles(byNearness(found, words, rarities, beginnings), question, beginnings);
  }

  async #shown(
    found: Found,
    words: readonly SlotWords[],
    question: Question,
    scope: Scope,
    position: Position | null,
  ): Promise<FoundPage> {
    const { ranked, others } = found;
    const { pageSize, facetBuckets, excerptCharacters } = this.#search;
    const { upTo: snapshot } = scope;
    const from = position?.part === "others" ? ranked.length : position === null ? 0 : placeBehind(ranked, position);
    const shown = ranked.slice(from, from + pageSize);
    const ids = shown.map(({ row }) => row);
    const last = shown.at(-1);
    let next: Position | null = null;
    if (last && from + shown.length < ranked.length) {
      next = { part: "ranked", snapshot, last: last.row, place: from + shown.length };
    } else if (others && ids.length < pageSize) {
      const page = await othersBefore(this.#rows, this.#forwards, this.#hash, scope, question, others, {
        known: new Set(ranked.map(({ row }) => row)),
        before: position?.part === "others" ? position.before : snapshot + 1,
        max: pageSize - ids.length,
        limits: this.#limits,
      });
      ids.push(...page.ids);
      if (page.before > 1) next = { part: "others", snapshot, before: page.before };
    } else if (others) next = { part: "others", snapshot, before: snapshot + 1 };
    const held = shown.reduce((bits, one) => bits & one.held, -1);
    return {
      documents: await readPage(this.#rows, ids, soughtIn(words, question), excerptCharacters),
      facets: facetBuckets === 0 ? [] : await facetsOf(this.#rows, await this.#facetIds(found, scope), facetBuckets),
      missingWords: words.filter((_, slot) => (held & (1 << slot)) === 0).map(({ word }) => word),
      correctedWords: [],
      next: next && positionText(next),
    };
  }

  /** Returns the documents that facets count. Without words, these are all that the filters leave. */
  async #facetIds({ ranked, more, others }: Found, scope: Scope): Promise<readonly number[]> {
    const max = this.#limits.facetDocuments;
    if (others?.lists === null) {
      return (await newestIn(this.#rows, scope, scope.upTo + 1, max)).map(({ id }) => id);
    }
    const known = more.map(({ id }) => id);
    const full = new Set([...ranked.filter(({ hasAll }) => hasAll).map(({ row }) => row), ...known]);
    return countedByFacets(ranked, known, full.size >= this.#search.pageSize).slice(0, max);
  }
}
