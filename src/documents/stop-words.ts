import { LANGUAGES, type Language } from "./languages.ts";
/** Words that only join others, and question words, folded as in the index. */
const LISTS: Readonly<Record<Language, string>> = {
  en:
    "a about after all also am an and any are as at be been before being but by can could did do does doing for from had has have having " +
    "how i if in into is it its me my no nor not of on or our out should so some such than that the their them then there these they this " +
    "arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt many much shouldnt wasnt werent wont wouldnt " +
    "those to too was we were what when where which while who whom whose why will with would you your",
  de:
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser dieses doch du durch ein eine einem einen " +
    "einer eines er es fur habe haben hat hatte ich ihr im in ist ja kann kein keine man mein meine mit muss mussen nach nicht noch nur ob oder ohne sein sich sie sind so " +
    "uber um und uns unter vom von vor war warum was wenn wer werden wie wird wir wo zu zum zur",
  es:
    "a al ante con como cual cuando de del desde donde el ella en entre es esta este esto fue ha han hacer hasta la las le lo los mas me mi muy " +
    "no nos o para pero por porque puede puedo que quien se ser si sin sobre son su sus te un una y ya",
  fr:
    "a au aux avec ce ces cette comme comment dans de des du elle en est et eux faire il ils je la le les leur lui ma mais me mes mon ne nos " +
    "notre nous on ou par pas peut peux pour qu quand que quel quelle qui sa sans se ses son sont sur ta te tu un une vos votre vous y",
  it:
    "a ad al alla anche che chi ci come con cui da dal dalla de dei del della di dove e ed era fare gli ha ho i il in io la le lo ma mi ne nei " +
    "nel nella no noi non o per perche piu posso puo quale quando quello questa questo se si sono su sua suo ti tra un una uno",
  nl:
    "aan als bij dan dat de den der deze die dit door een en er haar had heeft het hij hoe ik in is je kan kun maar me met mijn naar niet nog " +
    "nu of om ook op over te tot uit van veel voor waar waarom was wat we wel wie wij wordt ze zich zij zijn zo zou",
  pt:
    "a ao aos as com como da das de do dos e ela ele em entre era essa esse esta este eu fazer foi ha isso ja mais mas me na nao nas no nos o os " +
    "ou para pela pelo pode por porque posso quando que quem se sem ser seu sua sao so tem um uma voce",
};

const SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LISTS).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** Returns the stop words of all languages. Some occur more than once. */
export function allStopWords(): readonly string[] {
  return [...SETS.values()].flatMap((words) => [...words]);
}

export function isStopWord(word: string, languages: readonly Language[]): boolean {
  return languages.some((language) => SETS.get(language)?.has(word) === true);
}

/** Returns those of some languages that a question is probably in: the ones with the most stop words in it. */
export function languagesOf(words: readonly string[], languages: readonly Language[]): readonly Language[] {
  const count = (language: Language) => words.filter((word) => isStopWord(word, [language])).length;
  const most = Math.max(...languages.map(count));
  return languages.filter((language) => count(language) === most);
}

/** Returns the language with the most stop words in a text, which must have `least`; `null`: several have as many. */
export function languageOf(words: ReadonlySet<string>, least: number): Language | null {
  let [best, most, isClear]: [Language | null, number, boolean] = [null, least - 1, true];
  for (const language of LANGUAGES) {
    const list = SETS.get(language) ?? words;
    const count = [...list].filter((word) => words.has(word)).length;
    if (count === most) isClear = false;
    if (count > most) [best, most, isClear] = [language, count, true];
  }
  return isClear ? best : null;
}

/** Created for the first word in capitals, so that not every start has to. */
let stopWords: ReadonlySet<string> | undefined;

/** What people type in capitals because other search engines take it for an operator. */
const OPERATORS = new Set(["and", "or", "not"]);

/** Whether a word in capitals, folded, would be taken for a stop word of some language: IT, WHO, AM. */
export function isLikeStopWord(word: string): boolean {
  stopWords ??= new Set(allStopWords());
  return stopWords.has(word) && !OPERATORS.has(word);
}

/** Particles that English joins to verbs, and may write as one word with them: "log in", "login". */
export const PARTICLES: ReadonlySet<string> = new Set(["by", "in", "off", "on", "out", "over", "to", "up"]);
