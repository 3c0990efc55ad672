import { ENGLISH_LOCALE, type Language, type Locale, type Translation } from "#messages/locale.ts";
import type { Bindings } from "#platform/bindings.ts";
import { keptAsset } from "#platform/kept-asset.ts";

type Assets = Bindings["ASSETS"];

const TRANSLATED: Readonly<Record<Exclude<Language, "en">, (assets: Assets) => Promise<Locale>>> = {
  de: translationInto("de"),
};

/**
 * Returns a language's texts, or English if they can't be read, because people must always be able to revoke access.
 */
export async function localeOf(language: Language, assets: Assets): Promise<Locale> {
  if (language === "en") return ENGLISH_LOCALE;
  return TRANSLATED[language](assets).catch(() => ENGLISH_LOCALE);
}

function translationInto(language: Language) {
  return keptAsset(`/messages/${language}.json`, async (response) => {
    return { language, ...(await response.json<Translation>()) };
  });
}
