import { typedWordsIn } from "#documents/compounds.ts";
import type { Language } from "#documents/languages.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** A term, and one of the things that it is also called. */
export interface GlossaryEntry {
  readonly term: string;
  readonly meaning: string;
  /** Whether whoever types the meaning also finds the term. */
  readonly isTwoWay: boolean;
  /** The language of the questions that it is for; `null`: all. */
  readonly language: Language | null;
}

/** The policy snapshot contains all entries of an instance, so their number and length are limited. */
const ENTRIES_MAX = 1000;
const CHARACTERS_MAX = 80;
export const WORDS_MAX = 6;

/**
 * Validates the entries that an administrator enters, and returns them as they are stored: without surplus white space, in order.
 *
 * @throws {AdministrationRefused} naming the member that is wrong
 */
export function requireEntries(wanted: readonly GlossaryEntry[]): GlossaryEntry[] {
  if (wanted.length > ENTRIES_MAX) refuse(`A glossary has at most ${ENTRIES_MAX} entries`, "entries");
  const known = new Set<string>();
  const entries = wanted.map(({ term, meaning, isTwoWay, language }) => {
    const entry = { term: trimmed(term), meaning: trimmed(meaning), isTwoWay, language };
    const [typed, called] = [wordsOf(entry, "term"), wordsOf(entry, "meaning")];
    if (typed === called) refuse(`“${entry.term}” and “${entry.meaning}” are the same words for search`, "meaning");
    const key = JSON.stringify([typed, called, language]);
    if (known.has(key)) refuse(`“${entry.term}” has the meaning “${entry.meaning}” twice`, "entries");
    known.add(key);
    return entry;
  });
  return entries.sort((one, other) => compare(one.term, other.term) || compare(one.meaning, other.meaning));
}

/** Returns which entries were added and removed, in words. */
export function changedEntries(before: readonly GlossaryEntry[], after: readonly GlossaryEntry[]) {
  const [old, now] = [before.map(inWords), after.map(inWords)];
  return { added: now.filter((one) => !old.includes(one)), removed: old.filter((one) => !now.includes(one)) };
}

/** Returns an entry as one line, such as `PTO = paid time off`. */
export function inWords({ term, meaning, isTwoWay, language }: GlossaryEntry): string {
  return `${language === null ? "" : `${language}: `}${term} ${isTwoWay ? "=" : ">"} ${meaning}`;
}

function wordsOf(entry: GlossaryEntry, member: "term" | "meaning"): string {
  const text = entry[member];
  const words = text.length > CHARACTERS_MAX ? [] : typedWordsIn(text);
  if (words.length > 0 && words.length <= WORDS_MAX) return words.join(" ");
  const limits = `one to ${WORDS_MAX} words, and at most ${CHARACTERS_MAX} characters`;
  return refuse(`The ${member} “${text.slice(0, CHARACTERS_MAX)}” must have ${limits}`, member);
}

function trimmed(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/g, " ");
}

function compare(one: string, other: string): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : one.toLowerCase() > other.toLowerCase() ? 1 : 0;
}

function refuse(message: string, member: string): never {
  throw new AdministrationRefused(message, member);
}
