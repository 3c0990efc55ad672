import { LANGUAGES } from "#documents/languages.ts";
import type { Members, Words } from "#platform/described-members.ts";
import * as v from "valibot";

/** The members of an entry. {@link GLOSSARY_WORDS} says what each is. */
export const GLOSSARY_MEMBERS = {
  term: { schema: v.string() },
  meaning: { schema: v.string() },
  isTwoWay: { schema: v.optional(v.boolean(), true) },
  language: { schema: v.optional(v.nullable(v.picklist(LANGUAGES)), null) },
} satisfies Members;

/** What the API's description says about each member. */
export const GLOSSARY_WORDS: Readonly<Record<keyof typeof GLOSSARY_MEMBERS, Words>> = {
  term: ["What people type: one to six words", "PTO"],
  meaning: ["What documents also call it: one to six words", "paid time off"],
  isTwoWay: ["Whether whoever types the meaning also finds the term"],
  language: ["The language of the questions that it is for; `null`: all", "en"],
};
