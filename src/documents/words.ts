import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * Separates the words of scripts without spaces, invisibly for readers. The index's tokenizer ends a word at it, and {@link
 * readable} removes it, so that ranges of snippets refer to the text that people see.
 */
const CUT = "\u200b";

/** Scripts without spaces that are cut by character: any run of characters is found, whatever a dictionary sees. */
const BY_CHARACTER = unicodePattern(String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`, "u");
// The lookahead comes first. The lookbehind walks back over marks, which would take quadratic time at every position in a run of
// them.
const BETWEEN_CHARACTERS = unicodePattern(
  String.raw`(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー])(?=[\p{L}\p{N}])|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])(?<=[\p{L}\p{N}]\p{M}*)`,
  "gu",
);

/** Scripts without spaces whose words only a dictionary knows. */
const BY_DICTIONARY = unicodePattern(
  String.raw`[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]{2,}`,
  "gu",
);

/** Full-width letters and digits, half-width kana, and ligatures. They are the same words, however they are typed. */
const OTHER_FORM = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+/g;

/** Control characters except those for lines and columns, and the cut itself. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b]/g;

/**
 * Marks on one letter beyond the limit of Unicode's stream-safe format (UAX #15 §13). No language uses that many, and ordering n
 * of them takes time proportional to n squared.
 */
const SURPLUS_MARKS = unicodePattern(String.raw`(?<kept>\p{M}{30})\p{M}+`, "gu");

/**
 * Ranges that contain all marks and all scripts without spaces, and little else. Most texts contain none of these characters, and
 * this shows it quickly: each of the classes above has hundreds of ranges.
 */
// oxlint-disable-next-line no-misleading-character-class -- ranges of code units, and no letter with a mark
const MARKS_AND_CUT_SCRIPTS = /[\u0300-\u1fff\u20d0-\u20ff\u2c00-\uffff]/;

const WORD = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu");

/** Printable ASCII needs nothing folded but capitals, which takes a third of the time. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const PLAIN_CASED_WORD = /[A-Za-z0-9]+/g;

/** Created for the first text in a script without spaces, so that not every start has to load its dictionaries. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return segmenter.segment(text);
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
 * Returns the words of a text in a form that all of their spellings share: compatibility forms, case, diacritics, ß and the dots
 * of i are folded. The index, metadata values and search operators all compare words in this form.
 */
export function wordsIn(text: string): string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return cut(folded(text)).match(WORD()) ?? [];
}

/**
 * Returns a function that checks whether words are in a row in a text. The result is that of {@link wordsIn}, but faster for
 * plain texts.
 */
export function rowOf(words: readonly string[]): (text: string) => boolean {
  const parts = words.map((word) => (/^[a-z0-9]+$/.test(word) ? word : null));
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
    const words = word.match(PLAIN_CASED_WORD);
    return words ? [words.join(" ")] : [];
  }
  const text = clean(word).normalize("NFKC");
  const parts = BY_CHARACTER().test(text) ? Array.from(segmentsOf(text), ({ segment }) => segment) : [text];
  return parts.map(phraseOf).filter((term) => term !== "");
}

/** Returns the words of a text as the index cuts them, with single spaces between them. */
function phraseOf(text: string): string {
  return (cut(clean(text).normalize("NFKC")).match(WORD()) ?? []).join(" ");
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
  return MARKS_AND_CUT_SCRIPTS.test(seen) ? seen.replace(SURPLUS_MARKS(), "$<kept>") : seen;
}

function folded(text: string): string {
  return clean(text)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .replaceAll("ı", "i")
    .normalize("NFKC");
}

function cut(text: string): string {
  if (!MARKS_AND_CUT_SCRIPTS.test(text)) return text;
  const characters = BY_CHARACTER().test(text) ? text.replace(BETWEEN_CHARACTERS(), CUT) : text;
  return characters.replace(BY_DICTIONARY(), (run) => Array.from(segmentsOf(run), ({ segment }) => segment).join(CUT));
}
