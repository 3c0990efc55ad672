/**
 * Marks that a script can be written without, and letters that people type for others, by script: from Unicode and from the analyzers of
 * Lucene. Texts are read in NFKD, so a letter with hamza is a letter and a mark.
 */
const MARKS: Readonly<Record<string, string>> = {
  // Soft hyphen, joiners and non-joiners, marks of direction, byte order mark, variation selectors.
  any: String.raw`\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff`,
  latinGreekCyrillic: String.raw`\u0300-\u036f\u0483-\u0487`,
  hebrew: String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`,
  // Vowels, hamza, tatweel, signs of the Quran.
  arabic: String.raw`\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed`,
  syriac: String.raw`\u0711\u0730-\u074a`,
  nko: String.raw`\u07eb-\u07f3`,
  devanagariBengaliGurmukhi: String.raw`\u093c\u0951-\u0954\u09bc\u0a3c`,
  ethiopic: String.raw`\u135d-\u135f`,
};

const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ς: "σ",
  ı: "i",
  // Persian kaf, yeh and heh, alef maksura, teh marbuta, alef wasla.
  "\u06a9": "\u0643",
  "\u06cc": "\u064a",
  "\u06d2": "\u064a",
  "\u0649": "\u064a",
  "\u0629": "\u0647",
  "\u06c1": "\u0647",
  "\u06d5": "\u0647",
  "\u0671": "\u0627",
  // Candrabindu, which is written as anusvara.
  "\u0901": "\u0902",
};

const OPTIONAL = new RegExp(`[${Object.values(MARKS).join("")}]+`, "g");
const REPLACED = new RegExp(String.raw`[${Object.keys(LETTERS).join("")}\u0660-\u0669\u06f0-\u06f9]`, "g");

/** Characters within words that nobody sees, as the inside of a character class. */
export const UNSEEN_IN_WORDS = MARKS["any"] ?? "";

/** Returns a text in NFKD and lower case as it is without optional marks, with the letters and digits that most people type. */
export function withoutOptionalMarks(text: string): string {
  return text.replace(OPTIONAL, "").replace(REPLACED, (letter) => LETTERS[letter] ?? String(letter.charCodeAt(0) & 15));
}
