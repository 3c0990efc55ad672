import type { DocumentSearch, FoundPage } from "#documents/engine.ts";
import { type SlotWords, soughtIn } from "#documents/find/forms.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { Passages } from "#documents/find/passages.ts";
import { PhraseCheck } from "#documents/find/phrases.ts";
import { parsePosition, type Position, positionText } from "#documents/find/position.ts";
import {
  byPassages,
  type Holding,
  placeBehind,
  type Ranked,
  rankWhole,
  SOME_WORDS,
  withPhrases,
} from "#documents/find/rank.ts";
import { correctedPage } from "#documents/find/spelling.ts";
import { COMPLETED, IN_ANY_FORM, tallyOf } from "#documents/find/tally.ts";
import { byTitles, titlesToRead } from "#documents/find/titles.ts";
import { dayOfSeconds, LONG_DOCUMENT_WORDS } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { type Instance, wordHashOf } from "#documents-postgres/instance.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { type Admission, admit } from "./admission.ts";
import { entriesToRead, gather, holdings, Lists, raritiesOf, together } from "./candidates.ts";
import { type Entries, entriesOf, entriesWithAny, stretchesOf } from "./entries.ts";
import { facetsOf } from "./facets.ts";
import { type FoundWords, wordsOf } from "./forms.ts";
import { newestIn, type Others, othersBefore } from "./others.ts";
import { readPage } from "./page.ts";
import { type Question, readQuestion } from "./question.ts";
import { Scope } from "./scope.ts";
import { correctedWords } from "./spelling.ts";
import { textsToCheck, titlesOf } from "./texts.ts";

/** So many times as much of the index is read where documents need to have phrases. */
const PHRASE_ENTRIES = 50;

/** What a search finds: documents in their order, and those behind them that were not weighed. */
interface Found {
  readonly ranked: readonly Ranked[];
  /** What finds documents with all words, of which some are not among the ranked; `null`: all of them are. */
  readonly others: Others | null;
  /** Documents that facets tell of beside the ranked. */
  readonly more: readonly number[];
}

const NOTHING_FOUND: FoundPage = { documents: [], facets: [], missingWords: [], correctedWords: [], next: null };

/** One search, in a transaction of its own. */
export class Find {
  readonly #rows: Rows;
  readonly #instance: Instance;
  readonly #hash: WordHash;
  readonly #search: DocumentSearch;
  readonly #limits: FindLimits;

  constructor(rows: Rows, instance: Instance, search: DocumentSearch, limits: FindLimits = FIND_LIMITS) {
    this.#rows = rows;
    this.#instance = instance;
    this.#hash = wordHashOf(instance);
    this.#search = search;
    this.#limits = limits;
  }

  /** A page of what matches and the seer may see, best first; the first page for a position that no search answered with. */
  async page(held: Held): Promise<FoundPage> {
    const { clauses, preferences, updated, pageSize } = this.#search;
    const position = this.#search.position === null ? null : parsePosition(this.#search.position);
    const question = await readQuestion(this.#rows, this.#hash, clauses, preferences.languages);
    if (question.slots.length + question.filters.length === 0 && updated === null) return NOTHING_FOUND;
    const scope = new Scope(held, question.filters, updated, position?.snapshot ?? this.#instance.lastDocument);
    const admission = await admit(this.#rows, this.#instance, scope, this.#limits);
    if (admission.count === 0) return NOTHING_FOUND;
    const before = position?.part === "ranked" ? position.place : position === null ? 0 : Number.POSITIVE_INFINITY;
    const found = await wordsOf(
      this.#rows,
      this.#hash,
      scope,
      question,
      preferences.languages,
      admission.isNarrow,
      this.#limits,
    );
    const ask = (asked: FoundWords) => {
      const lists = new Lists(this.#rows.instanceId, this.#hash, asked);
      return this.#found(question, asked.words, lists, scope, admission, before + pageSize);
    };
    const result = await ask(found);
    const corrected = await correctedWords(
      this.#rows,
      this.#hash,
      scope,
      found,
      result.ranked,
      admission.isNarrow,
      this.#limits,
    );
    if (corrected === null) return this.#shown(result, found.words, question, scope, position);
    const { words } = corrected.found;
    const page = await this.#shown(await ask(corrected.found), words, question, scope, position);
    return correctedPage(page, found.words, corrected.corrections);
  }

  /** @param wanted how many come up to the end of the page */
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
    const all = words.reduce((sum, _, slot) => sum + lists.entries(slot, IN_ANY_FORM), 0);
    if (admission.isNarrow || all <= limits.sample) {
      const entries = await entriesWithAny(
        rows,
        scope,
        lists.allTokens(IN_ANY_FORM),
        admission.isNarrow,
        limits.weighedBytes,
      );
      return { ranked: await this.#ranked(entries, words, question, admission, null), others: null, more: [] };
    }
    const share = admission.count / Math.max(this.#instance.documents, 1);
    const holding = await holdings(rows, scope, lists, share);
    const isRare = lists.rarest <= limits.together;
    const known = isRare ? await together(rows, scope, lists, question, limits.together) : [];
    const isComplete = isRare && known.length <= limits.weighedTogether && known.length < limits.together;
    const others: Others | null = isComplete ? null : { lists, isRare };
    const reading = {
      entries: entriesToRead(limits, words.length, share),
      listMax: null,
      enough: limits.weighed / Math.min(1, share),
    };
    const heaviest = async () =>
      gather(rows, scope, lists, COMPLETED, raritiesOf(words.length, COMPLETED, admission, holding), {
        ...reading,
        // Next to none of a list's documents have a phrase, and passing those that don't costs little.
        ...(question.phrases.length > 0 && { entries: reading.entries * PHRASE_ENTRIES, listMax: limits.together }),
        all: question,
        max: limits.weighedTogether,
      });
    const first = isComplete ? known : [...new Set([...(await heaviest()), ...known])].slice(0, limits.weighedTogether);
    const isRequired = words.every((word) => word.isRequired);
    if (isRequired || (isComplete && first.length > wanted)) {
      const entries = await entriesOf(rows, first, limits.weighedBytes);
      const full = (await this.#ranked(entries, words, question, admission, holding)).filter(
        ({ tier }) => tier !== SOME_WORDS,
      );
      if (isRequired || full.length > wanted) return { ranked: full, others, more: known };
    }
    const likely =
      first.length < limits.few
        ? await gather(rows, scope, lists, IN_ANY_FORM, raritiesOf(words.length, IN_ANY_FORM, admission, holding), {
            ...reading,
            all: null,
            max: limits.weighed,
          })
        : [];
    const ids = [...new Set([...first, ...likely])].slice(
      0,
      Math.max(limits.weighed, first.length + limits.weighed / 2),
    );
    const entries = await entriesOf(rows, ids, limits.weighedBytes);
    return { ranked: await this.#ranked(entries, words, question, admission, holding), others, more: known };
  }

  /** @param holding `null`: all that count and hold a word are among the entries */
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
    const stretches = await stretchesOf(this.#rows, long, limits.passageBytes);
    const passages = new Passages(words, {
      lengthOf,
      averageLength: admission.averageLength,
      documents: limits.passages,
      hash: this.#hash,
      each: (ids, see) => entries.eachWithStretches(stretches, ids, see),
    });
    const weighed = byPassages(ranked, passages, rarities, recencyOf);
    const texts = await textsToCheck(this.#rows, question, weighed, lengthOf, limits);
    const found = withPhrases(weighed, new PhraseCheck(question, limits, lengthOf, (id) => texts.get(id)));
    const titled = titlesToRead(found, counted, words, limits.titles);
    return byTitles(found, words, question, await titlesOf(this.#rows, titled));
  }

  async #shown(
    { ranked, others, more }: Found,
    words: readonly SlotWords[],
    question: Question,
    scope: Scope,
    position: Position | null,
  ): Promise<FoundPage> {
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
      const page = await othersBefore(this.#rows, this.#hash, scope, question, others, {
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
      facets:
        facetBuckets === 0
          ? []
          : await facetsOf(this.#rows, await this.#facetIds(ranked, more, others, scope), facetBuckets),
      missingWords: words.filter((_, slot) => (held & (1 << slot)) === 0).map(({ word }) => word),
      correctedWords: [],
      next: next && positionText(next),
    };
  }

  /** Those that hold every word; where there are none, those that hold some. Without words, whatever the filters leave. */
  async #facetIds(
    ranked: readonly Ranked[],
    more: readonly number[],
    others: Others | null,
    scope: Scope,
  ): Promise<readonly number[]> {
    const max = this.#limits.facetDocuments;
    if (others?.lists === null) return newestIn(this.#rows, scope, scope.upTo + 1, max);
    const full = ranked.filter(({ tier }) => tier !== SOME_WORDS);
    return [...new Set([...(full.length > 0 ? full : ranked).map(({ row }) => row), ...more])].slice(0, max);
  }
}
