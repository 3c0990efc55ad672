import { foldTerm } from "#protocol/folding.ts";
import { asInVocabulary, phraseOf, termsIn, wordsIn } from "#documents/words.ts";

/** A person types a few words; this is far beyond any of them and keeps the index's work bounded. */
const WORDS_MAX = 24;

/** The beginning of a word says too little before its second letter. */
const PREFIX_LENGTH_MIN = 2;

/** The index knows beginnings of up to so many letters (`schema.sql`); longer ones are looked up in its vocabulary. */
const INDEXED_PREFIX_LENGTH_MAX = 5;

/** Words of the index that mean permissions, filters and rows; somebody's text may hold the same, spelt as the index spells it. */
const LIKE_AN_ID = /^[pfs]\d+$/i;

/** Where text is searched. Nothing that a person typed is ever looked for in another column. */
export const TEXT_COLUMNS = "{title body keywords metadata}";

const BUILT_IN_FIELDS = ["datasource", "type", "from"];

/** What a person typed, one part of it: text to find, or a value of a field. */
export interface Clause {
  readonly isUnwanted: boolean;
  readonly text: TextTerm | null;
  /** Where the field is known, it takes the text's place. */
  readonly filter: FieldFilter | null;
}

/** Text to find, as expressions of FTS5 in which every word stands in quotes. */
export interface TextTerm {
  readonly match: string;
  /** The same for ranking documents that were found already: words that cannot be ids are not held to columns, which is faster. */
  readonly ranking: string;
  /** The parts of which the rarest bounds how often the whole can match. */
  readonly probes: readonly string[];
  /** A phrase: the index reads positions, too. */
  readonly isPhrase: boolean;
  /** The beginning of a word that the vocabulary completes. */
  readonly beginning: string | null;
}

export interface FieldFilter {
  /** Folded. */
  readonly field: string;
  /** One that every document has; any other is a key of custom metadata, or unknown. */
  readonly isBuiltIn: boolean;
  /** Any of these. */
  readonly values: readonly FieldValue[];
}

interface FieldValue {
  readonly whole: string;
  readonly words: readonly string[];
}

const PART = /(?<=^|\s)(-?)(?:([\p{L}\p{N}_]{1,200}):(?=[^\s:]))?(?:"([^"]*)"?|(\S+))/gu;

/**
 * Cuts a typed query into its parts: words, `"exact phrases"`, `field:value`, `field:"two words"`, and `-unwanted` ones of any
 * kind. The last word may be unfinished, unless a space follows it.
 */
export function parseQuery(text: string): Clause[] {
  const clauses: Clause[] = [];
  let words = 0;
  for (const part of text.matchAll(PART)) {
    const [whole, minus, field, phrase, word = ""] = part;
    const isLast = part.index + whole.length === text.length;
    const isUnwanted = minus === "-";
    const filter = field === undefined ? null : toFilter(field, [phrase ?? word]);
    const isWord = phrase === undefined && field === undefined && !isUnwanted;
    const terms = isWord ? termsIn(word) : [phraseOf(`${field ?? ""} ${phrase ?? word}`)];
    const isUnfinished = isLast && isWord && terms.length === 1;
    for (const term of terms) {
      if (term === "") continue;
      const cut = term.split(" ").slice(0, WORDS_MAX - words);
      if (cut.length === 0) return clauses;
      words += cut.length;
      clauses.push({ isUnwanted, text: toTextTerm(cut, isUnfinished), filter });
    }
  }
  return clauses;
}

/** A filter as the index compares it: values whole or by their words, which depends on the field. */
export function toFilter(name: string, values: readonly string[]): FieldFilter {
  const field = foldTerm(name);
  return {
    field,
    isBuiltIn: BUILT_IN_FIELDS.includes(field),
    values: values.map((value) => ({ whole: foldTerm(value), words: wordsIn(value) })),
  };
}

function toTextTerm(words: readonly string[], isUnfinished: boolean): TextTerm {
  const quoted = spellings(words.join(" ")).map((spelling) => `"${spelling}"`);
  const [only = ""] = words;
  const beginning = isUnfinished && words.length === 1 ? asInVocabulary(only) : "";
  const { length } = Array.from(beginning);
  const isIndexed = length >= PREFIX_LENGTH_MIN && length <= INDEXED_PREFIX_LENGTH_MAX;
  const match = `(${[...quoted, ...(isIndexed ? [`"${beginning}" *`] : [])].join(" OR ")})`;
  const isLikeAnId =
    words.some((word) => LIKE_AN_ID.test(asInVocabulary(word))) || (beginning !== "" && /^[pfs]\d*$/i.test(beginning));
  const held = isLikeAnId ? `${TEXT_COLUMNS} : ${match}` : match;
  return {
    match,
    ranking: held,
    probes: words.length === 1 ? [held] : words.map((word) => `${TEXT_COLUMNS} : (${spelt(word)})`),
    isPhrase: words.length > 1,
    beginning: length > INDEXED_PREFIX_LENGTH_MAX ? beginning : null,
  };
}

function spelt(word: string): string {
  return spellings(word)
    .map((spelling) => `"${spelling}"`)
    .join(" OR ");
}

/** What the index does not fold, though readers do: ß, ё, and the i without its dot. */
function spellings(phrase: string): string[] {
  return [
    ...new Set([phrase, phrase.replace(/[ßẞ]/g, "ss"), phrase.replace(/ss/gi, "ß"), phrase.replaceAll("ı", "i")]),
  ];
}
