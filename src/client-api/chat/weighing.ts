import { unicodePattern } from "#protocol/unicode-pattern.ts";
import { type Line, linesIn, sentencesIn } from "./lines.ts";
import type { Subject } from "./subject.ts";

/** A sentence of a text, or a line that is read by itself, and how well it answers a question. */
export interface Weighed {
  /** The place of its line. */
  readonly at: number;
  /** The sentences of the line to begin a quotation with. */
  readonly sentences: readonly string[];
  /** The places of the question's words that it, what it is about, or the title has. */
  readonly held: ReadonlySet<number>;
  readonly score: number;
}

/** A text whose sentences were weighed. */
export interface WeighedText {
  readonly lines: readonly Line[];
  /** The best of each line that has something of what was asked, best first. */
  readonly best: readonly Weighed[];
  /** The places of the words that the title has, and that the title or the text has. */
  readonly titled: ReadonlySet<number>;
  readonly known: ReadonlySet<number>;
}

/** What a word counts if the sentence doesn't have it itself. Measured with `bench/chat.ts`. */
const SHARES = { heading: 0.8, title: 0.75, paragraph: 0.65 };

/** What else makes an answer likely or unlikely, as shares of all that the question says. */
const BONUS = { askedFor: 0.25, opening: 0.15, firstUnderHeading: 0.2, first: 0.05, titled: 0.15 };
const MALUS = { code: 0.3, header: 0.3, row: 0.05, short: 0.25 };

/** A title with this share of what the question says is about nothing else. */
const TITLED_SHARE = 0.8;

/** Says little by itself. */
const SHORT_CHARACTERS = 25;

/** Weighs a text's sentences with their title and headings. */
export function weighText(title: string, text: string, subject: Subject): WeighedText {
  const known = new Map<string, ReadonlySet<number>>();
  const heldBy = (part: string) => {
    const held = known.get(part) ?? subject.heldBy(part);
    known.set(part, held);
    return held;
  };
  const all = subject.weightOf(subject.places);
  const titled = heldBy(title);
  const isTitled = subject.weightOf(titled) >= TITLED_SHARE * all;
  const lines = linesIn(text, title);
  const lead = isTitled ? lines.findIndex(({ kind }) => kind !== "heading") : -1;
  const best = lines.flatMap((line, at): Weighed[] => {
    if (line.kind === "heading") return [];
    const isFirst = at === lead || lines[at - 1]?.kind === "heading";
    const near = unionOf([...line.headings.map(heldBy), ...(at === lead ? [titled] : [])]);
    const own = heldBy(line.text);
    if (own.size === 0 && !(isFirst && near.size > 0)) return [];
    const sentences = line.kind === "sentence" || line.kind === "entry" ? sentencesIn(line.text) : [line.text];
    const runIn = sentences.length > 1 && isRunIn(sentences[0] ?? "") ? 1 : 0;
    const about = runIn === 0 ? near : unionOf([near, heldBy(sentences[0] ?? "")]);
    const ofLine = malusOf(line, lines[at + 1], subject) - (isTitled ? BONUS.titled : 0);
    const weighed = sentences.slice(runIn).flatMap((sentence, after) => {
      const inside = heldBy(sentence);
      if (inside.size === 0 && about.size === 0) return [];
      const shares = [
        [inside, 1],
        [about, SHARES.heading],
        [titled, SHARES.title],
        [own, SHARES.paragraph],
      ] as const;
      const held = unionOf(shares.map(([set]) => set));
      const shareOf = (place: number) => shares.find(([set]) => set.has(place))?.[1] ?? 0;
      const weight = Array.from(held).reduce((sum, place) => sum + shareOf(place) * subject.weightOf([place]), 0);
      const isUnderHeading = subject.weightOf(about) >= all / 2;
      const opening = subject.weightOf(heldBy(openingOf(line, sentence)));
      const ofSentence =
        (isAskedFor(subject.asksFor, sentence, line.header?.slice(0, HEADER_CHARACTERS_MAX) ?? "")
          ? BONUS.askedFor
          : 0) +
        (isFirst && after === 0 ? (isUnderHeading ? BONUS.firstUnderHeading : BONUS.first) : 0) -
        (sentence.length < SHORT_CHARACTERS && line.kind !== "row" ? MALUS.short : 0);
      const score = (weight + BONUS.opening * opening) / all + ofSentence - ofLine;
      return [{ from: after === 0 ? 0 : runIn + after, held, score }];
    });
    const [first] = weighed.sort((one, other) => other.score - one.score);
    return first ? [{ at, sentences: sentences.slice(first.from), held: first.held, score: first.score }] : [];
  });
  return {
    lines,
    best: best.sort((one, other) => other.score - one.score),
    titled,
    known: unionOf([titled, ...lines.map((line) => heldBy(line.text))]),
  };
}

function unionOf(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]));
}

const RUN_IN_CHARACTERS_MAX = 20;

/** Checks whether the first sentence of a paragraph says what the others are about: a question, or a few words. */
function isRunIn(sentence: string): boolean {
  return /[?？؟]$/.test(sentence) || sentence.length <= RUN_IN_CHARACTERS_MAX;
}

function malusOf(line: Line, next: Line | undefined, { asksFor }: Subject): number {
  if (line.kind === "code") return MALUS.code;
  if (line.kind !== "row") return 0;
  // The first row says what the columns are.
  return line.header === null && next?.kind === "row" ? MALUS.header : asksFor === null ? MALUS.row : 0;
}

/** Returns what a definition begins with: a sentence's first word, or a row's first cell. */
function openingOf({ kind }: Line, sentence: string): string {
  return (kind === "row" ? /^[^|,]*/ : OPENING()).exec(sentence)?.[0] ?? "";
}

const OPENING = unicodePattern(String.raw`[\p{L}\p{N}_.]+`, "u");
const NAME = unicodePattern(String.raw`\p{Lu}\p{L}+ \p{Lu}\p{L}+`, "u");
/** How much of a table's first row is read again with each row. */
const HEADER_CHARACTERS_MAX = 1000;

const MONEY = /[£€$¥]|(?<![a-z])(?:gbp|eur|usd|chf|euros?|pounds|dollars)(?![a-z])/i;

/** Checks whether a sentence has what the question asks for: a number, an amount, somebody's name. */
function isAskedFor(what: Subject["asksFor"], sentence: string, header: string): boolean {
  if (what === "number") return /\d/.test(sentence);
  if (what === "money") return /\d/.test(sentence) && MONEY.test(`${header}\n${sentence}`);
  return what === "name" && NAME().test(sentence);
}
