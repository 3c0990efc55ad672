import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** A line of a text, and what it is about because of where it stands. */
export interface Line {
  readonly text: string;
  readonly kind: LineKind;
  /** The headings right above it, or above the lines before it. */
  readonly headings: readonly string[];
  /** The first row of its table, if that is another. */
  readonly header: string | null;
}

/** A `sentence` is prose. All others are read by themselves. */
type LineKind = "sentence" | "entry" | "row" | "heading" | "code";

const HEADINGS_MAX = 3;
const HEADING_CHARACTERS_MAX = 80;

/** A line of a wrapped text ends near its widest column, within a sentence, and the next one doesn't begin anything else. */
const WRAPPED = /^.{60,120}(?<![.!?:;,|])$/;
const CONTINUING = unicodePattern(String.raw`^[\p{L}\p{N}(“"'\x60]`, "u");

const LETTER_OR_DIGIT = unicodePattern(String.raw`[\p{L}\p{N}]`, "u");
const ENTRY = /^(?:[-*•–]|\d{1,3}[.)])\s/;

/** Cells between bars, or values between commas without spaces. */
const ROW = /\s\|\s|^\||(?:[^\s,],(?=\S)[^,]*){3}/;
const CODE = /[{};]$|^(?:[$#>]\s|\/\/|(?:import|const|let|var|npm|npx)\s|<\/?\w)|=>|\)\s?[;{]|^[\w.]+\(.*\)$|^[}\])]/;
const SENTENCE_END = /[.!:;,…。！：]["”’)]?$/;

/** Splits a text into the lines that have letters or digits, without the title that it may begin with. */
export function linesIn(text: string, title: string): Line[] {
  const parts = partsIn(text);
  if (parts[0]?.text === title && parts.length > 1) parts.shift();
  const lines: Line[] = [];
  let headings: readonly string[] = [];
  let header: string | null = null;
  for (const [at, { text: line, kind: own }] of parts.entries()) {
    const before = parts[at - 1]?.kind;
    // A line at the end says what no other is about.
    const kind = own === "heading" && at === parts.length - 1 ? "sentence" : own;
    if (kind === "heading") headings = [...(before === "heading" ? headings : []), line].slice(-HEADINGS_MAX);
    header = kind === "row" ? (before === "row" ? header : line) : null;
    lines.push({ text: line, kind, headings, header: before === "row" ? header : null });
  }
  return lines;
}

/** Returns the lines, each with what it is by itself, and with the lines by which a wrapped text continues. */
function partsIn(text: string): { text: string; kind: LineKind }[] {
  const parts: { text: string; kind: LineKind }[] = [];
  let isWrapped = false;
  for (const written of text.split("\n")) {
    const line = written.replace(/\s+/g, " ").trim();
    const kind = kindOf(line);
    const last = parts.at(-1);
    if (!LETTER_OR_DIGIT().test(line)) isWrapped = false;
    else {
      if (isWrapped && last && (kind === "sentence" || kind === "heading") && CONTINUING().test(line)) {
        last.text += ` ${line}`;
        if (last.kind === "heading") last.kind = "sentence";
      } else parts.push({ text: line, kind });
      splitQuestion(parts);
      isWrapped = kind !== "row" && kind !== "code" && WRAPPED.test(line);
    }
  }
  return parts;
}

/** What a question at the end of a paragraph is about stands in the next one. */
const LAST_QUESTION = /^(.*[^\s?][.!?])\s+([^.!?]{3,80}[?？])$/;

function splitQuestion(parts: { text: string; kind: LineKind }[]): void {
  const last = parts.at(-1);
  const [, before, question] = (last?.kind === "sentence" && LAST_QUESTION.exec(last.text)) || [];
  if (last && before !== undefined && question !== undefined) {
    last.text = before;
    parts.push({ text: question, kind: "heading" });
  }
}

function kindOf(line: string): LineKind {
  if (ENTRY.test(line)) return "entry";
  if (CODE.test(line)) return "code";
  if (ROW.test(line)) return "row";
  return isHeading(line) ? "heading" : "sentence";
}

/** Checks whether a line ends no sentence, or is a question: it says what the lines after it are about. */
function isHeading(line: string): boolean {
  return line.length <= HEADING_CHARACTERS_MAX && !SENTENCE_END.test(line) && !/[=|]/.test(line);
}

/** Created with the first answer, so that not every start has to load its rules. */
let segmenter: Intl.Segmenter | undefined;

/** The end of a sentence and the beginning of the next, if there is no space between them: `!==` ends no sentence. */
const WITHOUT_SPACE = /^[!-~]{2}$/;

/** The sign of a list's entry, or an abbreviation within a sentence. */
const ABBREVIATED = /^\d{1,3}[.)]\s*$|(?:^|\s)(?:e\.g|i\.e|z\.\s?B|approx|ca|vs|cf|resp|bzw|Nr|No|Dr|Mr|Mrs|Ms)\.\s*$/;

/** Longer than any of these, so that a sentence of many parts isn't read again for each. */
const ABBREVIATED_CHARACTERS_MAX = 12;

/** Returns the sentences of a line. */
export function sentencesIn(line: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(line)) {
    const before = sentences.at(-1);
    const isWithin =
      before !== undefined &&
      (WITHOUT_SPACE.test(before.slice(-1) + segment.slice(0, 1)) ||
        ABBREVIATED.test(before.slice(-ABBREVIATED_CHARACTERS_MAX)) ||
        !LETTER_OR_DIGIT().test(segment));
    if (isWithin) sentences[sentences.length - 1] = before + segment;
    else sentences.push(segment);
  }
  return sentences.map((sentence) => sentence.trim());
}
