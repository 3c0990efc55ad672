/**
 * English words, each followed by the forms that no rule leads back to it. Left out are forms that also belong to another word,
 * such as "leaves" and "saw", and verbs that every text contains, such as "given".
 */
const FORMS =
  "analysis analyses;appendix appendices;break broke broken;bring brought;" +
  "build built;buy bought;calf calves;catch caught;child children;choose chose chosen;corpus corpora;crisis crises;criterion criteria;" +
  "diagnosis diagnoses;drive drove driven;eat ate eaten;fight fought;fly flew flown;" +
  "foot feet;forget forgot forgotten;freeze froze frozen;goose geese;grow grew grown;hang hung;" +
  "hide hid hidden;hypothesis hypotheses;index indices;knife knives;lend lent;" +
  "lose lost;man men;matrix matrices;meet met;mouse mice;pay paid;person people;phenomenon phenomena;ride rode ridden;" +
  "run ran;seek sought;sell sold;send sent;shake shook shaken;shelf shelves;shoot shot;shrink shrank shrunk;" +
  "sing sang sung;sink sank sunk;sleep slept;speak spoke spoken;spend spent;steal stole stolen;stick stuck;strike struck;swim swam;teach taught;" +
  "tear tore torn;thesis theses;think thought;throw threw thrown;tooth teeth;understand understood;vertex vertices;wake woke woken;wear wore worn;" +
  "wife wives;win won;withdraw withdrew withdrawn;wolf wolves;woman women;write wrote written";

const WORD_OF: ReadonlyMap<string, string> = new Map(
  FORMS.split(";").flatMap((line) => {
    const [word = "", ...forms] = line.split(" ");
    return forms.map((form) => [form, word] as const);
  }),
);

/** Words that British and American English spell differently, and the American spelling. */
const SPELLINGS: readonly (readonly [written: RegExp, american: string])[] = [
  [/^((?:dis|un)?(?:arm|behavi|col|endeav|fav|flav|glam|harb|hon|hum|lab|neighb|rum|sav|vap))our/, "$1or"],
  [/(?<=[a-z]{3})(?<![cvw]|pr)is(?=(?:e[drs]?|ers|ing|ations?|able|ational)$)/, "iz"],
  [/(?<=[a-z]{2})lys(?=(?:e[drs]?|ers|ing)$)/, "lyz"],
  [/^(cent|fib|lit|met|theat|kilomet)re(?=s?$)/, "$1er"],
  [/^(cata|ana|dia|mono|epi)logue/, "$1log"],
  [/^(def|lic|off|pret)ence(?=[ds]?$)/, "$1ense"],
  [/^programme(?=s?$)/, "program"],
  [/^grey/, "gray"],
  [/^enquir/, "inquir"],
  [/^judgement/, "judgment"],
  [/^(enrol|instal|fulfil)(?=ments?$)/, "$1l"],
  [/^artefact/, "artifact"],
];

/** Returns a word that English rules reduce to the same stem as this word's other forms and spellings. */
export function regularOf(word: string): string {
  const regular = WORD_OF.get(word);
  if (regular !== undefined) return regular;
  return SPELLINGS.reduce((spelt, [written, american]) => spelt.replace(written, american), word);
}
