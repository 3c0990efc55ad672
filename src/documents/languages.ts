/** The languages whose word forms are known, as BCP 47 tags. */
export const LANGUAGES = ["de", "en", "es", "fr", "it", "nl", "pt"] as const;

export type Language = (typeof LANGUAGES)[number];

/** Returns the first language of an `Accept-Language` header; `null`: it is none of these. */
export function firstLanguage(acceptLanguage = ""): Language | null {
  const tag = acceptLanguage.trim().slice(0, 3).toLowerCase();
  return LANGUAGES.find((language) => tag.replace(/[^a-z]$/, "") === language) ?? null;
}

/** The languages of an instance that has chosen none. */
export const USUAL_LANGUAGES: readonly Language[] = ["en"];
