import { ENGLISH_LOCALE, type Language, type Locale, type Translation } from "./locale.ts";

/** What reads static assets. */
export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** Translations that were read before; they change with a deployment only. */
const known = new WeakMap<Assets, Map<Language, Locale>>();

/** The texts of a language. Where they can't be read, the page is in English: a person who wants to revoke access must be able to. */
export async function localeOf(language: Language, assets: Assets): Promise<Locale> {
  if (language === "en") return ENGLISH_LOCALE;
  const kept = known.get(assets) ?? new Map<Language, Locale>();
  known.set(assets, kept);
  const locale = kept.get(language) ?? (await readLocale(language, assets));
  if (locale === undefined) return ENGLISH_LOCALE;
  kept.set(language, locale);
  return locale;
}

async function readLocale(language: Language, assets: Assets): Promise<Locale | undefined> {
  try {
    const response = await assets.fetch(`https://assets/messages/${language}.json`);
    return response.ok ? { language, ...(await response.json<Translation>()) } : undefined;
  } catch {
    return undefined;
  }
}
