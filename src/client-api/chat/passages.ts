import type { FoundDocument } from "#documents/engine.ts";
import { readable, wordsIn } from "#documents/words.ts";
import type { Line } from "./lines.ts";
import type { Subject } from "./subject.ts";
import { weighText } from "./weighing.ts";

/** A quotation about what was asked, and the document that it is from. */
export interface Passage {
  /** The sentence or line that says most about it, and what belongs to it. */
  readonly text: string;
  readonly document: FoundDocument;
}

/** The most passages of an answer: as many as somebody reads. */
const PASSAGES_MAX = 4;
const PASSAGES_OF_DOCUMENT_MAX = 2;

/** A few sentences. A single longer sentence is cut. */
const PASSAGE_CHARACTERS_MAX = 400;

/** A list is quoted whole. */
const LIST_CHARACTERS_MAX = 1200;

/** What a passage and its document have to have of what the question says. */
const HELD_SHARE = 0.5;
const KNOWN_SHARE = 0.75;

/** Words that say at least this share of what the rarest says are the question's rarest. */
const RAREST_SHARE = 0.95;

/** A passage whose score is a smaller share of the best one's isn't worth reading. */
const SCORE_SHARE = 0.7;

/** What each place among the results takes from a score. */
const RANK_MALUS = 0.01;

/** Passages with at least this share of their words in common say the same. */
const SAME_SHARE = 0.8;

const ELLIPSIS = "…";

/** The passages that answer a question, best first, and the places of the question's words that no document has. */
export interface Picked {
  readonly passages: readonly Passage[];
  readonly missing: ReadonlySet<number>;
}

interface RankedPassage extends Passage {
  /** The places of the question's words that it, its headings or the title have, and those that the document has. */
  readonly held: ReadonlySet<number>;
  readonly known: ReadonlySet<number>;
  readonly titled: ReadonlySet<number>;
  readonly score: number;
}

/**
 * Returns the passages that answer best; none if no passage has the rarest words of the question, or if no document has most of what it
 * says. Leaves out copies, even with a few different words, and passages that say much less than the best one.
 */
export function pickPassages(documents: readonly FoundDocument[], subject: Subject): Picked {
  const ranked = documents
    .flatMap((document, rank) => passagesOf(document, subject, rank))
    .filter(({ titled }) => !subject.isJoining || titled.size === subject.size)
    .sort((one, other) => other.score - one.score);
  const known = new Set(ranked.flatMap((one) => [...one.known]));
  const missing = new Set([...subject.places].filter((place) => !known.has(place)));
  const all = subject.weightOf(subject.places);
  const answers = ranked.filter(
    (one) =>
      subject.weightOf(one.held) >= HELD_SHARE * all &&
      (subject.isComparing || subject.weightOf(one.known) >= KNOWN_SHARE * all),
  );
  const best = answers.find(({ held }) => subject.isComparing || hasRarest(held, subject));
  if (!best) return { passages: [], missing };
  const said: ReadonlySet<string>[] = [];
  const passages = answers.filter(({ text, score }) => {
    const words = new Set(wordsIn(text));
    if (score < SCORE_SHARE * best.score || said.some((one) => isCopy(one, words))) return false;
    said.push(words);
    return true;
  });
  return { passages: passages.slice(0, PASSAGES_MAX).map(({ text, document }) => ({ text, document })), missing };
}

/** Checks whether a passage has a word that says about as much as the rarest of the question. */
function hasRarest(held: ReadonlySet<number>, subject: Subject): boolean {
  const most = Math.max(...Array.from(subject.places, (place) => subject.weightOf([place])));
  return [...held].some((place) => subject.weightOf([place]) >= RAREST_SHARE * most);
}

function isCopy(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((word) => other.has(word)).length;
  return common >= SAME_SHARE * (one.size + other.size - common);
}

function passagesOf(document: FoundDocument, subject: Subject, rank: number): RankedPassage[] {
  const title = readable(document.title);
  const { lines, best, titled, known } = weighText(title, document.text ?? document.excerpt.text, subject);
  if (best.length === 0 && titled.size > 0) return [{ text: title, document, held: titled, known, titled, score: 0 }];
  return best.slice(0, PASSAGES_OF_DOCUMENT_MAX).map(({ at, sentences, held, score }) => {
    const text = quotedFrom(lines, at, sentences);
    return { text, document, held, known, titled, score: score - RANK_MALUS * rank };
  });
}

/** Returns a sentence and those after it with the list that they announce, or a row with the names of its columns. */
function quotedFrom(lines: readonly Line[], at: number, [first = "", ...others]: readonly string[]): string {
  const line = lines[at];
  if (line?.kind === "row")
    return cut(line.header === null ? first : namedRow(line.header, first), LIST_CHARACTERS_MAX);
  let text = cut(first, PASSAGE_CHARACTERS_MAX);
  for (const sentence of others) {
    if (text.length + sentence.length >= PASSAGE_CHARACTERS_MAX) return text;
    text += ` ${sentence}`;
  }
  const isAnnouncing = /[:：]$/.test(text);
  if (line?.kind !== "sentence" && !isAnnouncing) return text;
  for (const { kind, text: next } of lines.slice(at + 1)) {
    const isAlone = kind === "entry" || kind === "row" || kind === "code";
    const max = isAnnouncing && (kind === "entry" || kind === "row") ? LIST_CHARACTERS_MAX : PASSAGE_CHARACTERS_MAX;
    const belongs = isAnnouncing ? isAlone || text === first : kind === "sentence" || kind === "entry";
    if (!belongs || text.length + next.length >= max) break;
    text += `${isAlone ? "\n" : " "}${next}`;
  }
  return text;
}

/** Returns a row with the name of each column: "item: Gateway G4; eur: 289". A row with other columns comes below the first one. */
function namedRow(header: string, row: string): string {
  const [names, cells] = [cellsOf(header), cellsOf(row)];
  // The column of the rows' own names often has none.
  if (names.length === cells.length - 1 && /^\s*\|/.test(header)) names.unshift("");
  if (names.length !== cells.length) return `${header}\n${row}`;
  return cells.flatMap((cell, at) => (cell === "" ? [] : names[at] ? `${names[at]}: ${cell}` : cell)).join("; ");
}

/** Cells between bars, or between commas, in quotes if they have a comma themselves. */
function cellsOf(row: string): string[] {
  if (row.includes("|"))
    return row
      .replace(/^\s*\||\|\s*$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  return Array.from(`,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, inQuotes, plain = ""]) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );
}

function cut(text: string, max: number): string {
  // Doesn't cut between the two halves of a character.
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "") + ELLIPSIS;
}
