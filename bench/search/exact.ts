import { MANY_DOCUMENTS, QUESTION_WORDS, TITLE_WORDS_MAX, WRITTEN_SHARE } from "#documents/find/rank/weights.ts";
import { FIELD_WEIGHTS, idfOf, saturationOf, TITLE_LENGTH, TITLE_WORTH, weightOf } from "#documents/index-rules.ts";
import { stemOf } from "#documents/stems.ts";
import { drawDocument, maySee, type Person, PERSONS, wordOfRank } from "./corpus.ts";
import { type BenchQuestion, KINDS } from "./questions.ts";

/** How good our results are, for one question of one person. */
export interface Judgement {
  /** How many of ours are among the first ten in the documented order, and how many those are. */
  readonly same: number;
  readonly of: number;
  /** The sum of our scores divided by that of the first ten in the documented order. */
  readonly gain: number;
  /** The same, divided by the sum of the ten highest scores. */
  readonly gainOfAny: number;
}

/** How often a document contains a word. */
interface Counts {
  readonly title: number;
  readonly body: number;
}

interface Posting extends Counts {
  readonly document: number;
}

const NO_COUNTS: Counts = { title: 0, body: 0 };

interface Candidate {
  readonly document: number;
  readonly hasAll: boolean;
  readonly score: number;
}

/**
 * Weighs every document that a person may see, with the statistics of only these. It reads the corpus, not the index.
 */
export class Exact {
  /** By word. */
  readonly #postings = new Map<string, Posting[]>();
  /** The documents in which two words are adjacent, by phrase. */
  readonly #inARow = new Map<string, Set<number>>();
  readonly #lengths: Uint16Array;
  readonly #titleLengths: Uint16Array;
  /** One bit for each person who may see the document. */
  readonly #seen: Uint8Array;

  constructor(documents: number) {
    this.#lengths = new Uint16Array(documents);
    this.#titleLengths = new Uint16Array(documents);
    this.#seen = new Uint8Array(documents);
    const asked = KINDS.flatMap(({ questions }) => questions).filter(({ isJudged }) => isJudged);
    const stems = new Set(asked.flatMap(({ ranks }) => ranks.map((rank) => stemOf(wordOfRank(rank), "en"))));
    // Forms of a word have neighbouring ranks.
    const near = new Set(
      asked.flatMap(({ ranks }) => ranks.flatMap((rank) => [-2, -1, 0, 1, 2].map((by) => rank + by))),
    );
    const watched = new Map(
      [...near].map((rank) => [rank, wordOfRank(rank)] as const).filter(([, word]) => stems.has(stemOf(word, "en"))),
    );
    for (const word of watched.values()) this.#postings.set(word, []);
    const phrases = new Map(asked.filter(({ isPhrase }) => isPhrase).map(({ ranks }) => [ranks.join(" "), ranks]));
    for (const phrase of phrases.keys()) this.#inARow.set(phrase, new Set());
    for (let document = 0; document < documents; document++) {
      const drawn = drawDocument(document);
      this.#lengths[document] = drawn.title.length + drawn.body.length;
      this.#titleLengths[document] = drawn.title.length;
      for (const [at, person] of PERSONS.entries()) if (maySee(drawn, person)) this.#seen[document]! |= 1 << at;
      const counts = new Map<string, Counts>();
      for (const [ranks, field] of [
        [drawn.title, "title"],
        [drawn.body, "body"],
      ] as const) {
        for (const rank of ranks) {
          const word = watched.get(rank);
          if (word === undefined) continue;
          const known = counts.get(word) ?? NO_COUNTS;
          counts.set(word, { ...known, [field]: known[field] + 1 });
        }
        for (const [phrase, [first, second]] of phrases) {
          if (ranks.some((rank, at) => rank === first && ranks[at + 1] === second))
            this.#inARow.get(phrase)?.add(document);
        }
      }
      for (const [word, count] of counts) this.#postings.get(word)?.push({ document, ...count });
    }
  }

  /** Returns how many documents a person may see. */
  visibleTo(person: Person): number {
    return this.#seen.reduce((count, bits) => count + ((bits >> PERSONS.indexOf(person)) & 1), 0);
  }

  judge(question: BenchQuestion, person: Person, found: readonly number[]): Judgement {
    const candidates = this.#candidates(question, person);
    const scores = new Map(candidates.map(({ document, score }) => [document, score]));
    const sum = (documents: readonly number[]) => documents.reduce((total, one) => total + (scores.get(one) ?? 0), 0);
    const first = (order: (one: Candidate, other: Candidate) => number) =>
      candidates
        .toSorted(order)
        .slice(0, 10)
        .map(({ document }) => document);
    const best = first(
      (one, other) =>
        Number(other.hasAll) - Number(one.hasAll) || other.score - one.score || other.document - one.document,
    );
    const greatest = first((one, other) => other.score - one.score);
    const ours = found.slice(0, 10);
    const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
    return {
      same: ours.filter((document) => best.includes(document)).length,
      of: best.length,
      gain: share(sum(ours), sum(best)),
      gainOfAny: share(sum(ours), sum(greatest)),
    };
  }

  /**
   * Returns the documents that match. Words count as written if a document has all of them; otherwise, and in questions, in any
   * form.
   */
  #candidates({ ranks, isPhrase }: BenchQuestion, person: Person): Candidate[] {
    const bit = 1 << PERSONS.indexOf(person);
    let visible = 0;
    let words = 0;
    for (const [document, seen] of this.#seen.entries()) {
      if ((seen & bit) === 0) continue;
      visible++;
      words += this.#lengths[document] ?? 0;
    }
    const average = words / Math.max(visible, 1);
    const written = ranks.map((rank) => this.#countsOf([wordOfRank(rank)], bit));
    const inAnyForm = ranks.map((rank) => {
      const stem = stemOf(wordOfRank(rank), "en");
      return this.#countsOf(
        [...this.#postings.keys()].filter((word) => stemOf(word, "en") === stem),
        bit,
      );
    });
    const titleIdfs = inAnyForm.map((counts) =>
      idfOf(visible, [...counts.values()].filter(({ title }) => title > 0).length),
    );
    const isTitleField = !isPhrase && ranks.length <= TITLE_WORDS_MAX;
    const score = (document: number, counts: readonly ReadonlyMap<number, Counts>[]) => {
      const saturation = saturationOf(this.#lengths[document] ?? 0, average);
      const ofTitle = saturationOf(this.#titleLengths[document] ?? 0, TITLE_LENGTH);
      return counts.reduce((total, of, slot) => {
        const { title, body } = of.get(document) ?? NO_COUNTS;
        const idf = idfOf(visible, of.size);
        if (!isTitleField) return total + weightOf(idf, title * FIELD_WEIGHTS.title + body, saturation);
        return total + TITLE_WORTH * weightOf(titleIdfs[slot] ?? 0, title, ofTitle) + weightOf(idf, body, saturation);
      }, 0);
    };
    const phrase = isPhrase ? this.#inARow.get(ranks.join(" ")) : undefined;
    const holding = [...new Set(inAnyForm.flatMap((counts) => [...counts.keys()]))].filter(
      (document) => phrase === undefined || phrase.has(document),
    );
    const isFull = (document: number) => written.every((counts) => counts.has(document));
    const isQuestion = !isPhrase && ranks.length >= QUESTION_WORDS && holding.filter(isFull).length < MANY_DOCUMENTS;
    return holding.map((document) => {
      const hasAll = !isQuestion && isFull(document);
      const whole = score(document, hasAll ? written : inAnyForm);
      return { document, hasAll, score: whole + WRITTEN_SHARE * (score(document, written) - whole) };
    });
  }

  #countsOf(words: readonly string[], bit: number): ReadonlyMap<number, Counts> {
    const counts = new Map<number, Counts>();
    for (const word of words) {
      for (const { document, title, body } of this.#postings.get(word) ?? []) {
        if (((this.#seen[document] ?? 0) & bit) === 0) continue;
        const known = counts.get(document) ?? NO_COUNTS;
        counts.set(document, { title: known.title + title, body: known.body + body });
      }
    }
    return counts;
  }
}
