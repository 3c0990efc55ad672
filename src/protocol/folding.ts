/** What Unicode's normal form turns into a character of ASCII: KELVIN SIGN into K, and two marks of Greek into ; and `. */
export const LIKE_ASCII = /[\u212a\u037e\u1fef]/u;

/** What most names are, and what folds at once. */
const PLAIN = /^[ -~]*$/;

const RUNS = /[\u212a\u037e\u1fef]|[^\u212a\u037e\u1fef]+/gu;

/**
 * A name as all of its spellings share it, wherever trust is decided by it: emails and their domains, groups, datasources. Unicode NFC
 * and simple case folding (CaseFolding.txt, C and S), letter by letter, and nothing that leads from one script into another: whoever
 * may choose names in one system would else become somebody, or a member of something, in another. The Kelvin sign is no k, İ no i, ſ
 * no s and ﬁ no fi.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return name.replace(RUNS, (run) =>
    LIKE_ASCII.test(run) ? run : run.normalize("NFC").replace(/./gsu, foldLetter).normalize("NFC"),
  );
}

function foldLetter(letter: string): string {
  if (letter === "ς") return "σ";
  const folded = letter.toLowerCase();
  return folded.length === letter.length ? folded : letter;
}

/**
 * A field's name or value as people who filter by it mean it, whichever form they type: Unicode NFKC and lower case. Nothing that
 * decides who may see what compares by this.
 */
export function foldTerm(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}
