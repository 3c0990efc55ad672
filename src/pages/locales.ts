import { ENGLISH_LOCALE, type Language, type Locale, type Translation } from "#messages/locale.ts";
import type { Bindings } from "#platform/bindings.ts";
import { keptAsset } from "#platform/kept-asset.ts";

type Assets = Bindings["ASSETS"];

const TRANSLATED: Readonly<Record<Exclude<Language, "en">, (assets: Assets) => Promise<Locale>>> = {
  de: translationInto("de"),
};

/** The texts of a language. Where they can't be read, the page is in English: a person who wants to revoke access must be able to. */
export async function localeOf(language: Language, assets: Assets): Promise<Locale> {
  if (language === "en") return ENGLISH_LOCALE;
  return TRANSLATED[language](assets).catch(() => ENGLISH_LOCALE);
}

function translationInto(language: Language) {
  return keptAsset(`/messages/${language}.json`, async (response) => {
    return { language, ...(await response.json<Translation>()) };
  });
}
