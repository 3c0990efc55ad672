/** The languages whose forms of words are known, as BCP 47 names them. */
export const LANGUAGES = ["de", "en", "es", "fr", "it", "nl", "pt"] as const;

export type Language = (typeof LANGUAGES)[number];

/** What an instance has that chose none. */
export const USUAL_LANGUAGES: readonly Language[] = ["en"];
