import type { DocumentName, DocumentSearch, FoundPage, NamedDocument, Seer, WantedParts } from "#documents/engine.ts";
import { quoted } from "#documents/index-rules.ts";
import { rowIdsStep } from "#documents/row-ids.ts";
import { languageOf } from "#documents/stop-words.ts";
import type { Language } from "#documents/languages.ts";
import { pageOf } from "#documents/sharding/merge.ts";
import type { Evidence, ShardPage, SharedDecisions } from "#documents/sharding/shard-page.ts";
import type { Store } from "#documents/store.ts";
import type { AccessExplanation } from "./access/access.ts";
import { AccessClasses } from "./access/access-classes.ts";
import { explainAccess } from "./access/explain.ts";
import { Accumulator } from "./collect/accumulator.ts";
import { DocValues } from "./collect/doc-values.ts";
import { eligibleSetOf } from "./collect/eligible-set.ts";
import { ImpactBitmaps } from "./collect/impact-bitmaps.ts";
import { Postings } from "./collect/postings.ts";
import { hasRow } from "./collect/row-bits.ts";
import { TermVectors } from "./collect/term-vectors.ts";
import { FIND_LIMITS, type FindLimits } from "./limits.ts";
import { orWithout } from "./or-without.ts";
import { documentsNamed, type IsSeen, readDocuments } from "./page/named-documents.ts";
import { EMPTY_PAGE, shardPageOf, type WordsEvidence } from "./page/result-page.ts";
import { parsePosition, type Position } from "./position.ts";
import { ChosenWords } from "./query/chosen-words.ts";
import { withSpellings } from "./query/forms.ts";
import { readQuestion } from "./query/question.ts";
import type { SlotWords } from "./query/slot-words.ts";
import { correctionsIn, spellingsOfMissing, withCorrections } from "./query/spelling.ts";
import { Reading } from "./reading.ts";
import { resultsOf, type Search, type SearchResults } from "./results.ts";

/** Returns the language of a question, by its words or by the person's app. */
function languageAsked({ clauses, preferences }: DocumentSearch): Language | null {
  return languageOf(new Set(clauses.flatMap(({ text }) => text?.words ?? [])), 1) ?? preferences.language ?? null;
}

/** Finds an instance's documents. Remembers what is expensive to read between searches, so a store has only one. */
export class Finder {
  readonly #store: Store;
  readonly #limits: FindLimits;
  readonly #docValues: DocValues;
  readonly #impactBitmaps: ImpactBitmaps;
  readonly #accessClasses: AccessClasses;
  readonly #accumulator = new Accumulator();

  constructor(store: Store, limits: FindLimits = FIND_LIMITS) {
    this.#store = store;
    this.#limits = limits;
    this.#docValues = new DocValues(store);
    this.#impactBitmaps = new ImpactBitmaps(store, this.#docValues);
    this.#accessClasses = new AccessClasses(store);
  }

  /**
   * Returns a page of the documents that match and that the seer may see, best first. For a position that no search has returned, this
   * is the first page.
   *
   * @param reading what earlier turns of this search have read
   * @throws if the search has to read more than one turn may: see {@link inTurns}
   */
  find(search: DocumentSearch, seer: Seer, reading = new Reading(Number.POSITIVE_INFINITY)): FoundPage {
    return pageOf(this.findInShard(search, seer, null, reading));
  }

  /**
   * Returns the same with what merging it with the pages of other shards needs.
   *
   * @param shared what was decided for all shards; `null`: this shard decides
   * @param reading what earlier turns of this search have read
   * @throws if the search has to read more than one turn may: see {@link inTurns}
   */
  findInShard(
    asked: DocumentSearch,
    seer: Seer,
    shared: SharedDecisions | null,
    reading = new Reading(Number.POSITIVE_INFINITY),
  ): ShardPage {
    const position = asked.position === null ? null : parsePosition(asked.position);
    const begun = this.#begin(asked, seer, position, shared, reading);
    if (begun === null) return EMPTY_PAGE;
    const { search, words } = begun;
    const before = position?.part === "ranked" ? position.place : position === null ? 0 : Number.POSITIVE_INFINITY;
    const preferences = {
      recentAt: asked.preferences.recentAt,
      wanted: before + asked.pageSize,
      isQuestion: shared?.decisions?.isQuestion ?? null,
      language: asked.copies === undefined ? null : languageAsked(asked),
      areCompared: asked.copies !== undefined,
    };
    const find = (those: readonly SlotWords[]) => resultsOf(search, those, preferences);
    const show = (results: SearchResults, those: readonly SlotWords[], evidence: WordsEvidence) =>
      shardPageOf(search, results, those, asked, position, shared, evidence);
    if (shared?.decisions) {
      const { corrections } = shared.decisions;
      const corrected = withCorrections(words, corrections);
      return show(find(corrected), corrected, { missing: new Map(), corrections });
    }
    const results = find(words);
    const missing = orWithout<Evidence["missing"]>(new Map(), () => spellingsOfMissing(search, words, results.ranked));
    const corrections = correctionsIn(missing);
    if (corrections.size === 0) return show(results, words, { missing, corrections });
    const corrected = withCorrections(words, corrections);
    return show(find(corrected), corrected, { missing, corrections });
  }

  /** Returns those of the named documents that the seer may see. */
  read(names: readonly DocumentName[], seer: Seer, wanted: WantedParts): NamedDocument[] {
    return readDocuments(this.#store, names, this.#isSeenBy(seer), wanted);
  }

  /** Checks whether the seer may see a document; `undefined`: there is no such document. */
  maySee(datasource: string, externalId: string, seer: Seer): boolean | undefined {
    const [document] = documentsNamed(this.#store, { datasource, externalId });
    return document && this.#isSeenBy(seer)(document);
  }

  /** Explains why the seer can or can't see a document; `null`: there is no such document. */
  explainAccess(name: DocumentName, seer: Seer): AccessExplanation | null {
    return explainAccess(this.#store, name, seer, this.#accessClasses.of(seer), this.#isSeenBy(seer));
  }

  /** Returns the check whether the seer may see a document, and their app may search it. */
  #isSeenBy(seer: Seer): IsSeen {
    const { classes, content, visible } = this.#accessClasses.of(seer);
    if (content === null) return ({ accessClass }) => classes[accessClass] === 1;
    this.#docValues.refresh();
    visible.refresh(this.#docValues, classes, content);
    return ({ id }) => hasRow(visible.bits, id);
  }

  /** Reads what is asked, which documents may be found, and which words stand for the typed ones; `null`: nothing is asked. */
  #begin(
    asked: DocumentSearch,
    seer: Seer,
    position: Position | null,
    shared: SharedDecisions | null,
    reading: Reading,
  ): { readonly search: Search; readonly words: readonly SlotWords[] } | null {
    const { updated } = asked;
    const { languages } = asked.preferences;
    const [store, limits, docValues] = [this.#store, this.#limits, this.#docValues];
    reading.requireIds(rowIdsStep(store));
    docValues.refresh();
    this.#impactBitmaps.refresh();
    const { visible, classes, content } = this.#accessClasses.of(seer);
    visible.refresh(docValues, classes, content);
    const upTo = position?.snapshot ?? (reading.upTo ??= this.#newest());
    const postings = new Postings(store, reading);
    // What was decided for all shards stays, whatever this one has learnt since.
    const isDecided = shared !== null && shared.decisions !== null;
    const isIn = (index: "impacts" | "postings", expression: string) =>
      !isDecided && postings.has(index, expression, { bits: visible.bits, upTo });
    const isSeen = (expression: string) => isIn("impacts", expression);
    const isSeenWord = (word: string) => isIn("postings", quoted(word));
    const question = readQuestion(store, isSeen, isSeenWord, asked, shared?.keys);
    if (question.slots.length + question.filters.length === 0 && updated === null) return null;
    const eligible = eligibleSetOf(postings, docValues, visible, { question, updated, upTo }, limits);
    const termVectors = new TermVectors(store, docValues);
    const chosen = new ChosenWords(store, postings, reading, eligible, limits);
    const slots = question.slots.map((slot) => orWithout({ ...slot, forms: [] }, () => chosen.of(slot, languages)));
    const newest = (expression: string, max: number) => postings.newest("postings", expression, eligible, { max });
    const words = orWithout(slots, () => withSpellings(store, slots, question.phrases, languages, newest));
    const [accumulator, impactBitmaps] = [this.#accumulator, this.#impactBitmaps];
    return {
      search: { store, limits, docValues, impactBitmaps, accumulator, postings, termVectors, question, eligible },
      words,
    };
  }

  #newest(): number {
    const [row] = this.#store.exec<{ id: number | null }>("SELECT max(id) AS id FROM documents");
    return row?.id ?? 0;
  }
}
