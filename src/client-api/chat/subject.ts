import { capitalised, compoundsIn, symbolIn } from "#documents/compounds.ts";
import { CAPITALS } from "#documents/index-rules.ts";
import { isStopWord, languagesOf, PARTICLES } from "#documents/stop-words.ts";
import type { Language } from "#documents/languages.ts";
import { stemOf } from "#documents/stems.ts";
import { termsIn, withoutElision, wordsIn } from "#documents/words.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** The most words that are searched for. */
const WORDS_MAX = 24;

/** Longer than any word that people use; {@link WORDS_MAX} of these still fit into a query. */
const TERM_CHARACTERS_MAX = 80;

/**
 * Words that people ask with, and that documents use about other things. The stop words of search are left out as well.
 */
const ASKING = new Set(
  (
    "between compare compared describe difference explain find get give happen happened happens help know let like list look looking many mean means much need please show tell " +
    "use used using want whether ai avez bekomme bekommen combien gibt quels quelles wann welche welchen welcher welches wieviel wieviele"
  ).split(" "),
);

/** "How often", "wie lange", "this week": an answer has a number or a date instead. */
const MEASURE = unicodePattern(
  String.raw`(?<![\p{L}\p{N}])(?:how\s+(?:big|far|fast|high|large|long|often|old|quickly|soon)|wie\s+(?:groß|hoch|lange|oft|schnell|viele?|weit)` +
    String.raw`|this\s+(?:week|month|year)|diese[nmrs]?\s+(?:Woche|Monat|Jahr)|today|tomorrow|heute|morgen)(?![\p{L}\p{N}])`,
  "giu",
);

/** What a question asks for, by how it is asked. The first that matches counts. */
const ASKING_FOR = (
  [
    ["money", String.raw`costs?|price|fee|budget|allowance|pay|kostet|kosten|preis`],
    [
      "number",
      String.raw`how\s+(?:big|deep|far|fast|high|large|long|many|much|often|old|quickly|soon)|what\s+(?:day|percentage|time)|when|wann` +
        String.raw`|wie\s?(?:groß|hoch|lange|oft|schnell|viele?|weit)|(?:default|maximum|minimum|max|min)\s+(?:size|limit|length|timeout|age)` +
        String.raw`|(?:which|what|welche)\s+(?:\p{L}+\s+){0,2}(?:version|port|year|number|status\s+code)`,
    ],
    ["name", String.raw`^\s*(?:who|whom|whose|wer|wem|wen)`],
  ] as const
).map(
  ([what, words]) => [what, unicodePattern(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, "iu")] as const,
);

const COMPARING = /\b(?:compared?|differences?|versus|vs|unterschiede?|vergleich)\b/i;

/** Words for the same in questions about prices. */
const PRICES = ["cost", "costs", "price", "prices", "kostet", "kosten", "preis", "preise"];

/** A word, or a name in code such as `invalid_target`, which means something other than its words. */
const WORD = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]+(?:_+[\p{L}\p{N}\p{M}]+)*`, "gu");

/**
 * What English shortens with an apostrophe: "can't" as a whole; of "company's", only the letter that would count as a word.
 */
const SHORTENED = unicodePattern(String.raw`(?:\p{L}{1,10}n['’]t|['’](?:s|d|m|ll|re|ve))(?![\p{L}\p{N}])`, "giu");

/** What Japanese joins words with and asks with. */
const JOINING = unicodePattern(String.raw`^[\p{Script=Hiragana}何]+$`, "u");

interface Term {
  /** As it was typed. */
  readonly typed: string;
  /** Folded. Several in a row if the script has no spaces, or in a name in code. */
  readonly words: readonly string[];
  /** The particle after the word, which texts may join to it: "login" for "log in". */
  readonly particle?: string;
}

/** What a question is about: the words in it that distinguish one subject from another. */
export class Subject {
  readonly #terms: readonly Term[];
  readonly #languages: readonly Language[];
  /** The places of words that texts had. */
  readonly #known = new Map<string, readonly number[]>();
  #weights: readonly number[] | undefined;

  /** What an answer has: an amount, a number, somebody's name; `null`: that can't be told. */
  readonly asksFor: (typeof ASKING_FOR)[number][0] | null;

  /** Whether it compares subjects, about which different documents may be. */
  readonly isComparing: boolean;
  /**
   * Words and stems, with the places of the one-word terms that each stands for. It is two for neighbours that texts may write as
   * one word.
   */
  readonly #ofOneWord = new Map<string, readonly number[]>();
  /** The same for words in a row. */
  readonly #inARow = new Map<string, readonly number[]>();

  /**
   * Whether all its words are stop words, as in "who are we". Texts are full of them, so a title has to contain all.
   */
  readonly isJoining: boolean;

  constructor(question: string, languages: readonly Language[]) {
    this.#languages = languages;
    this.asksFor = ASKING_FOR.find(([, pattern]) => pattern().test(question))?.[0] ?? null;
    this.isComparing = COMPARING.test(question);
    this.#terms = termsOf(question, languages);
    this.isJoining = this.#terms.every(({ words }) => words.every((word) => isStopWord(word, languages)));
    for (const [at, { words, particle }] of this.#terms.entries()) {
      if (words.length > 1) this.#inARow.set(words.join(" "), [at]);
      const word = words.join("");
      if (particle !== undefined) for (const key of this.#keysOf(word + particle)) this.#ofOneWord.set(key, [at]);
      const next = words.length === 1 ? (this.#terms[at + 1]?.words ?? []) : [];
      if (next.length === 1) for (const key of this.#keysOf(word + next[0])) this.#ofOneWord.set(key, [at, at + 1]);
      for (const one of PRICES.includes(word) ? PRICES : [word]) {
        for (const key of this.#keysOf(one)) this.#ofOneWord.set(key, [at]);
      }
    }
  }

  /** The number of its words, or of runs in a script without spaces; 0 if the question names nothing. */
  get size(): number {
    return this.#terms.length;
  }

  /** A search query for these words and nothing else: it contains no operator, and its last word is finished. */
  get query(): string {
    return this.#terms
      .map(({ typed, particle }) => `${typed} ${particle === undefined ? "" : `${particle} `}`)
      .join("");
  }

  /**
   * Lets what documents call something stand for words of the question: another spelling, or a synonym, whose words a text has in a row.
   *
   * @param typed the question's words, folded
   * @param called folded, with single spaces
   */
  alsoCall(typed: readonly string[], called: string): void {
    const places = typed.flatMap((word) => this.#ofOneWord.get(word) ?? this.#ofOneWord.get(CAPITALS + word) ?? []);
    if (called.includes(" ")) this.#inARow.set(called, places);
    else {
      // "it" stands for nothing, "IT" for information technology.
      for (const key of this.#keysOf(isStopWord(called, this.#languages) ? CAPITALS + called : called)) {
        this.#ofOneWord.set(key, [...(this.#ofOneWord.get(key) ?? []), ...places]);
      }
    }
    this.#known.clear();
  }

  /** Returns the places of those of its words that a text contains in any form. */
  heldBy(text: string): ReadonlySet<number> {
    const held = new Set<number>();
    const words = wordsIn(text);
    for (const word of new Set([...words, ...compoundsIn(text).map((compound) => compound.word)])) {
      for (const at of this.#placesOf(word)) held.add(at);
    }
    const row = ` ${words.join(" ")} `;
    for (const [called, places] of this.#inARow) {
      if (row.includes(` ${called} `)) for (const at of places) held.add(at);
    }
    return held;
  }

  /** The places of all its words. */
  get places(): ReadonlySet<number> {
    return new Set(this.#terms.keys());
  }

  /** Takes how much each word says, folded: the rarer, the more. Words that aren't among them say as much as the rarest. */
  weigh(weights: ReadonlyMap<string, number>): void {
    const most = Math.max(1, ...weights.values());
    this.#weights = this.#terms.map(({ words }) => Math.max(...words.map((word) => weights.get(word) ?? 0)) || most);
  }

  /** Returns how much some of its words say together. */
  weightOf(held: Iterable<number>): number {
    return Array.from(held).reduce((sum, at) => sum + (this.#weights?.[at] ?? 1), 0);
  }

  /** Returns its words at some places, as they were typed. */
  namesAt(places: ReadonlySet<number>): string[] {
    return this.#terms.flatMap(({ typed }, at) => (places.has(at) ? [typed] : []));
  }

  #placesOf(word: string): readonly number[] {
    let places = this.#known.get(word);
    if (places === undefined) {
      places = this.#keysOf(word).flatMap((key) => this.#ofOneWord.get(key) ?? []);
      this.#known.set(word, places);
    }
    return places;
  }

  #keysOf(word: string): string[] {
    const stems = this.#languages.map((language) => [language, stemOf(word, language)] as const);
    return [word, ...stems.flatMap(([language, stem]) => (stem === null ? [] : [`${language}:${stem}`]))];
  }
}

/**
 * Returns the words that a question is about. If there are too many, the longest are kept, which are usually the rarest. If there
 * are only words that people ask with, these are the subject.
 */
function termsOf(question: string, all: readonly Language[]): Term[] {
  const languages = languagesOf(wordsIn(question), all);
  const hasLowerCase = question !== question.toUpperCase();
  const known = new Map<string, Term>();
  const joining = new Map<string, Term>();
  const plain = withoutElision(question.replace(SHORTENED(), ""))
    .replace(MEASURE(), " ")
    .replace(/\S+/g, (word) => {
      const symbol = symbolIn(word);
      if (symbol !== null) known.set(symbol, { typed: symbol, words: [symbol] });
      return symbol === null ? word : " ";
    });
  let before: string | undefined;
  for (const [run] of plain.matchAll(WORD())) {
    for (const typed of run.includes("_") ? [run] : termsIn(run).map((term) => term.replaceAll(" ", ""))) {
      const capitals = hasLowerCase ? capitalised(typed) : null;
      const words = capitals === null ? wordsIn(typed) : [capitals];
      const isCommon = words.every((word) => isStopWord(word, languages));
      const key = words.join(" ");
      const verb = before === undefined ? undefined : known.get(before);
      before = isCommon ? undefined : key;
      if (isCommon && verb?.words.length === 1 && PARTICLES.has(key)) {
        known.set(verb.words.join(" "), { ...verb, particle: key });
      }
      if (isCommon) joining.set(words.join(" "), { typed, words });
      else if (typed.length <= TERM_CHARACTERS_MAX && !known.has(words.join(" "))) {
        known.set(words.join(" "), { typed, words });
      }
    }
  }
  const found = [...(known.size > 0 ? known : joining).values()];
  const telling = found.filter(
    ({ typed, words }) => !words.every((word) => ASKING.has(word)) && !JOINING().test(typed),
  );
  const terms = telling.length > 0 ? telling : found;
  const kept = new Set<Term>();
  let left = WORDS_MAX;
  for (const term of terms.toSorted((one, other) => other.typed.length - one.typed.length)) {
    if (term.words.length > left) continue;
    left -= term.words.length;
    kept.add(term);
  }
  return terms.filter((term) => kept.has(term));
}
