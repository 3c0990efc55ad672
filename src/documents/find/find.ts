import { BoundedMap } from "#platform/bounded-map.ts";
import type { DocumentName, DocumentSearch, FoundPage, NamedDocument, Seer, WantedParts } from "#documents/engine.ts";
import { dayOfSeconds } from "#documents/index-rules.ts";
import { pageOf } from "#documents/sharding/merge.ts";
import {
  type Decisions,
  type Evidence,
  type Place,
  RANKING_VERSION,
  type Share,
  type Told,
} from "#documents/sharding/share.ts";
import { rowIdsStep, rowIdsVersion } from "#documents/row-ids.ts";
import type { Store } from "#documents/store.ts";
import type { AccessExplanation } from "./access.ts";
import { type Admission, admit } from "./admission.ts";
import { type Certain, findCandidates, findCertain } from "./candidates.ts";
import { Cells } from "./cells.ts";
import { ChosenWords, NARROW_TIMES } from "./chosen-words.ts";
import { explainAccess } from "./explain.ts";
import { countedByFacets, facetsOf } from "./facets.ts";
import { type SlotWords, soughtIn, withSpellings } from "./forms.ts";
import { Forward } from "./forward.ts";
import { Gains } from "./gather.ts";
import { FIND_LIMITS, type FindLimits } from "./limits.ts";
import { Lists } from "./lists.ts";
import { beginningsToRead, byNearness } from "./nearness.ts";
import { type Others, othersBefore } from "./others.ts";
import { Marks } from "./marks.ts";
import { orWithout } from "./or-without.ts";
import { readPage } from "./page.ts";
import { Passages } from "./passages.ts";
import { anyWordOf, PhraseCheck, storedTexts, togetherExpression } from "./phrases.ts";
import { parsePosition, type Position, positionText } from "./position.ts";
import { type Question, readQuestion } from "./question.ts";
import {
  byPassages,
  isQuestionOf,
  placeBehind,
  type Ranked,
  type RankedWhole,
  rankWhole,
  rowsOf,
  SOME_WORDS,
  withPhrases,
} from "./rank.ts";
import { documentsNamed, readDocuments } from "./read.ts";
import { Reading } from "./reading.ts";
import { Rights } from "./rights.ts";
import { SeenWords } from "./seen-words.ts";
import { correctionsIn, spellingsOfMissing, withCorrections } from "./spelling.ts";
import type { Visible } from "./visible.ts";
import { tally } from "./tally.ts";
import { byTitles, storedBeginnings, titlesToRead } from "./titles.ts";

/** The result of a search: documents in order, and how to find those after them that weren't scored. */
interface Found extends Pick<RankedWhole, "every" | "isQuestion"> {
  readonly ranked: readonly Ranked[];
  /** How to find documents with all words that aren't all among the ranked; `null`: they are. */
  readonly others: Others | null;
  /** Documents that facets count in addition to the ranked. */
  readonly more: readonly number[];
}

/** What a search is about, and what finds it. */
interface Searched {
  readonly question: Question;
  readonly admission: Admission;
  readonly forward: Forward;
  readonly lists: Lists;
}

/** The words that no visible document contains, and what was searched for instead. */
type WordsEvidence = Pick<Evidence, "missing"> & Pick<Decisions, "corrections">;

/** The bytes of a forward entry for each word of a document, at most. */
const BYTES_OF_A_WORD = 5;

/** Looking a word up in the index costs as much as reading this many entries. */
const ENTRIES_OF_A_WORD = 50;

/** The most people whose words are remembered, with up to four megabytes each. */
const PEOPLE_MAX = 8;

const NOTHING_FOUND: Share = {
  documents: [],
  places: [],
  next: null,
  facets: [],
  words: [],
  ranking: RANKING_VERSION,
  keys: new Set(),
  evidence: { every: 0, together: 0, missing: new Map() },
  decisions: { isQuestion: false, areFacetsOfAllWords: false, corrections: new Map() },
};

const NOTHING_RANKED = { ranked: [], more: [], every: 0 };

/** Of a document that wasn't scored. */
const UNSCORED: Omit<Place, "position"> = { isTitled: false, tier: 0, score: 0, held: 0 };

/** Finds an instance's documents. Remembers what is expensive to read between searches, so a store has only one. */
export class Finder {
  readonly #store: Store;
  readonly #limits: FindLimits;
  readonly #cells: Cells;
  readonly #marks: Marks;
  readonly #rights: Rights;
  readonly #gains = new Gains();
  readonly #seen = new BoundedMap<string, SeenWords>(PEOPLE_MAX);

  constructor(store: Store, limits: FindLimits = FIND_LIMITS) {
    this.#store = store;
    this.#limits = limits;
    this.#cells = new Cells(store);
    this.#marks = new Marks(store, this.#cells);
    this.#rights = new Rights(store);
  }

  /**
   * Returns a page of the documents that match and that the seer may see, best first. For a position that no search has returned, this
   * is the first page.
   *
   * @param reading what earlier turns of this search have read
   * @throws if the search has to read more than one turn may: see {@link inTurns}
   */
  find(search: DocumentSearch, seer: Seer, reading = new Reading(Number.POSITIVE_INFINITY)): FoundPage {
    return pageOf(this.share(search, seer, null, reading));
  }

  /**
   * Returns the same with what merging it with the pages of other shards needs.
   *
   * @param told what was decided for all shards; `null`: this shard decides
   * @param reading what earlier turns of this search have read
   * @throws if the search has to read more than one turn may: see {@link inTurns}
   */
  share(search: DocumentSearch, seer: Seer, told: Told | null, reading = new Reading(Number.POSITIVE_INFINITY)): Share {
    const position = search.position === null ? null : parsePosition(search.position);
    const { updated } = search;
    reading.requireIds(rowIdsStep(this.#store));
    this.#cells.refresh();
    this.#marks.refresh();
    const { visible, classes } = this.#rights.heldBy(seer);
    visible.refresh(this.#cells, classes);
    const upTo = position?.snapshot ?? (reading.upTo ??= this.#newest());
    const lists = new Lists(this.#store, reading);
    const isSeen = (expression: string) =>
      lists.newest("levels", expression, { bits: visible.bits, upTo }, { max: 1 }).length > 0;
    const question = readQuestion(this.#store, isSeen, search.clauses, search.preferences.languages, told?.keys);
    if (question.slots.length + question.filters.length === 0 && updated === null) return NOTHING_FOUND;
    const admission = admit(lists, this.#cells, visible, { question, updated, upTo }, this.#limits);
    const forward = new Forward(this.#store, this.#cells);
    // Later pages use the words that were read for the first page.
    const commonest = admission.rows
      ? new SeenWords(this.#cells).commonest(forward, admission.bits, this.#limits.learnt * NARROW_TIMES)
      : this.#seenBy(seer, visible).commonest(forward, visible.bits, position === null ? this.#limits.learnt : 0);
    const chosen = new ChosenWords(this.#store, lists, reading, admission, commonest, this.#limits);
    const { languages, recentAt } = search.preferences;
    const slots = question.slots.map((slot) =>
      orWithout({ ...slot, completions: [], forms: [] }, () => chosen.of(slot, languages)),
    );
    const words = orWithout(slots, () => withSpellings(this.#store, slots, question.phrases, languages));
    const before = position?.part === "ranked" ? position.place : position === null ? 0 : Number.POSITIVE_INFINITY;
    const searched = { question, admission, forward, lists };
    const ask = (asked: readonly SlotWords[]) =>
      this.#found(searched, asked, {
        recentAt,
        wanted: before + search.pageSize,
        isQuestion: told?.decisions?.isQuestion ?? null,
      });
    const of = (found: Found, corrected: readonly SlotWords[], evidence: WordsEvidence) =>
      this.#shareOf(found, corrected, searched, search, position, told, evidence);
    if (told?.decisions) {
      const { corrections } = told.decisions;
      const corrected = withCorrections(words, corrections);
      return of(ask(corrected), corrected, { missing: new Map(), corrections });
    }
    const found = ask(words);
    const missing = orWithout<Evidence["missing"]>(new Map(), () =>
      spellingsOfMissing(this.#store, lists, forward, words, found.ranked, admission, this.#limits),
    );
    const corrections = correctionsIn(missing);
    if (corrections.size === 0) return of(found, words, { missing, corrections });
    const corrected = withCorrections(words, corrections);
    return of(ask(corrected), corrected, { missing, corrections });
  }

  /** Returns those of the named documents that the seer may see. */
  read(names: readonly DocumentName[], seer: Seer, wanted: WantedParts): NamedDocument[] {
    return readDocuments(this.#store, names, this.#rights.classesOf(seer), wanted);
  }

  /** Checks whether the seer may see a document; `undefined`: there is no such document. */
  maySee(datasource: string, externalId: string, seer: Seer): boolean | undefined {
    const [document] = documentsNamed(this.#store, { datasource, externalId });
    return document && this.#rights.classesOf(seer)[document.class] === 1;
  }

  /** Explains why the seer can or can't see a document; `null`: there is no such document. */
  explainAccess(name: DocumentName, seer: Seer): AccessExplanation | null {
    return explainAccess(this.#store, name, seer, this.#rights.heldBy(seer));
  }

  #newest(): number {
    const [row] = this.#store.exec<{ id: number | null }>("SELECT max(id) AS id FROM documents");
    return row?.id ?? 0;
  }

  #seenBy({ email }: Seer, { bits }: Visible): SeenWords {
    const known = this.#seen.get(email);
    const seen = !known || known.isStale(bits) ? new SeenWords(this.#cells) : known;
    this.#seen.set(email, seen);
    return seen;
  }

  /** Finds the documents for a question. @param wanted how many come up to the end of the page */
  #found(
    { question, admission, forward, lists }: Searched,
    words: readonly SlotWords[],
    {
      recentAt,
      wanted,
      isQuestion,
    }: { readonly recentAt: number | null; readonly wanted: number; readonly isQuestion: boolean | null },
  ): Found {
    const limits = this.#limits;
    if (admission.count === 0)
      return { ...NOTHING_RANKED, isQuestion: isQuestion ?? isQuestionOf(words, 0), others: null };
    if (words.length === 0) return { ...NOTHING_RANKED, isQuestion: false, others: { expression: null, span: 0 } };
    const unwanted = question.unwanted.filter((one) => one.length === 1).flat();
    const today = recentAt === null ? null : dayOfSeconds(recentAt);
    const lengthOf = (row: number) => this.#cells.lengthOf(row);
    const ranked = (rows: readonly number[], certain: Certain | null) => {
      const phrases = new PhraseCheck(question, limits, lengthOf, storedTexts(this.#store));
      phrases.know(certain?.together ?? []);
      const counted = tally(forward, rows, words, unwanted, limits.weighedBytes);
      const holding = certain?.holding ?? ((slot: number, way: number) => counted.holding(slot, way));
      const passages = new Passages(words, {
        lengthOf,
        averageLength: admission.averageLength,
        documents: limits.passages,
        hash: forward.hash,
        each: (long, see) => forward.eachWithStretches(long, limits.passageBytes, see),
      });
      const aspects = { cells: this.#cells, admission, today, isQuestion };
      const whole = rankWhole(counted, words, holding, aspects);
      const { rarities, recencyOf } = whole;
      const found = withPhrases(byPassages(whole.ranked, passages, rarities, recencyOf), phrases);
      const begun = beginningsToRead(found, words, limits.begun);
      const titled = titlesToRead(found, counted, words, limits.titles);
      const beginnings = storedBeginnings(this.#store, begun, titled, limits.begunCharacters);
      const inOrder = byTitles(byNearness(found, words, rarities, beginnings), question, beginnings);
      return { ranked: inOrder, every: whole.every, isQuestion: whole.isQuestion };
    };
    if (admission.rows)
      return { ...ranked(this.#holders(admission.rows, words, admission, lists), null), others: null, more: [] };
    const certain = findCertain(lists, this.#marks, words, question, admission, limits);
    const more = certain.together;
    const others = certain.isComplete
      ? null
      : { expression: togetherExpression(words, question), span: certain.window.span };
    const isRequired = words.every((word) => word.isRequired);
    if ((certain.isComplete || certain.areHeaviest) && (certain.rows.length > wanted || isRequired)) {
      // Everything else comes after these, so a page that they fill needs nothing else.
      const all = ranked(certain.rows, certain);
      const full = all.ranked.filter(({ tier }) => tier !== SOME_WORDS);
      if (full.length > wanted || isRequired) return { ...all, ranked: full, others, more };
    }
    const rows = findCandidates(lists, this.#marks, this.#gains, words, question, admission, certain, limits);
    return { ...ranked(rows, certain), others, more };
  }

  /**
   * Returns those of few documents that contain a word, if the index finds them faster or if reading all of them may reach a limit;
   * otherwise all of them.
   */
  #holders(
    rows: readonly number[],
    words: readonly SlotWords[],
    admission: Admission,
    lists: Lists,
  ): readonly number[] {
    const all = [...new Set(words.flatMap(({ word, completions, forms }) => [word, ...completions, ...forms]))];
    const isFast = all.length <= rows.length / ENTRIES_OF_A_WORD;
    const mayAllBeRead = admission.count * admission.averageLength * BYTES_OF_A_WORD <= this.#limits.weighedBytes;
    if (!isFast && mayAllBeRead) return rows;
    return lists.newest("places", anyWordOf(all), admission, { max: rows.length }, all.length);
  }

  #shareOf(
    found: Found,
    words: readonly SlotWords[],
    { question, admission, lists }: Searched,
    search: DocumentSearch,
    position: Position | null,
    told: Told | null,
    { missing, corrections }: WordsEvidence,
  ): Share {
    const { ranked, others } = found;
    const { pageSize, facetBuckets } = search;
    const { upTo: snapshot } = admission;
    const ids = rowIdsVersion(this.#store);
    const from =
      position?.part === "others" ? ranked.length : position === null ? 0 : placeBehind(ranked, position, ids);
    const shown = ranked.slice(from, from + pageSize);
    const rows = [...rowsOf(shown)];
    const places = shown.map(({ row, tier, score, held, isTitled = false }, at): Place => {
      const behind = { part: "ranked", ids, snapshot, last: row, place: from + at + 1 } as const;
      return { isTitled, tier, score, held, position: positionText(behind) };
    });
    let next = from + shown.length < ranked.length ? (places.at(-1)?.position ?? null) : null;
    if (next === null && others) {
      const known = new Set(rowsOf(ranked));
      // With other ids, nothing says where the others went on. Some come again, which is better than leaving some out.
      const before = position?.part === "others" && position.ids === ids ? position.before : snapshot + 1;
      const page = othersBefore(this.#store, lists, this.#cells, question, others, {
        admission,
        known,
        before,
        max: pageSize - rows.length,
        limits: this.#limits,
      });
      const at = (row: number) => positionText({ part: "others", ids, snapshot, before: row });
      rows.push(...page.rows);
      places.push(...page.rows.map((row) => ({ ...UNSCORED, position: at(row) })));
      if (page.before > 1) next = at(page.before);
    }
    const full = new Set([...ranked.filter(({ hasAll }) => hasAll).map(({ row }) => row), ...found.more]);
    const decisions = {
      isQuestion: found.isQuestion,
      areFacetsOfAllWords: told?.decisions?.areFacetsOfAllWords ?? full.size >= pageSize,
      corrections,
    };
    return {
      documents: readPage(this.#store, rows, soughtIn(words, question), search.excerptCharacters),
      places,
      next,
      facets:
        facetBuckets === 0
          ? []
          : facetsOf(this.#store, this.#facetRows(found, admission, decisions.areFacetsOfAllWords), facetBuckets),
      words: words.map(({ word }) => word),
      ranking: RANKING_VERSION,
      keys: question.keys,
      evidence: { every: found.every, together: full.size, missing },
      decisions,
    };
  }

  /** Returns the documents that facets count. Without words, these are all that the filters leave. */
  #facetRows({ ranked, more, others }: Found, admission: Admission, areOfAllWords: boolean): readonly number[] {
    const max = this.#limits.facetDocuments;
    if (others?.expression === null) {
      const rows: number[] = [];
      for (let row = admission.upTo; row > 0 && rows.length < max; row--) if (admission.has(row)) rows.push(row);
      return rows;
    }
    return countedByFacets(ranked, more, areOfAllWords).slice(0, max);
  }
}
