import { type Catalogue, wordsOf } from "#messages/catalogue.ts";
import { ENGLISH_LOCALE, type Language, type Locale, type Translation } from "#messages/locale.ts";
import type { Bindings } from "#platform/bindings.ts";
import { keptAsset } from "#platform/kept-asset.ts";

type Assets = Bindings["ASSETS"];

type Readers = Readonly<Record<Exclude<Language, "en">, (assets: Assets) => Promise<Locale>>>;

const TRANSLATED: Readers = { de: translationInto("de") };

const CONSOLE_TRANSLATED: Readers = { de: consoleIn("de") };

/**
 * Returns a language's texts, or English if they can't be read, because people must always be able to revoke access.
 */
export async function localeOf(language: Language, assets: Assets, translated = TRANSLATED): Promise<Locale> {
  if (language === "en") return ENGLISH_LOCALE;
  return translated[language](assets).catch(() => ENGLISH_LOCALE);
}

/** Returns the same with the texts of the console. */
export function consoleLocaleOf(language: Language, assets: Assets): Promise<Locale> {
  return localeOf(language, assets, CONSOLE_TRANSLATED);
}

function translationInto(language: Language) {
  return keptAsset(`/messages/${language}.json`, async (response): Promise<Locale> => {
    return { ...ENGLISH_LOCALE, language, ...(await response.json<Translation>()) };
  });
}

function consoleIn(language: Exclude<Language, "en">) {
  const words = keptAsset(`/messages/console.${language}.json`, async (response) =>
    wordsOf(language, await response.json<Catalogue>()),
  );
  return async (assets: Assets): Promise<Locale> => ({
    ...(await TRANSLATED[language](assets)),
    ...(await words(assets)),
  });
}
