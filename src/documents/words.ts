import { unicodePattern } from "#protocol/unicode-pattern.ts";
import { BY_CHARACTER, BY_DICTIONARY, kindAt, LETTER, LETTER_OR_NUMBER, MARK } from "./characters.ts";
import { withoutOptionalMarks } from "./optional-marks.ts";

/**
 * Separates the words of scripts without spaces, invisibly for readers. The index's tokenizer ends a word at it, and {@link
 * readable} removes it, so that ranges of snippets refer to the text that people see.
 */
const CUT = "\u200b";

/** Full-width letters and digits, half-width kana, and ligatures. They are the same words, however they are typed. */
const OTHER_FORM = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+/g;

/** Control characters except those for lines and columns, and the cut itself. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b]/g;

/**
 * The most marks on one letter, the limit of Unicode's stream-safe format (UAX #15 §13). No language uses that many, and ordering
 * n of them takes time proportional to n squared.
 */
const MARKS_MAX = 30;

/**
 * The most UTF-16 units of a word. A longer one counts as its first 64, in texts and in what people type, so that no word of a
 * document takes more of the index or of a completion than this. At most 192 bytes.
 */
const WORD_UNITS_MAX = 64;

/** Runs with fewer letters of a script whose words only a dictionary knows are one word. Most are, and each look-up takes time. */
const LOOKED_UP_MIN = 4;

/**
 * Ranges that contain all marks and all scripts without spaces, and little else. Most texts contain none of these characters, and
 * this shows it quickly.
 */
// oxlint-disable-next-line no-misleading-character-class -- ranges of code units, and no letter with a mark
const MARKS_AND_CUT_SCRIPTS = /[\u0300-\u1fff\u20d0-\u20ff\u2c00-\uffff]/;

/** Printable ASCII, and signs between words that nothing changes, need nothing folded but capitals, which takes a third of the time. */
const PLAIN =
  /^[\t\n\r\x20-\x7e\u00a0\u00a7\u00a9\u00ab\u00ae\u00b0\u00b6\u00b7\u00bb\u2010-\u2016\u2018-\u2022\u2026\u2190\u2192]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const PLAIN_CASED_WORD = /[A-Za-z0-9]+/g;

/** Created for the first text in a script without spaces, so that not every start has to load its dictionaries. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Returns a text as it is stored for the index: composed (NFC), of one width, without control characters, with at most thirty
 * marks on a letter, and cut in scripts without spaces. Applying it again changes nothing. The result may be twice as long in
 * bytes.
 */
export function indexable(text: string): string {
  if (PLAIN.test(text)) return text;
  const composed = clean(text)
    .replace(OTHER_FORM, (run) => run.normalize("NFKC"))
    .normalize("NFC");
  return cut(composed);
}

/** Undoes the cuts of {@link indexable}, for people to read. */
export function readable(text: string): string {
  return text.replaceAll(CUT, "");
}

/**
 * Returns the words of a text in a form that all of their spellings share: compatibility forms, case, optional marks and what nobody sees
 * are folded. The index, metadata values and search operators all compare words in this form.
 */
export function wordsIn(text: string): string[] {
  return PLAIN.test(text) ? plainWordsIn(text.toLowerCase(), PLAIN_WORD) : runsIn(cut(folded(text)));
}

/** Returns how often each of the words occurs. */
export function occurrencesOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Returns the part of a folded word that counts. */
function shortened(word: string): string {
  return word.length > WORD_UNITS_MAX ? word.slice(0, WORD_UNITS_MAX).replace(/[\ud800-\udbff]$/, "") : word;
}

function plainWordsIn(text: string, pattern: RegExp): string[] {
  const words = text.match(pattern) ?? [];
  return words.some((word) => word.length > WORD_UNITS_MAX) ? words.map(shortened) : words;
}

/** Returns the runs of letters, numbers and marks. */
function runsIn(text: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const kind = kindAt(text, at);
    const isPart = (kind & (LETTER_OR_NUMBER | MARK)) !== 0;
    if (isPart && start < 0) start = at;
    else if (!isPart && start >= 0) {
      words.push(shortened(text.slice(start, at)));
      start = -1;
    }
    if (isPair(text, at)) at++;
  }
  return words;
}

/**
 * Returns a function that checks whether words are in a row in a text. The result is that of {@link wordsIn}, but faster for
 * plain texts.
 */
export function rowOf(words: readonly string[]): (text: string) => boolean {
  const parts = words.map((word) => {
    if (!/^[a-z0-9]+$/.test(word)) return null;
    return word.length < WORD_UNITS_MAX ? word : `${word}[a-z0-9]*`;
  });
  const plain = parts.includes(null) ? null : new RegExp(`(?<![a-z0-9])${parts.join("[^a-z0-9]+")}(?![a-z0-9])`, "i");
  return (text) => {
    if (PLAIN.test(text)) return plain !== null && plain.test(text);
    const all = wordsIn(text);
    return all.some((_, at) => words.every((word, offset) => all[at + offset] === word));
  };
}

/**
 * Returns the terms that a typed word asks for, each as words with single spaces between them: one term in scripts with spaces;
 * in others, the words that a dictionary finds.
 */
export function termsIn(word: string): string[] {
  if (PLAIN.test(word)) {
    const words = plainWordsIn(word, PLAIN_CASED_WORD);
    return words.length > 0 ? [words.join(" ")] : [];
  }
  const text = clean(word).normalize("NFKC");
  const parts = isCutByCharacter(text) ? segmentsOf(text) : [text];
  return parts.map(phraseOf).filter((term) => term !== "");
}

/** Returns the words of a text as the index cuts them, with single spaces between them. */
function phraseOf(text: string): string {
  return runsIn(cut(clean(text).normalize("NFKC"))).join(" ");
}

const ELIDED = unicodePattern(
  String.raw`(?<![\p{L}\p{N}'’])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|all|dall|dell|nell|quell|quest|sull|un)['’](?=\p{L}{2})`,
  "giu",
);

const SHORTENED = unicodePattern(String.raw`(?<=\p{L}{2})['’](?:s|d|m|ll|re|ve)(?![\p{L}\p{N}])`, "giu");

/** Removes what is joined to a typed word: "company's" asks for the company, "l'imprimante" for the printer. */
export function withoutEndings(word: string): string {
  return withoutElision(word.replace(SHORTENED(), ""));
}

/** Removes articles and prepositions that French and Italian join to words. Elsewhere, they are written differently. */
export function withoutElision(text: string): string {
  return text.replace(ELIDED(), "");
}

/** Removes everything from a text that can't be seen, and surplus marks. */
function clean(text: string): string {
  const seen = text.toWellFormed().replace(INVISIBLE, "");
  return MARKS_AND_CUT_SCRIPTS.test(seen) ? withoutSurplusMarks(seen) : seen;
}

function withoutSurplusMarks(text: string): string {
  let kept = "";
  let from = 0;
  let marks = 0;
  for (let at = 0; at < text.length; ) {
    const next = at + (isPair(text, at) ? 2 : 1);
    marks = (kindAt(text, at) & MARK) === 0 ? 0 : marks + 1;
    if (marks > MARKS_MAX) {
      kept += text.slice(from, at);
      from = next;
    }
    at = next;
  }
  return kept + text.slice(from);
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

function folded(text: string): string {
  return withoutOptionalMarks(clean(text).normalize("NFKD").toLowerCase()).normalize("NFKC");
}

/** Cuts a text in scripts without spaces. Looks at each character once, whatever its script and however many marks there are. */
function cut(text: string): string {
  if (!MARKS_AND_CUT_SCRIPTS.test(text)) return text;
  let done = "";
  let from = 0;
  const runs: string[] = [];
  // The kind of the character before, and of the letter or number before it if there are only marks between.
  let before = 0;
  let bearer = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    const isCut =
      ((before & BY_CHARACTER) !== 0 && (kind & LETTER_OR_NUMBER) !== 0) ||
      ((kind & BY_CHARACTER) !== 0 && (bearer & LETTER_OR_NUMBER) !== 0);
    if (isCut) {
      done += text.slice(from, at) + CUT;
      from = at;
    }
    if ((kind & BY_DICTIONARY) !== 0) {
      const { end, letters } = runAt(text, at);
      if (letters >= LOOKED_UP_MIN) {
        done += text.slice(from, at) + RUN;
        runs.push(text.slice(at, end));
        from = end;
      }
      before = 0;
      bearer = LETTER;
      at = end;
      continue;
    }
    before = text[at] === LONG_VOWEL ? kind | BY_CHARACTER : kind;
    if ((kind & MARK) === 0) bearer = kind;
    at += isPair(text, at) ? 2 : 1;
  }
  return withRuns(done + text.slice(from), runs);
}

/** Stands for a run that is still to be cut. No text contains it, because {@link INVISIBLE} characters are removed. */
const RUN = "\u0000";

/** Cuts all runs at once: each pass of the segmenter takes as long as a sentence. */
function withRuns(text: string, runs: readonly string[]): string {
  if (runs.length === 0) return text;
  const cuts = segmentsOf(runs.join("\n")).join(CUT).split(`${CUT}\n${CUT}`);
  return text
    .split(RUN)
    .map((part, at) => part + (cuts[at] ?? ""))
    .join("");
}

/** Makes the vowel of the kana before it longer. Its script is "common". */
const LONG_VOWEL = "ー";

/** Returns where a run of scripts that need a dictionary ends, including marks of any script, and how many letters it has. */
function runAt(text: string, start: number): { readonly end: number; readonly letters: number } {
  let end = start;
  let letters = 0;
  for (let kind = kindAt(text, end); (kind & (BY_DICTIONARY | MARK)) !== 0; kind = kindAt(text, end)) {
    if ((kind & MARK) === 0) letters++;
    end += isPair(text, end) ? 2 : 1;
  }
  return { end, letters };
}

function isCutByCharacter(text: string): boolean {
  for (const character of text) if ((kindAt(character, 0) & BY_CHARACTER) !== 0) return true;
  return false;
}
