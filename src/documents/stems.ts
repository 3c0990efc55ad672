import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { regularOf } from "./irregular.ts";
import type { Language } from "./languages.ts";

const STEMMERS: Readonly<Record<Language, (word: string) => string>> = {
  de: german,
  en: english,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pt: portuguese,
};

/** Longer strings aren't words of a language, and stemming takes more time for them. */
const LENGTH_MAX = 40;

/** Returns what a folded word has in common with its other forms; `null`: nothing. */
export function stemOf(word: string, language: Language): string | null {
  if (word.length < 3 || word.length > LENGTH_MAX) return null;
  return STEMMERS[language](language === "en" ? regularOf(word) : word) || null;
}
