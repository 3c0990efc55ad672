import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * Cuts scripts without spaces where readers see nothing. The index's tokenizer ends a word at it, and {@link readable} takes it
 * out again, so that ranges of snippets count over the text that people see.
 */
const CUT = "\u200b";

/** Written without spaces and readable by the character: any run of characters is found, whatever words a dictionary sees. */
const BY_CHARACTER = unicodePattern(String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`, "u");
// The look ahead comes first: a look behind walks back over marks, and at every place of a run of them that is the run squared.
const BETWEEN_CHARACTERS = unicodePattern(
  String.raw`(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー])(?=[\p{L}\p{N}])|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])(?<=[\p{L}\p{N}]\p{M}*)`,
  "gu",
);

/** Written without spaces, with words that only a dictionary knows. */
const BY_DICTIONARY = unicodePattern(
  String.raw`[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]{2,}`,
  "gu",
);

/** Letters and digits in the width of an ideograph, kana in half of it, ligatures: the same words, however they are typed. */
const OTHER_FORM = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+/g;

/** Control characters but those of lines and columns, and the cut itself. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b]/g;

/**
 * Marks on one letter beyond what Unicode's stream-safe format has (UAX #15 §13): no language writes them, and to put n of them
 * in order costs n squared.
 */
const SURPLUS_MARKS = unicodePattern(String.raw`(?<kept>\p{M}{30})\p{M}+`, "gu");

/**
 * Where all marks and all scripts without spaces are, and little of other scripts. Most texts have nothing there, which is soon seen:
 * each of the classes above has hundreds of ranges.
 */
// oxlint-disable-next-line no-misleading-character-class -- ranges of code units, and no letter with a mark
const MARKS_AND_CUT_SCRIPTS = /[\u0300-\u1fff\u20d0-\u20ff\u2c00-\uffff]/;

const WORD = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu");

/** Text of ASCII that can be seen has nothing to fold but capitals: read so, it takes a third of the time. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const PLAIN_CASED_WORD = /[A-Za-z0-9]+/g;

/** Made when a script without spaces first comes by: not every start has to load its dictionaries. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return segmenter.segment(text);
}

/**
 * Text as it is stored for the index: composed (NFC), of one width, without control characters (the index marks what it found with
 * two of them), with at most thirty marks on a letter, and cut where a script has no spaces. Applying it again changes nothing. In
 * bytes it may be twice as long.
 */
export function indexable(text: string): string {
  if (PLAIN.test(text)) return text;
  const composed = clean(text)
    .replace(OTHER_FORM, (run) => run.normalize("NFKC"))
    .normalize("NFC");
  return cut(composed);
}

/** What {@link indexable} was given, for people. */
export function readable(text: string): string {
  return text.replaceAll(CUT, "");
}

/**
 * The words of a text, each as all of its spellings share it: compatibility forms, case, diacritics, ß and the dots of i folded.
 * Words of metadata values and of operators compare by these; free text is folded further by the index's own tokenizer.
 */
export function wordsIn(text: string): string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return cut(folded(text)).match(WORD()) ?? [];
}

/** Whether words stand in a row in a text: what {@link wordsIn} would tell, sooner where the text is plain. */
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
 * The terms that a typed word asks for, each as words with single spaces between them: one, where the script has spaces; the
 * words that a dictionary sees, where it has none.
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

/** The words of a text as the index cuts them, with single spaces between them. */
function phraseOf(text: string): string {
  return (cut(clean(text).normalize("NFKC")).match(WORD()) ?? []).join(" ");
}

const ELIDED = unicodePattern(
  String.raw`(?<![\p{L}\p{N}'’])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|all|dall|dell|nell|quell|quest|sull|un)['’](?=\p{L}{2})`,
  "giu",
);

const SHORTENED = unicodePattern(String.raw`(?<=\p{L}{2})['’](?:s|d|m|ll|re|ve)(?![\p{L}\p{N}])`, "giu");

/** A typed word without what is joined to it: "company's" asks for the company, "l'imprimante" for the printer. */
export function withoutEndings(word: string): string {
  return withoutElision(word.replace(SHORTENED(), ""));
}

/** A question without the articles and prepositions that French and Italian join to words: they are written otherwise elsewhere. */
export function withoutElision(text: string): string {
  return text.replace(ELIDED(), "");
}

/** What can be seen of a text. */
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
