import { typedWordsIn } from "#documents/compounds.ts";
import type { QuerySynonyms, SearchClause } from "#documents/engine.ts";
import { isStopWord, languagesOf } from "#documents/stop-words.ts";
import type { Language } from "#documents/languages.ts";
import type { Settings } from "#settings/settings.ts";
import { commonTerms } from "./common-terms.ts";
import { type GlossaryEntry, WORDS_MAX } from "./glossary.ts";

interface Synonym {
  readonly words: string;
  readonly language: Language | null;
}

/** The most parts of a query that have synonyms, and the most synonyms of each: every one is looked up in the index. */
const PARTS_MAX = 8;
const SYNONYMS_MAX = 5;

/** What words are also called, by these words with single spaces between them. */
type Compiled = ReadonlyMap<string, readonly Synonym[]>;

/** Compiles entries, so that a search finds what it needs without reading all of them. */
function compile(entries: readonly GlossaryEntry[]): Compiled {
  const compiled = new Map<string, Synonym[]>();
  const add = (typed: string, words: string, language: Language | null) =>
    compiled.set(typed, [...(compiled.get(typed) ?? []), { words, language }]);
  for (const { term, meaning, isTwoWay, language } of entries) {
    const [typed, called] = [term, meaning].map((text) => typedWordsIn(text).join(" ")) as [string, string];
    add(typed, called, language);
    if (isTwoWay) add(called, typed, language);
  }
  return compiled;
}

/** Finds what the words of queries are also called. Compiles each list of entries once. */
export class Synonyms {
  readonly #compiled = new WeakMap<readonly GlossaryEntry[], Compiled>();
  #common: Compiled | undefined;

  /**
   * Returns what the words of a query are also called. A term such as IT that is a stop word in lower case counts only in capitals; quoted
   * and unwanted words mean themselves.
   *
   * @param glossary the instance's, from its policy snapshot: entries that didn't change are the same object
   */
  in(
    clauses: readonly SearchClause[],
    glossary: readonly GlossaryEntry[],
    { searchLanguages: languages, searchUsesCommonTerms }: Pick<Settings, "searchLanguages" | "searchUsesCommonTerms">,
  ): QuerySynonyms[] {
    const own = this.#compiled.get(glossary) ?? compile(glossary);
    this.#compiled.set(glossary, own);
    // Compiled when first used, so that not every start has to.
    const common = searchUsesCommonTerms ? (this.#common ??= compile(commonTerms())) : undefined;
    const typed = clauses.flatMap(({ isUnwanted, text, filter }) =>
      isUnwanted || filter || !text || text.isQuoted
        ? [null]
        : text.words.map((word) => ({ word, isInCapitals: text.words.length === 1 && text.names !== undefined })),
    );
    const asked = languagesOf(
      typed.flatMap((one) => one?.word ?? []),
      languages,
    );
    const found: QuerySynonyms[] = [];
    for (const [at, first] of typed.entries()) {
      for (let length = 1; length <= WORDS_MAX && found.length < PARTS_MAX; length++) {
        const part = typed.slice(at, at + length);
        if (part.length < length || part.includes(null)) break;
        if (length === 1 && first && !first.isInCapitals && isStopWord(first.word, asked)) continue;
        const words = part.flatMap((one) => one?.word ?? []);
        const key = words.join(" ");
        const synonyms = (own.get(key) ?? common?.get(key) ?? [])
          .filter(({ language }) => language === null || asked.includes(language))
          .slice(0, SYNONYMS_MAX);
        if (synonyms.length > 0) found.push({ words, synonyms: synonyms.map((one) => one.words) });
      }
    }
    return found;
  }
}
