import { NEVER_TOGETHER, wordOfRank } from "./corpus.ts";

/** A search, and what exact weighing has to know about it. */
export interface BenchQuestion {
  readonly query: string;
  /** Ranks of its words that count. */
  readonly ranks: readonly number[];
  readonly isPhrase: boolean;
  /** Whether results are judged. Searches by the beginning of a word are only timed. */
  readonly isJudged: boolean;
}

export interface Kind {
  readonly name: string;
  readonly questions: readonly BenchQuestion[];
}

/** The number of different searches of each kind. */
const VARIANTS = 3;

/** The space at the end means that the last word is complete. */
const words = (...ranks: readonly number[]): BenchQuestion => ({
  query: `${ranks.map(wordOfRank).join(" ")} `,
  ranks,
  isPhrase: false,
  isJudged: true,
});

const variants = (make: (at: number) => BenchQuestion) => Array.from({ length: VARIANTS }, (_, at) => make(at));

const beginning = (query: string): BenchQuestion => ({ query, ranks: [], isPhrase: false, isJudged: false });

export const KINDS: readonly Kind[] = [
  { name: "no such word", questions: variants((at) => beginning(`qqeeqq${at} `)) },
  { name: "rare", questions: variants((at) => words(30_000 + 8 * at)) },
  { name: "middle", questions: variants((at) => words(1500 + 8 * at)) },
  { name: "common", questions: variants((at) => words(16 + 4 * at)) },
  { name: "in every document", questions: variants((at) => words(1 + at)) },
  { name: "two common", questions: variants((at) => words(16 + 2 * at, 17 + 2 * at)) },
  { name: "rare and common", questions: variants((at) => words(30_000 + 8 * at, 16 + at)) },
  { name: "two that never meet", questions: [words(...NEVER_TOGETHER)] },
  {
    name: "eight common",
    questions: variants((at) => words(...[10, 11, 12, 15, 16, 17, 18, 19].map((one) => one + 8 * at))),
  },
  {
    name: "question",
    questions: variants((at) => {
      const asked = words(32 + at, 200 + 8 * at, 904 + at, 2000 + 8 * at, 5000 + 8 * at);
      return { ...asked, query: `what is the ${asked.query}` };
    }),
  },
  {
    name: "phrase of two common",
    questions: variants((at) => {
      const asked = words(16 + at, 17 + at);
      return { ...asked, query: `"${asked.query.trim()}"`, isPhrase: true };
    }),
  },
  { name: "beginning of 2 letters", questions: variants((at) => beginning(wordOfRank(16 + at).slice(0, 2))) },
  { name: "beginning of 5 letters", questions: variants((at) => beginning(wordOfRank(400 + 8 * at).slice(0, 5))) },
];
