import { plainOf } from "#documents/compounds.ts";
import { isLikeStopWord, PARTICLES } from "#documents/stop-words.ts";
import type { Language } from "#documents/languages.ts";
import type { Store } from "#documents/store.ts";
import { datesIn } from "#documents/written-dates.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";
import type { Phrase, Slot } from "./question.ts";
import { quoted } from "#documents/index-rules.ts";
import { knownAmong } from "#documents/find/collect/rows.ts";
import { sketchesOf } from "#documents/find/collect/stored-sketches.ts";
import { formOf } from "./match-expressions.ts";
import { APART, partsOf, type SlotWords } from "./slot-words.ts";

/** The shortest beginning of a word that says enough about it. */
const BEGINNING_LENGTH_MIN = 2;

/** Checks whether a word may be completed. */
export function isBeginning({ word, isUnfinished }: Slot): boolean {
  return isUnfinished && Array.from(word).length >= BEGINNING_LENGTH_MIN;
}

/**
 * Adds other spellings that some document contains: neighbouring words written as one, or one as two, "web site" and "website", "log in" and "login",
 * "max_retry_count" and "maxRetryCount"; dates in other formats; letters that few keyboards have, "Łódź" and "Lodz"; and in German,
 * umlauts as two letters, "Müller" and "Mueller". And the words of which a rare one consists, wherever a document has them.
 */
export function withSpellings(
  store: Store,
  words: readonly SlotWords[],
  phrases: readonly Phrase[],
  languages: readonly Language[],
  newest: NewestWith,
): readonly SlotWords[] {
  return withCompounds(store, withJoined(store, words, phrases, languages), languages, newest);
}

function withJoined(
  store: Store,
  words: readonly SlotWords[],
  phrases: readonly Phrase[],
  languages: readonly Language[],
): readonly SlotWords[] {
  const spellings = spellingsOf(words, phrases, languages);
  if (spellings.every((list) => list.length === 0)) return words;
  return withKnown(words, spellings, new Set(knownAmong(store, spellings.flat().flatMap(partsOf))));
}

/** Returns the newest documents that an expression finds, among those that the search may find. */
export type NewestWith = (expression: string, max: number) => readonly number[];

/**
 * Adds to rare words the two of which they consist, if a document contains both in a language that makes such words: "Lohnabrechnung" finds
 * "Abrechnung" and "Lohn". Which two depends on the documents that the search may find, and on no others.
 */
function withCompounds(
  store: Store,
  words: readonly SlotWords[],
  languages: readonly Language[],
  newest: NewestWith,
): readonly SlotWords[] {
  if (words.length > COMPOUND_WORDS_MAX) return words;
  return words.map((one) => {
    if (
      one.isRequired ||
      !isLikeCompound(one.word) ||
      newest(quoted(one.word), RARE_DOCUMENTS + 1).length > RARE_DOCUMENTS
    )
      return one;
    const pairs = compoundPairs(one.word);
    const known = new Set(knownAmong(store, pairs.flat()));
    const form = pairs
      .filter((parts) => parts.every((part) => known.has(part)))
      .map((parts) => parts.join(APART))
      .find((parts) => areCompounding(store, newest(formOf(parts), LOOKED_AT), languages));
    return form === undefined ? one : { ...one, forms: [...one.forms, form] };
  });
}

/** Checks whether documents make compounds. @param own the languages of the instance, if a document's isn't clear */
function areCompounding(store: Store, rows: readonly number[], own: readonly Language[]): boolean {
  const sketches = rows.length === 0 ? [] : [...sketchesOf(store, rows).values()];
  return sketches.some(({ language }) => (language === null ? own : [language]).some((one) => COMPOUNDING.has(one)));
}

const COMPOUNDING: ReadonlySet<Language> = new Set(["de", "nl"]);

/** The newest documents with both parts whose languages are looked at. */
const LOOKED_AT = 5;

function isLikeCompound(word: string): boolean {
  return word.length >= 2 * COMPOUND_PART_MIN && word.length <= COMPOUND_MAX && LETTERS().test(word);
}

/** Returns the ways to read a word as two, without what joins them: those with the longest shorter part first. */
function compoundPairs(word: string): readonly (readonly [string, string])[] {
  const shorter = ([first, second]: readonly [string, string]) => Math.min(first.length, second.length);
  return pairsOf(word, COMPOUND_PART_MIN, GERMAN_LINKS).sort((one, other) => shorter(other) - shorter(one));
}

/**
 * Returns the ways to read a word as two of at least `least` letters, without one of the links between them. Words that only join others are
 * no parts: "whatever" is not "what ever".
 */
function pairsOf(word: string, least: number, links: readonly string[]): (readonly [string, string])[] {
  const letters = Array.from(word);
  return letters.flatMap((_, at) =>
    links.flatMap((link) => {
      const [first, rest] = [letters.slice(0, at), letters.slice(at).join("")];
      const second = rest.slice(link.length);
      if (at < least || !rest.startsWith(link) || Array.from(second).length < least) return [];
      const parts = [first.join(""), second] as const;
      return parts.some((part) => isLikeStopWord(part) || PARTICLES.has(part)) ? [] : [parts];
    }),
  );
}

/** A word that more documents contain finds enough by itself, and in longer questions, other words do. */
const RARE_DOCUMENTS = 2;
const COMPOUND_WORDS_MAX = 6;
/** Shorter parts are in many words by chance: "car" and "pet" in "carpet". */
const COMPOUND_PART_MIN = 4;
const COMPOUND_MAX = 40;

/** Returns other spellings of each word, which documents may or may not contain. */
function spellingsOf(
  words: readonly Slot[],
  phrases: readonly Phrase[],
  languages: readonly Language[],
): readonly (readonly string[])[] {
  const days = daysOf(words, phrases);
  return words.map(({ word, isRequired, particle }, at) => {
    if (isRequired) return [];
    const before = words[at - 1];
    const after = words[at + 1];
    const links = languages.includes("de") ? GERMAN_LINKS : PLAIN_LINKS;
    return [
      ...phrases.filter((phrase) => phrase.words.includes(word)).map((phrase) => phrase.words.join("")),
      ...(before && !before.isRequired ? links.map((link) => before.word + link + word) : []),
      ...(after && !after.isRequired ? links.map((link) => word + link + after.word) : []),
      ...(particle === undefined ? [] : [word + particle]),
      ...(words.length <= SPLIT_WORDS_MAX ? splitsOf(word) : []),
      ...(plainOf(word) === word ? [] : [plainOf(word)]),
      ...(days.get(word) ?? []),
      ...(languages.includes("de") ? umlautsOf(word) : []),
    ];
  });
}

/** Returns, by word, the dates that it names or is part of: "14.03.2024", "2024-03-14", "March 14, 2024". */
function daysOf(words: readonly Slot[], phrases: readonly Phrase[]): ReadonlyMap<string, readonly string[]> {
  const days = new Map<string, readonly string[]>();
  const read = (parts: readonly string[], separator: string) => {
    for (const { word, start, end } of datesIn(parts.join(separator))) {
      let at = 0;
      for (const part of parts) {
        if (at >= start && at < end) days.set(part, [...(days.get(part) ?? []), word]);
        at += part.length + separator.length;
      }
    }
  };
  for (const phrase of phrases) read(phrase.words, "-");
  const row = words.map(({ word }) => word);
  read(row, " ");
  return days;
}

/** What joins the words of a compound: "Kündigung" and "Frist" become "Kündigungsfrist". */
const GERMAN_LINKS = ["", "s", "n", "en", "es", "er"];
const PLAIN_LINKS = [""];

/** Adds to words those of their spellings that some document contains. */
function withKnown(
  words: readonly SlotWords[],
  spellings: readonly (readonly string[])[],
  known: ReadonlySet<string>,
): readonly SlotWords[] {
  return words.map((one, at) => {
    const isKnown = (spelling: string) => partsOf(spelling).every((word) => known.has(word));
    const added = (spellings[at] ?? []).filter((spelling) => isKnown(spelling) && !one.forms.includes(spelling));
    return added.length === 0 ? one : { ...one, forms: [...one.forms, ...added] };
  });
}

/**
 * Returns a word as two. A document has to contain these in a row. How many splits are looked up must not depend on which of them the
 * vocabulary has: others' documents have words, too.
 */
function splitsOf(word: string): string[] {
  if (Array.from(word).length > SPLIT_LENGTH_MAX || !LETTERS().test(word)) return [];
  return pairsOf(word, PART_LENGTH_MIN, PLAIN_LINKS).map((parts) => parts.join(" "));
}

/** Longer queries say enough without: each split is looked up. */
const SPLIT_WORDS_MAX = 3;
const PART_LENGTH_MIN = 3;
const SPLIT_LENGTH_MAX = 24;
const LETTERS = unicodePattern(String.raw`^\p{L}+$`, "u");

/** Returns spellings of a word with one or two letters for umlauts, which are plain vowels here: words are folded. */
function umlautsOf(word: string): string[] {
  const vowels = [...word.matchAll(/[aou](?!e)/g)].slice(0, UMLAUTS_MAX);
  const longer = vowels.map(({ index }) => `${word.slice(0, index + 1)}e${word.slice(index + 1)}`);
  const shorter = word.replace(/([aou])e/g, "$1");
  return shorter === word ? longer : [shorter, ...longer];
}

/** The most vowels of one word that are tried. */
const UMLAUTS_MAX = 8;
