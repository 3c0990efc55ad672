/** The languages whose word forms are known, as BCP 47 tags. */
export const LANGUAGES = ["de", "en", "es", "fr", "it", "nl", "pt"] as const;

export type Language = (typeof LANGUAGES)[number];

/** The languages of an instance that has chosen none. */
export const USUAL_LANGUAGES: readonly Language[] = ["en"];
